package io.rdmarpc.service.codec.json;

import io.rdmarpc.service.codec.type.SortOrder;
import io.rdmarpc.service.codec.type.StandardTypes;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.PriorityBlockingQueue;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.type.WritableTypeId;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.BeanProperty;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.SerializationConfig;
import tools.jackson.databind.SerializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.ValueSerializer;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.jsontype.TypeSerializer;
import tools.jackson.databind.ser.ValueSerializerModifier;
import tools.jackson.databind.type.CollectionType;
import tools.jackson.databind.type.MapType;

/**
 * Serializers of sorted containers that are not in natural order. A map is an array of the name of its
 * {@link SortOrder} and its entries. A collection is an object with the name of its order and its elements.
 */
final class JsonSortedContainers {

    private JsonSortedContainers() {}

    static final class Writers extends ValueSerializerModifier {

        private static final long serialVersionUID = 1L;

        @Override
        public ValueSerializer<?> modifyMapSerializer(
                SerializationConfig config,
                MapType type,
                BeanDescription.Supplier description,
                ValueSerializer<?> serializer) {
            return new Writer(serializer, true);
        }

        @Override
        public ValueSerializer<?> modifyCollectionSerializer(
                SerializationConfig config,
                CollectionType type,
                BeanDescription.Supplier description,
                ValueSerializer<?> serializer) {
            return new Writer(serializer, false);
        }
    }

    private static final class Writer extends ValueSerializer<Object> {

        private final ValueSerializer<Object> plain;
        private final boolean map;

        @SuppressWarnings("unchecked") // Jackson creates it for the type of its containers.
        Writer(ValueSerializer<?> plain, boolean map) {
            this.plain = (ValueSerializer<Object>) plain;
            this.map = map;
        }

        @Override
        public void resolve(SerializationContext context) {
            plain.resolve(context);
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // instance identity
        public ValueSerializer<?> createContextual(SerializationContext context, @Nullable BeanProperty property) {
            ValueSerializer<?> contextual = plain.createContextual(context, property);
            return contextual == plain ? this : new Writer(contextual, map);
        }

        @Override
        public boolean isEmpty(SerializationContext context, Object value) {
            return plain.isEmpty(context, value);
        }

        @Override
        public Class<?> handledType() {
            return plain.handledType();
        }

        @Override
        public void serialize(Object value, JsonGenerator generator, SerializationContext context) {
            SortOrder order = SortOrder.of(value);
            Object ordered = inOrder(value);
            if (order == SortOrder.NATURAL) {
                plain.serialize(ordered, generator, context);
            } else if (map) {
                generator.writeStartArray();
                generator.writeString(order.text());
                plain.serialize(ordered, generator, context);
                generator.writeEndArray();
            } else {
                generator.writeStartObject();
                generator.writeName(order.text());
                plain.serialize(ordered, generator, context);
                generator.writeEndObject();
            }
        }

        private static boolean isPriorityQueue(Object value) {
            return value instanceof PriorityQueue<?> || value instanceof PriorityBlockingQueue<?>;
        }

        /** Sorts the elements of a priority queue in the order in which it returns them. */
        private static Object inOrder(Object value) {
            return switch (value) {
                case PriorityQueue<?> queue -> sorted(queue, queue.comparator());
                case PriorityBlockingQueue<?> queue -> sorted(queue, queue.comparator());
                default -> value;
            };
        }

        @SuppressWarnings("unchecked") // The queue compares its elements with this comparator.
        private static Object sorted(Collection<?> queue, @Nullable Comparator<?> comparator) {
            List<Object> elements = new ArrayList<>(queue);
            elements.sort((Comparator<Object>) comparator);
            return elements;
        }

        @Override
        public void serializeWithType(
                Object value, JsonGenerator generator, SerializationContext context, TypeSerializer types) {
            if (SortOrder.of(value) == SortOrder.NATURAL && !isPriorityQueue(value)) {
                plain.serializeWithType(value, generator, context, types);
            } else {
                WritableTypeId id =
                        types.writeTypePrefix(generator, context, types.typeId(value, JsonToken.VALUE_EMBEDDED_OBJECT));
                serialize(value, generator, context);
                types.writeTypeSuffix(generator, context, id);
            }
        }
    }

    static final class Readers extends ValueDeserializerModifier {

        private static final long serialVersionUID = 1L;

        /** Applied first, because it recognizes Jackson's own deserializers. */
        private final JsonBudgetModifier budget = new JsonBudgetModifier();

        @Override
        public ValueDeserializer<?> modifyDeserializer(
                DeserializationConfig config, BeanDescription.Supplier description, ValueDeserializer<?> deserializer) {
            return budget.modifyDeserializer(config, description, deserializer);
        }

        @Override
        public KeyDeserializer modifyKeyDeserializer(
                DeserializationConfig config, JavaType type, KeyDeserializer deserializer) {
            return budget.modifyKeyDeserializer(config, type, deserializer);
        }

        @Override
        public ValueDeserializer<?> modifyMapDeserializer(
                DeserializationConfig config,
                MapType type,
                BeanDescription.Supplier description,
                ValueDeserializer<?> deserializer) {
            ValueDeserializer<?> charged = budget.modifyMapDeserializer(config, type, description, deserializer);
            return type.getRawClass() == EnumMap.class ? charged : new Reader(charged, type.getRawClass(), true);
        }

        @Override
        public ValueDeserializer<?> modifyCollectionDeserializer(
                DeserializationConfig config,
                CollectionType type,
                BeanDescription.Supplier description,
                ValueDeserializer<?> deserializer) {
            ValueDeserializer<?> charged = budget.modifyCollectionDeserializer(config, type, description, deserializer);
            return EnumSet.class.isAssignableFrom(type.getRawClass())
                    ? charged
                    : new Reader(charged, type.getRawClass(), false);
        }
    }

    /** Applies the order if the created class is sorted. Other classes keep the order of the message. */
    private static final class Reader extends DelegatingDeserializer {

        private final Class<?> made;
        private final boolean map;

        Reader(ValueDeserializer<?> plain, Class<?> made, boolean map) {
            super(plain);
            this.made = made;
            this.map = map;
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> plain) {
            return new Reader(plain, made, map);
        }

        @Override
        public Object deserialize(JsonParser parser, DeserializationContext context) {
            if (parser.currentToken() != (map ? JsonToken.START_ARRAY : JsonToken.START_OBJECT)) {
                return super.deserialize(parser, context);
            }
            parser.nextToken();
            SortOrder order = SortOrder.ofText(parser.getString());
            parser.nextToken();
            Object sorted = sorted(order);
            Object read =
                    sorted == null ? super.deserialize(parser, context) : super.deserialize(parser, context, sorted);
            if (parser.nextToken() != (map ? JsonToken.END_ARRAY : JsonToken.END_OBJECT)) {
                throw new IllegalArgumentException(
                        "the message has more values in a sorted container than its order and its entries");
            }
            return read;
        }

        /** Returns the empty container to read into, or null if the created class is not sorted. */
        private @Nullable Object sorted(SortOrder order) {
            if (order == SortOrder.OWN && StandardTypes.isSorted(made)) {
                throw new IllegalArgumentException(SortOrder.rejection(made));
            }
            Comparator<Object> comparator = order.comparator();
            if (made == TreeMap.class) {
                return new TreeMap<>(comparator);
            }
            if (made == ConcurrentSkipListMap.class) {
                return new ConcurrentSkipListMap<>(comparator);
            }
            if (made == TreeSet.class) {
                return new TreeSet<>(comparator);
            }
            if (made == ConcurrentSkipListSet.class) {
                return new ConcurrentSkipListSet<>(comparator);
            }
            if (made == PriorityQueue.class) {
                return new PriorityQueue<>(comparator);
            }
            return made == PriorityBlockingQueue.class ? new PriorityBlockingQueue<>(11, comparator) : null;
        }
    }
}
