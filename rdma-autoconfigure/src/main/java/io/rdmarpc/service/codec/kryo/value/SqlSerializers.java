package io.rdmarpc.service.codec.kryo.value;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;

/**
 * Serializes the dates of {@code java.sql} as milliseconds since 1970. Loaded only if {@code SqlTypes} are present.
 */
public final class SqlSerializers {

    private SqlSerializers() {}

    static Serializer<?> ofTimestamps() {
        return new OfTimestamp();
    }

    static Serializer<?> ofDates() {
        return new OfMillis<>(Date::getTime, Date::new);
    }

    static Serializer<?> ofTimes() {
        return new OfMillis<>(Time::getTime, Time::new);
    }

    static final class OfMillis<T> extends Serializer<T> {

        private final ToLongFunction<T> millis;
        private final LongFunction<T> made;

        OfMillis(ToLongFunction<T> millis, LongFunction<T> made) {
            super(false, false);
            this.millis = millis;
            this.made = made;
        }

        @Override
        public void write(Kryo kryo, Output output, T value) {
            output.writeVarLong(millis.applyAsLong(value), false);
        }

        @Override
        public T read(Kryo kryo, Input input, Class<? extends T> type) {
            return made.apply(input.readVarLong(false));
        }
    }

    /** Serializes a timestamp with its nanoseconds. */
    static final class OfTimestamp extends Serializer<Timestamp> {

        @Override
        public void write(Kryo kryo, Output output, Timestamp value) {
            output.writeVarLong(value.getTime(), false);
            output.writeVarInt(value.getNanos(), true);
        }

        @Override
        public Timestamp read(Kryo kryo, Input input, Class<? extends Timestamp> type) {
            Timestamp value = new Timestamp(input.readVarLong(false));
            value.setNanos(input.readVarInt(true));
            return value;
        }
    }
}
