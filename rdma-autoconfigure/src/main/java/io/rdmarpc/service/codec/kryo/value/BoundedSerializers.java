package io.rdmarpc.service.codec.kryo.value;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import com.esotericsoftware.kryo.serializers.DefaultSerializers;
import io.rdmarpc.remote.RemoteRegion;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.service.codec.RegionReferences;
import io.rdmarpc.service.codec.RegionScope;
import io.rdmarpc.service.codec.limit.ContainerCost;
import io.rdmarpc.service.codec.limit.HashCollisions;
import io.rdmarpc.service.codec.limit.HeapEstimate;
import io.rdmarpc.service.codec.limit.MessageBudget;
import io.rdmarpc.service.codec.type.LocaleText;
import io.rdmarpc.service.codec.type.SortOrder;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Array;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serializes containers as a size and their elements, each with the number of its class. Each element therefore takes
 * at least one byte, so that a claimed size can be checked against the remaining bytes. Allocation follows the
 * elements that have been read.
 */
public final class BoundedSerializers {

    /** Maximum number of elements that are allocated for a claimed size in advance. */
    private static final int MAX_PREALLOCATED = 1024;

    private BoundedSerializers() {}

    private static int inAdvance(int size) {
        return Math.min(size, MAX_PREALLOCATED);
    }

    /**
     * Rejects comparators, which are not sent with the elements. {@link SortedSerializers} supports the comparators
     * that both sides know.
     */
    private static void requireNaturalOrder(Object container) {
        if (SortOrder.of(container) != SortOrder.NATURAL) {
            throw new KryoException(SortOrder.rejection(container.getClass()));
        }
    }

    /** Serializes any collection. It is read into the collection that the factory creates for its size. */
    @SuppressWarnings("rawtypes")
    public static final class Elements extends Serializer<Collection> {

        private final @Nullable IntFunction<Collection<Object>> factory;
        private final boolean sorted;

        /** Cost of the class that the factory creates. Determined from its first collection. */
        private @Nullable ContainerCost cost;

        /** Creates the serializer of array lists. */
        Elements() {
            this.factory = null;
            this.sorted = false;
        }

        Elements(IntFunction<Collection<Object>> factory) {
            this(factory, false);
        }

        private Elements(IntFunction<Collection<Object>> factory, boolean sorted) {
            this.factory = factory;
            this.sorted = sorted;
        }

        /** Creates the serializer of a collection that sorts its elements, in natural order. */
        static Elements sorted(Supplier<Collection<Object>> factory) {
            return new Elements(size -> factory.get(), true);
        }

        /** Creates a collection for the number of elements that the message claims. */
        public Collection<Object> make(int size) {
            return factory == null ? new ArrayList<>(inAdvance(size)) : factory.apply(inAdvance(size));
        }

        /** Charges an empty container. Returns the cost of its elements. */
        public ContainerCost charge(KryoInput input, Collection<Object> made) {
            ContainerCost known = cost;
            if (known == null) {
                known = ContainerCost.of(made.getClass());
                cost = known;
            }
            input.charge(known.header());
            return known;
        }

        /** Writes the number of elements, and returns it. */
        public int begin(Output output, Collection<?> collection) {
            if (sorted) {
                requireNaturalOrder(collection);
            }
            int size = collection.size();
            output.writeVarInt(size, true);
            return size;
        }

        @Override
        public void write(Kryo kryo, Output output, Collection collection) {
            begin(output, collection);
            InlineTypeCache cache = new InlineTypeCache();
            for (Object element : collection) {
                ((ServiceKryo) kryo).writePolymorphic(output, element, cache);
            }
        }

        @Override
        public Collection read(Kryo kryo, Input input, Class<? extends Collection> type) {
            KryoInput own = (KryoInput) input;
            int size = own.readSize();
            Collection<Object> collection = make(size);
            ContainerCost known = charge(own, collection);
            HashCollisions seen = null;
            // With references, an element may refer to the collection.
            kryo.reference(collection);
            InlineTypeCache cache = new InlineTypeCache();
            for (int i = 0; i < size; i++) {
                int start = own.consumed();
                Object element = ((ServiceKryo) kryo).readPolymorphic(input, cache);
                seen = own.admit(known, seen, element, size, start);
                collection.add(element);
            }
            return collection;
        }
    }

    /** Serializes any map. It is read into the map that the factory creates for its size. */
    @SuppressWarnings("rawtypes")
    public static final class Entries extends Serializer<Map> {

        private final IntFunction<Map<Object, Object>> factory;
        private final boolean sorted;

        /** Cost of the class that the factory creates. Determined from its first map. */
        private @Nullable ContainerCost cost;

        Entries(IntFunction<Map<Object, Object>> factory) {
            this(factory, false);
        }

        private Entries(IntFunction<Map<Object, Object>> factory, boolean sorted) {
            this.factory = factory;
            this.sorted = sorted;
        }

        /** Creates the serializer of a map that sorts its keys, in natural order. */
        static Entries sorted(Supplier<Map<Object, Object>> factory) {
            return new Entries(size -> factory.get(), true);
        }

        /** Creates a map for the number of entries that the message claims. */
        public Map<Object, Object> make(int size) {
            return factory.apply(inAdvance(size));
        }

        /** Charges an empty container. Returns the cost of its entries. */
        public ContainerCost charge(KryoInput input, Map<Object, Object> made) {
            ContainerCost known = cost;
            if (known == null) {
                known = ContainerCost.of(made.getClass());
                cost = known;
            }
            input.charge(known.header());
            return known;
        }

        /** Writes the number of entries, and returns it. */
        public int begin(Output output, Map<?, ?> map) {
            if (sorted) {
                requireNaturalOrder(map);
            }
            int size = map.size();
            output.writeVarInt(size, true);
            return size;
        }

        @Override
        public void write(Kryo kryo, Output output, Map map) {
            begin(output, map);
            InlineTypeCache keyCache = new InlineTypeCache();
            InlineTypeCache valueCache = new InlineTypeCache();
            for (Object each : map.entrySet()) {
                Map.Entry entry = (Map.Entry) each;
                ((ServiceKryo) kryo).writePolymorphic(output, entry.getKey(), keyCache);
                ((ServiceKryo) kryo).writePolymorphic(output, entry.getValue(), valueCache);
            }
        }

        @Override
        public Map read(Kryo kryo, Input input, Class<? extends Map> type) {
            KryoInput own = (KryoInput) input;
            int size = own.readSize();
            Map<Object, Object> map = make(size);
            ContainerCost known = charge(own, map);
            HashCollisions seen = null;
            kryo.reference(map);
            InlineTypeCache keyCache = new InlineTypeCache();
            InlineTypeCache valueCache = new InlineTypeCache();
            for (int i = 0; i < size; i++) {
                int start = own.consumed();
                Object key = ((ServiceKryo) kryo).readPolymorphic(input, keyCache);
                seen = own.admit(known, seen, key, size, start);
                map.put(key, ((ServiceKryo) kryo).readPolymorphic(input, valueCache));
            }
            return map;
        }
    }

    /** Serializes an array of objects with the same bytes as a collection. */
    static final class ObjectArray extends Serializer<@Nullable Object[]> {

        private final Class<?> componentType;

        ObjectArray(Class<?> componentType) {
            this.componentType = componentType;
        }

        @Override
        public void write(Kryo kryo, Output output, @Nullable Object[] array) {
            output.writeVarInt(array.length, true);
            InlineTypeCache cache = new InlineTypeCache(componentType);
            for (Object element : array) {
                ((ServiceKryo) kryo).writePolymorphic(output, element, cache);
            }
        }

        @Override
        public @Nullable Object[] read(Kryo kryo, Input input, Class<? extends @Nullable Object[]> type) {
            int size = ((KryoInput) input).readSize();
            ((KryoInput) input).charge(HeapEstimate.ARRAY);
            @Nullable Object[] array = (@Nullable Object[]) Array.newInstance(componentType, inAdvance(size));
            InlineTypeCache cache = new InlineTypeCache();
            for (int i = 0; i < size; i++) {
                if (i == array.length) {
                    array = Arrays.copyOf(array, (int) Math.min(size, 2L * i));
                }
                array[i] = ((ServiceKryo) kryo).readPolymorphic(input, cache);
            }
            return array;
        }
    }

    /** Serializes booleans, one byte each. Kryo's own serializer allocates the claimed length. */
    static final class BooleanArray extends Serializer<boolean[]> {

        @Override
        public void write(Kryo kryo, Output output, boolean[] flags) {
            output.writeVarInt(flags.length, true);
            output.writeBooleans(flags, 0, flags.length);
        }

        @Override
        public boolean[] read(Kryo kryo, Input input, Class<? extends boolean[]> type) {
            return input.readBooleans(input.readVarInt(true));
        }
    }

    /**
     * Serializes a decimal number as its scale, a bit that tells whether the unscaled value exceeds a long, and the
     * unscaled value. Most values fit a long, so that neither side creates an array.
     */
    static final class Decimal extends Serializer<BigDecimal> {

        /** Maximum digits that always fit a long. */
        private static final int DIGITS_OF_A_LONG = 18;

        Decimal() {
            super(false, true);
        }

        @Override
        public void write(Kryo kryo, Output output, BigDecimal value) {
            int scale = value.scale();
            if (value.precision() <= DIGITS_OF_A_LONG) {
                output.writeVarLong((long) scale << 1, false);
                output.writeVarLong(value.scaleByPowerOfTen(scale).longValue(), false);
            } else {
                output.writeVarLong((long) scale << 1 | 1, false);
                byte[] unscaled = value.unscaledValue().toByteArray();
                output.writeVarInt(unscaled.length, true);
                output.writeBytes(unscaled);
            }
        }

        @Override
        public BigDecimal read(Kryo kryo, Input input, Class<? extends BigDecimal> type) {
            long head = input.readVarLong(false);
            long scale = head >> 1;
            if (scale != (int) scale) {
                throw new KryoException("the message has a decimal number with the invalid scale " + scale);
            }
            MessageBudget budget = ((KryoInput) input).budget();
            budget.requireScale((int) scale);
            return (head & 1) == 0
                    ? BigDecimal.valueOf(input.readVarLong(false), (int) scale)
                    : budget.checked(new BigDecimal(readInteger(input, input.readVarInt(true)), (int) scale));
        }
    }

    /**
     * Reads an integer. Rejects a claimed length whose bits must exceed the limit before it reads the bytes. Checks the
     * value afterwards.
     */
    private static BigInteger readInteger(Input input, int bytes) {
        MessageBudget budget = ((KryoInput) input).budget();
        // The first byte has a sign bit, and up to seven bits that repeat it.
        budget.requireBits(Byte.SIZE * (bytes - 1L));
        return budget.checked(new BigInteger(input.readBytes(bytes)));
    }

    /** Serializes an integer in Kryo's format: 0 for null, otherwise the number of bytes plus 1, and the bytes. */
    static final class WholeNumber extends DefaultSerializers.BigIntegerSerializer {

        @Override
        public @Nullable BigInteger read(Kryo kryo, Input input, Class<? extends BigInteger> type) {
            int length = input.readVarInt(true);
            return length == Kryo.NULL ? null : readInteger(input, length - 1);
        }
    }

    /**
     * Serializes the bytes of a buffer from its position to its limit, with one copy on each side. The received
     * buffer is big-endian.
     */
    static final class BytesOfBuffer extends Serializer<ByteBuffer> {

        @Override
        public void write(Kryo kryo, Output output, ByteBuffer bytes) {
            output.writeVarInt(bytes.remaining(), true);
            ((KryoOutput) output).writeBuffer(bytes);
        }

        @Override
        public ByteBuffer read(Kryo kryo, Input input, Class<? extends ByteBuffer> type) {
            return ByteBuffer.wrap(input.readBytes(input.readVarInt(true)));
        }
    }

    /** Serializes the bytes of a segment, with one copy on each side. The received segment is on the heap. */
    static final class BytesOfSegment extends Serializer<MemorySegment> {

        @Override
        public void write(Kryo kryo, Output output, MemorySegment bytes) {
            output.writeVarLong(bytes.byteSize(), true);
            ((KryoOutput) output).writeSegment(bytes);
        }

        @Override
        public MemorySegment read(Kryo kryo, Input input, Class<? extends MemorySegment> type) {
            long size = input.readVarLong(true);
            // A length that exceeds an array is rejected like any other length that exceeds the remaining bytes.
            return MemorySegment.ofArray(input.readBytes(size == (int) size ? (int) size : -1));
        }
    }

    /** Serializes a token, with which the receiver can open memory of the sender. */
    static final class BytesOfToken extends Serializer<RegionToken> {

        BytesOfToken() {
            super(false, true);
        }

        @Override
        public void write(Kryo kryo, Output output, RegionToken token) {
            output.writeBytes(token.encode());
        }

        @Override
        public RegionToken read(Kryo kryo, Input input, Class<? extends RegionToken> type) {
            return RegionToken.decode(input.readBytes(RegionToken.ENCODED_BYTES));
        }
    }

    /** Serializes a region as its token. */
    static final class TokenOfRegion extends Serializer<RemoteRegion> {

        @Override
        public void write(Kryo kryo, Output output, RemoteRegion region) {
            output.writeBytes(
                    references(kryo).tokenOf(region, RegionScope.session()).encode());
        }

        @Override
        public RemoteRegion read(Kryo kryo, Input input, Class<? extends RemoteRegion> type) {
            RegionToken token = RegionToken.decode(input.readBytes(RegionToken.ENCODED_BYTES));
            return references(kryo).regionOf(token, RegionScope.session());
        }

        private static RegionReferences references(Kryo kryo) {
            return ((ServiceKryo) kryo).references();
        }
    }

    /** Serializes a locale as its text. Kryo's own serializer loses the script. */
    static final class TextOfLocale extends Serializer<Locale> {

        TextOfLocale() {
            super(false, true);
        }

        @Override
        public void write(Kryo kryo, Output output, Locale locale) {
            output.writeString(LocaleText.of(locale));
        }

        @Override
        public Locale read(Kryo kryo, Input input, Class<? extends Locale> type) {
            String text = input.readString();
            if (text == null) {
                throw new KryoException("the message has a locale whose text is null");
            }
            return LocaleText.parse(text);
        }
    }
}
