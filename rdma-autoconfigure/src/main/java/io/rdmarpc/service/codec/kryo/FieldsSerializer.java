package io.rdmarpc.service.codec.kryo;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.service.codec.kryo.value.LinkedSerializer;
import io.rdmarpc.service.codec.kryo.value.ServiceKryo;
import io.rdmarpc.service.codec.record.MemberwiseSerializer;
import io.rdmarpc.service.codec.record.ValueSlot;
import io.rdmarpc.service.codec.type.ContractTypes;
import io.rdmarpc.service.codec.type.Members;
import java.util.Arrays;

/**
 * Serializes an object as its fields in order of their names. The erased type of a field determines its encoding, so
 * that a field of a type variable holds any value that its bound permits. Kryo's own serializer uses a subclass's
 * type argument instead and fails to access the field.
 */
final class FieldsSerializer extends MemberwiseSerializer implements LinkedSerializer {

    private static final String KRYO = "com.esotericsoftware.kryo.";

    private final MemberAccess.OfClass access;
    private final ValueSlot[] slots;

    FieldsSerializer(Members members) {
        super(members, false);
        this.access = new MemberAccess.OfClass(members);
        this.slots = new ValueSlot[members.count()];
    }

    /** Returns whether a field has an annotation that only Kryo's own field serializer supports. */
    static boolean areAnnotatedForKryo(Class<?> type) {
        return ContractTypes.fieldsOf(type)
                .flatMap(field -> Arrays.stream(field.getAnnotations()))
                .anyMatch(annotation -> annotation.annotationType().getName().startsWith(KRYO));
    }

    @Override
    public void link(ServiceKryo kryo) {
        for (int i = 0; i < slots.length; i++) {
            slots[i] = ValueSlot.of(kryo, members(), i);
        }
    }

    @Override
    public void write(Kryo kryo, Output output, Object value) {
        for (int i = 0; i < slots.length; i++) {
            try {
                slots[i].write((ServiceKryo) kryo, output, access.get(i, value));
            } catch (RuntimeException e) {
                throw traced(e, i);
            }
        }
    }

    @Override
    public Object read(Kryo kryo, Input input, Class<? extends Object> type) {
        Object made = access.create(kryo);
        // With references, a field may refer to its own object.
        kryo.reference(made);
        for (int i = 0; i < slots.length; i++) {
            try {
                access.set(made, i, slots[i].read((ServiceKryo) kryo, input));
            } catch (RuntimeException e) {
                throw traced(e, i);
            }
        }
        return made;
    }
}
