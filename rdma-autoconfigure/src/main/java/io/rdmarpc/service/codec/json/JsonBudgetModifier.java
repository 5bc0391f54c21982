package io.rdmarpc.service.codec.json;

import io.rdmarpc.service.codec.RdmaMessageBudgetException;
import io.rdmarpc.service.codec.limit.ContainerCost;
import io.rdmarpc.service.codec.limit.HashCollisions;
import io.rdmarpc.service.codec.limit.HeapEstimate;
import io.rdmarpc.service.codec.limit.MessageBudget;
import java.io.Serial;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.databind.BeanDescription;
import tools.jackson.databind.DeserializationConfig;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.JavaType;
import tools.jackson.databind.KeyDeserializer;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.deser.ValueDeserializerModifier;
import tools.jackson.databind.deser.ValueInstantiator;
import tools.jackson.databind.deser.jdk.CollectionDeserializer;
import tools.jackson.databind.deser.jdk.MapDeserializer;
import tools.jackson.databind.deser.jdk.StringCollectionDeserializer;
import tools.jackson.databind.deser.std.DelegatingDeserializer;
import tools.jackson.databind.type.CollectionType;
import tools.jackson.databind.type.MapType;

/**
 * Wraps the deserializers of numbers, collections and maps, so that they charge the budget of a message. Deserializers
 * of the application are wrapped too.
 */
final class JsonBudgetModifier extends ValueDeserializerModifier {

    @Serial
    private static final long serialVersionUID = 1L;

    /** The number of entries is unknown until the end of the container. */
    private static final int UNKNOWN_SIZE = Integer.MAX_VALUE;

    @Override
    public ValueDeserializer<?> modifyDeserializer(
            DeserializationConfig config, BeanDescription.Supplier description, ValueDeserializer<?> deserializer) {
        Class<?> type = description.getBeanClass();
        return type == BigDecimal.class || type == BigInteger.class ? new OfNumber(deserializer) : deserializer;
    }

    @Override
    public ValueDeserializer<?> modifyCollectionDeserializer(
            DeserializationConfig config,
            CollectionType type,
            BeanDescription.Supplier description,
            ValueDeserializer<?> deserializer) {
        if (EnumSet.class.isAssignableFrom(type.getRawClass())) {
            int bytes = HeapEstimate.ofEnumSet(type.getContentType().getRawClass());
            return new OfEnums(deserializer, bytes, BudgetedJsonParser.ARRAY);
        }
        Class<?> known = deserializer.getClass();
        return known == CollectionDeserializer.class || known == StringCollectionDeserializer.class
                ? new OfCollection(deserializer)
                : deserializer;
    }

    @Override
    public ValueDeserializer<?> modifyMapDeserializer(
            DeserializationConfig config,
            MapType type,
            BeanDescription.Supplier description,
            ValueDeserializer<?> deserializer) {
        if (EnumMap.class.isAssignableFrom(type.getRawClass())) {
            int bytes = HeapEstimate.ofEnumMap(type.getKeyType().getRawClass());
            return new OfEnums(deserializer, bytes, BudgetedJsonParser.OBJECT);
        }
        return deserializer.getClass() == MapDeserializer.class ? new OfMap(deserializer) : deserializer;
    }

    @Override
    public KeyDeserializer modifyKeyDeserializer(
            DeserializationConfig config, JavaType type, KeyDeserializer deserializer) {
        Class<?> raw = type.getRawClass();
        return raw == BigDecimal.class || raw == BigInteger.class ? new OfNumberKey(deserializer) : deserializer;
    }

    private static @Nullable Object checked(@Nullable MessageBudget budget, @Nullable Object number) {
        if (budget == null) {
            return number;
        }
        return switch (number) {
            case BigDecimal decimal -> budget.checked(decimal);
            case BigInteger integer -> budget.checked(integer);
            case null, default -> number;
        };
    }

    private static final class OfNumber extends DelegatingDeserializer {

        OfNumber(ValueDeserializer<?> deserializer) {
            super(deserializer);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> deserializer) {
            return new OfNumber(deserializer);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            return checked(BudgetedJsonParser.of(context), super.deserialize(parser, context));
        }
    }

    /** A number as a property name. No setting of Jackson limits its length. */
    private static final class OfNumberKey extends KeyDeserializer {

        private final KeyDeserializer deserializer;

        OfNumberKey(KeyDeserializer deserializer) {
            this.deserializer = deserializer;
        }

        @Override
        public @Nullable Object deserializeKey(String key, DeserializationContext context) {
            if (key.length() > JsonRdmaSerializer.MAX_NUMBER_LENGTH) {
                throw new RdmaMessageBudgetException("the message has a number of " + key.length()
                        + " digits as a key, and the limit is " + JsonRdmaSerializer.MAX_NUMBER_LENGTH);
            }
            return checked(BudgetedJsonParser.of(context), deserializer.deserializeKey(key, context));
        }
    }

    private static final class OfCollection extends DelegatingDeserializer {

        OfCollection(ValueDeserializer<?> deserializer) {
            super(deserializer);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> deserializer) {
            return new OfCollection(deserializer);
        }

        @Override
        @SuppressWarnings("unchecked")
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            MessageBudget budget = BudgetedJsonParser.of(context);
            ValueInstantiator instantiator =
                    _delegatee instanceof ValueInstantiator.Gettable own ? own.getValueInstantiator() : null;
            if (budget == null
                    || instantiator == null
                    || !parser.isExpectedStartArrayToken()
                    || !instantiator.canCreateUsingDefault()) {
                return super.deserialize(parser, context);
            }
            Collection<Object> made = (Collection<Object>) instantiator.createUsingDefault(context);
            ContainerCost cost = ContainerCost.of(made.getClass());
            BudgetedJsonParser.chargeMore(context, cost.header(), BudgetedJsonParser.ARRAY);
            if (cost.search() == ContainerCost.Search.NONE) {
                return super.deserialize(parser, context, made);
            }
            super.deserialize(parser, context, new Counted(made, new Entries(cost, budget)));
            return made;
        }
    }

    private static final class OfMap extends DelegatingDeserializer {

        OfMap(ValueDeserializer<?> deserializer) {
            super(deserializer);
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> deserializer) {
            return new OfMap(deserializer);
        }

        @Override
        @SuppressWarnings("unchecked")
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            MessageBudget budget = BudgetedJsonParser.of(context);
            if (budget == null
                    || !parser.hasToken(JsonToken.START_OBJECT)
                    || !(_delegatee instanceof MapDeserializer bare)
                    || !bare.getValueInstantiator().canCreateUsingDefault()) {
                return super.deserialize(parser, context);
            }
            Map<Object, Object> made =
                    (Map<Object, Object>) bare.getValueInstantiator().createUsingDefault(context);
            ContainerCost cost = ContainerCost.of(made.getClass());
            BudgetedJsonParser.chargeMore(context, cost.header(), BudgetedJsonParser.OBJECT);
            if (cost.search() == ContainerCost.Search.NONE) {
                return super.deserialize(parser, context);
            }
            bare.deserialize(parser, context, new CountedMap(made, new Entries(cost, budget)));
            return made;
        }
    }

    /** Sets and maps of enum constants. Their size on the heap depends on the enum. */
    private static final class OfEnums extends DelegatingDeserializer {

        private final int bytes;
        private final int ofToken;

        OfEnums(ValueDeserializer<?> deserializer, int bytes, int ofToken) {
            super(deserializer);
            this.bytes = bytes;
            this.ofToken = ofToken;
        }

        @Override
        protected ValueDeserializer<?> newDelegatingInstance(ValueDeserializer<?> deserializer) {
            return new OfEnums(deserializer, bytes, ofToken);
        }

        @Override
        public @Nullable Object deserialize(JsonParser parser, DeserializationContext context) {
            BudgetedJsonParser.chargeMore(context, bytes, ofToken);
            return super.deserialize(parser, context);
        }
    }

    /** Counts the keys of one container. */
    private static final class Entries {

        private final ContainerCost cost;
        private final MessageBudget budget;
        private @Nullable HashCollisions seen;

        Entries(ContainerCost cost, MessageBudget budget) {
            this.cost = cost;
            this.budget = budget;
        }

        void admit(@Nullable Object key) {
            seen = cost.admit(budget, seen, key, UNKNOWN_SIZE, 0, 0);
        }
    }

    /** Counts the elements that Jackson adds to a collection. */
    private static final class Counted extends AbstractCollection<Object> {

        private final Collection<Object> target;
        private final Entries entries;

        Counted(Collection<Object> target, Entries entries) {
            this.target = target;
            this.entries = entries;
        }

        @Override
        public boolean add(Object element) {
            entries.admit(element);
            return target.add(element);
        }

        @Override
        public Iterator<Object> iterator() {
            return target.iterator();
        }

        @Override
        public int size() {
            return target.size();
        }
    }

    /**
     * Counts the keys that Jackson puts into a map. {@link #get} returns null, so that Jackson does not merge with a
     * previous value.
     */
    private static final class CountedMap extends AbstractMap<Object, Object> {

        private final Map<Object, Object> target;
        private final Entries entries;

        CountedMap(Map<Object, Object> target, Entries entries) {
            this.target = target;
            this.entries = entries;
        }

        @Override
        public @Nullable Object get(Object key) {
            return null;
        }

        @Override
        public @Nullable Object put(Object key, Object value) {
            entries.admit(key);
            return target.put(key, value);
        }

        @Override
        public Set<Entry<Object, Object>> entrySet() {
            return target.entrySet();
        }
    }
}
