package io.rdmarpc.service.codec.kryo.value;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import io.rdmarpc.service.codec.limit.HeapEstimate;
import io.rdmarpc.service.codec.type.SortOrder;
import org.jspecify.annotations.Nullable;

/**
 * Inline cache of one slot: the class of the last value and its serializer. Most slots have values of only one class.
 * Belongs to one Kryo, and like the Kryo is used by one thread at a time.
 */
@SuppressWarnings("rawtypes")
public final class InlineTypeCache {

    private final @Nullable Class<?> declared;

    private @Nullable Class<?> written;
    private int writtenNumber;
    private @Nullable Serializer writtenBy;

    /** 0 is the number of null. */
    private int readNumber;

    private Class<?> readType = Object.class;
    private int readBytes;
    private @Nullable Serializer readBy;
    private @Nullable Class<?> fitting;

    /** Creates the cache of a slot without a known declared type, such as an element of a container in an Object. */
    InlineTypeCache() {
        this.declared = null;
    }

    public InlineTypeCache(Class<?> declared) {
        this.declared = declared;
    }

    /** Returns the declared type of the slot, or null if unknown. */
    @Nullable
    Class<?> declared() {
        return declared;
    }

    /** Writes the number of a value's class, and returns the serializer of the value. */
    public Serializer begin(ServiceKryo kryo, KryoOutput output, Object value) {
        Serializer known = writtenBy;
        if (known == null || value.getClass() != written) {
            known = learn(kryo, value);
        }
        output.writeNumber(writtenNumber);
        return known;
    }

    private Serializer learn(ServiceKryo kryo, Object value) {
        Registration found = Carriers.of(kryo, value, declared);
        // The next container of this class may have another comparator.
        written = SortOrder.isSorted(value) ? null : value.getClass();
        writtenNumber = found.getId() + ServiceClassResolver.FIRST_NUMBER;
        Serializer known = found.getSerializer();
        writtenBy = known;
        return known;
    }

    /** Returns the serializer for a class number that was read, or null for the number of null. */
    @Nullable
    public Serializer begin(ServiceKryo kryo, int number) {
        return number == readNumber ? readBy : learn(kryo, number);
    }

    private @Nullable Serializer learn(ServiceKryo kryo, int number) {
        Registration found = kryo.registrationOf(number);
        if (found == null) {
            return null;
        }
        Serializer known = found.getSerializer();
        readBy = known;
        readType = found.getType();
        readBytes = HeapEstimate.of(readType);
        readNumber = number;
        return known;
    }

    /** Returns the class of the last number that was not null. */
    public Class<?> readType() {
        return readType;
    }

    /** Returns the estimated heap size of a value of that class, see {@link HeapEstimate}. */
    public int readBytes() {
        return readBytes;
    }

    /** Checks that a value is of the declared type, and returns it. */
    @Nullable
    public Object checked(@Nullable Object value, Class<?> type) {
        if (value != null && value.getClass() != fitting) {
            requireFitting(value, type);
        }
        return value;
    }

    private void requireFitting(Object value, Class<?> type) {
        if (!type.isInstance(value)) {
            throw new KryoException(
                    "the message has a " + value.getClass().getName() + " instead of a " + type.getName());
        }
        fitting = value.getClass();
    }
}
