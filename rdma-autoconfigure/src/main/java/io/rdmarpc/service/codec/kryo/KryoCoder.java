package io.rdmarpc.service.codec.kryo;

import io.rdmarpc.service.codec.MessageCoder;
import io.rdmarpc.service.codec.MessageInput;
import io.rdmarpc.service.codec.MessageOutput;
import io.rdmarpc.service.codec.MessageShape;
import io.rdmarpc.service.codec.kryo.value.KryoInput;
import io.rdmarpc.service.codec.kryo.value.KryoOutput;
import io.rdmarpc.service.codec.kryo.value.ServiceKryo;
import io.rdmarpc.service.codec.record.RecordSerializers;
import io.rdmarpc.service.codec.record.ValueSlot;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A coder with its Kryo, output and input. Used by one thread at a time. */
final class KryoCoder implements MessageCoder {

    private final ServiceKryo kryo;
    private final ValueSlot[][] slots;
    private final KryoOutput output = new KryoOutput();
    private final KryoInput input;

    KryoCoder(ServiceKryo kryo, RecordSerializers records, List<MessageShape> shapes) {
        this.kryo = kryo;
        this.input = new KryoInput(kryo.budget());
        this.slots = shapes.stream()
                .map(shape -> shape.types().stream()
                        .map(type -> ValueSlot.of(kryo, type, records))
                        .toArray(ValueSlot[]::new))
                .toArray(ValueSlot[][]::new);
    }

    @Override
    public void write(MessageShape shape, @Nullable Object[] values, MessageOutput message) {
        ValueSlot[] each = slots[shape.number()];
        output.begin(message);
        for (int i = 0; i < each.length; i++) {
            each[i].write(kryo, output, values[i]);
        }
        output.leave();
        kryo.endMessage();
    }

    @Override
    public void read(MessageShape shape, MessageInput message, @Nullable Object[] values) {
        ValueSlot[] each = slots[shape.number()];
        input.begin(message);
        for (int i = 0; i < each.length; i++) {
            values[i] = each[i].read(kryo, input);
        }
        input.leave();
        kryo.endMessage();
    }

    /** The budget and the references belong to one message. Serializers hold no state. */
    @Override
    public boolean recover() {
        output.forget();
        input.forget();
        kryo.endMessage();
        return true;
    }
}
