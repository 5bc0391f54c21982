package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a record as its components in the order of their declaration, and reads it through its canonical constructor. How a
 * component is written follows from its declared type: primitives need no word about their type, final classes one byte for
 * null, all others the number of their class. {@link RecordCompiler} makes one class of it for each record;
 * {@link ReflectiveRecordSerializer} writes the same bytes where that is not possible.
 */
abstract class RecordSerializer extends MemberwiseSerializer implements LinkedSerializer {

    /** Of each component the serializer, where its class is known; the others stay null. */
    final Serializer<?>[] serializers;

    final Class<?>[] types;

    /** Of each component of an open type how it was written last; the others are not used. */
    final LastClass[] last;

    RecordSerializer(Members members) {
        super(members, true);
        this.types = new Class<?>[members.count()];
        this.serializers = new Serializer<?>[members.count()];
        this.last = new LastClass[members.count()];
        for (int i = 0; i < types.length; i++) {
            types[i] = members.type(i);
            last[i] = new LastClass();
        }
    }

    @Override
    public void link(ServiceKryo kryo) {
        for (int i = 0; i < types.length; i++) {
            if (SlotKind.of(types[i]) == SlotKind.FINAL) {
                serializers[i] = kryo.getSerializer(types[i]);
            }
        }
    }

    /** Checks what a peer has put where a component of an open type belongs. */
    static @Nullable Object checked(@Nullable Object value, Class<?> type) {
        return ValueSlot.checked(value, type);
    }
}
