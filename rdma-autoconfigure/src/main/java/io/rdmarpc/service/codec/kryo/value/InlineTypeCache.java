package io.rdmarpc.service.codec.kryo.value;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import io.rdmarpc.service.codec.limit.HeapEstimate;
import io.rdmarpc.service.codec.type.SortOrder;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the class of the last value in one slot and its serializer: most slots only ever see one class. Belongs to one Kryo, and
 * like that to one thread at a time.
 */
@SuppressWarnings("rawtypes")
public final class InlineTypeCache {

    private final @Nullable Class<?> declared;

    private @Nullable Class<?> written;
    private int writtenNumber;
    private @Nullable Serializer writtenBy;

    /** 0 is that of null. */
    private int readNumber;

    private Class<?> readType = Object.class;
    private int readBytes;
    private @Nullable Serializer readBy;
    private @Nullable Class<?> fitting;

    /** For a slot whose declared type is not known, such as an element of a container that stands in an Object. */
    InlineTypeCache() {
        this.declared = null;
    }

    public InlineTypeCache(Class<?> declared) {
        this.declared = declared;
    }

    /** The type of this slot, null where it is not known. */
    @Nullable
    Class<?> declared() {
        return declared;
    }

    /** Writes the number of a value's class; gives what writes the value. */
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
        // The next one of this class may have another comparator.
        written = SortOrder.isSorted(value) ? null : value.getClass();
        writtenNumber = found.getId() + ServiceClassResolver.FIRST_NUMBER;
        Serializer known = found.getSerializer();
        writtenBy = known;
        return known;
    }

    /** Takes the number of a class; gives what reads the value, null for null. */
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

    /** The class whose number was read last, unless it was null. */
    public Class<?> readType() {
        return readType;
    }

    /** What a value of that class takes on the heap, as {@link HeapEstimate} has it. */
    public int readBytes() {
        return readBytes;
    }

    /** Checks that what was read is of the declared type. */
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
                    "the message has a " + value.getClass().getName() + " where a " + type.getName() + " belongs");
        }
        fitting = value.getClass();
    }
}
