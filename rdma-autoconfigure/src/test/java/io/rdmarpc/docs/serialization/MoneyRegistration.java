package io.rdmarpc.docs.serialization;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.service.codec.kryo.KryoCustomizer;
import org.springframework.stereotype.Component;

@Component
class MoneyRegistration implements KryoCustomizer {

    @Override
    public void customize(Kryo kryo) {
        kryo.register(Money.class, new MoneySerializer());
    }

    static final class MoneySerializer extends Serializer<Money> {

        @Override
        public void write(Kryo kryo, Output output, Money money) {
            output.writeVarLong(money.cents(), false);
            output.writeString(money.currency());
        }

        @Override
        public Money read(Kryo kryo, Input input, Class<? extends Money> type) {
            return new Money(input.readVarLong(false), input.readString());
        }
    }
}
