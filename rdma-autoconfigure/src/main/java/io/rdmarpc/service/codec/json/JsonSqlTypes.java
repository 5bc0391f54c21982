package io.rdmarpc.service.codec.json;

import java.sql.Date;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.deser.std.StdScalarDeserializer;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.ser.std.StdScalarSerializer;

/**
 * Serializers of the dates of {@code java.sql}: milliseconds since 1970. A timestamp is followed by a dot and its
 * nanoseconds.
 */
final class JsonSqlTypes {

    private JsonSqlTypes() {}

    static void addTo(SimpleModule module) {
        module.addSerializer(Timestamp.class, new TimestampWriter());
        module.addDeserializer(Timestamp.class, new TimestampReader());
        module.addSerializer(Date.class, new MillisWriter<>(Date.class, Date::getTime));
        module.addDeserializer(Date.class, new MillisReader<>(Date.class, Date::new));
        module.addSerializer(Time.class, new MillisWriter<>(Time.class, Time::getTime));
        module.addDeserializer(Time.class, new MillisReader<>(Time.class, Time::new));
    }

    private static final class MillisWriter<T> extends StdScalarSerializer<T> {

        private final ToLongFunction<T> millis;

        MillisWriter(Class<T> type, ToLongFunction<T> millis) {
            super(type);
            this.millis = millis;
        }

        @Override
        public void serialize(T value, JsonGenerator generator, SerializationContext context) {
            generator.writeNumber(millis.applyAsLong(value));
        }
    }

    private static final class MillisReader<T> extends StdScalarDeserializer<T> {

        private final LongFunction<T> made;

        MillisReader(Class<T> type, LongFunction<T> made) {
            super(type);
            this.made = made;
        }

        @Override
        public T deserialize(JsonParser parser, DeserializationContext context) {
            return made.apply(parser.getLongValue());
        }
    }

    private static final class TimestampWriter extends StdScalarSerializer<Timestamp> {

        TimestampWriter() {
            super(Timestamp.class);
        }

        @Override
        public void serialize(Timestamp value, JsonGenerator generator, SerializationContext context) {
            generator.writeString(value.getTime() + "." + value.getNanos());
        }
    }

    private static final class TimestampReader extends StdScalarDeserializer<Timestamp> {

        TimestampReader() {
            super(Timestamp.class);
        }

        @Override
        public Timestamp deserialize(JsonParser parser, DeserializationContext context) {
            String text = parser.getString();
            int point = text.indexOf('.');
            if (point < 0) {
                throw new IllegalArgumentException("the message has a timestamp without nanoseconds");
            }
            Timestamp value = new Timestamp(Long.parseLong(text.substring(0, point)));
            value.setNanos(Integer.parseInt(text.substring(point + 1)));
            return value;
        }
    }
}
