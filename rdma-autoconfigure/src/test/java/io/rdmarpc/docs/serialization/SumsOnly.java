package io.rdmarpc.docs.serialization;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.service.codec.MessageCoder;
import io.rdmarpc.service.codec.MessageInput;
import io.rdmarpc.service.codec.MessageOutput;
import io.rdmarpc.service.codec.MessageShape;
import io.rdmarpc.service.codec.RdmaSerializer;
import io.rdmarpc.service.codec.ServiceSerializer;
import io.rdmarpc.service.contract.ServiceDescription;
import java.nio.ByteBuffer;
import java.util.List;

class SumsOnly implements RdmaSerializer {

    @Override
    public ServiceSerializer forService(ServiceDescription service, List<MessageShape> shapes) {
        return new ServiceSerializer() {
            @Override
            public List<ServiceContract.Type> types() {
                return List.of(new ServiceContract.Type("(serializer)", "longs of 8 bytes"));
            }

            @Override
            public MessageCoder newCoder() {
                return new Longs();
            }
        };
    }

    private static final class Longs implements MessageCoder {

        @Override
        public void write(MessageShape shape, Object[] values, MessageOutput output) {
            ByteBuffer buffer = output.grow(Long.BYTES * values.length);
            for (Object value : values) {
                buffer.putLong((Long) value);
            }
        }

        @Override
        public void read(MessageShape shape, MessageInput input, Object[] values) {
            for (int i = 0; i < values.length; i++) {
                values[i] = input.buffer().getLong();
            }
        }
    }
}
