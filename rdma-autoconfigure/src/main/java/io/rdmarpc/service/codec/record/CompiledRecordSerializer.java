package io.rdmarpc.service.codec.record;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import io.rdmarpc.service.codec.kryo.value.InlineTypeCache;
import io.rdmarpc.service.codec.kryo.value.ServiceClassResolver;
import io.rdmarpc.service.codec.kryo.value.ServiceKryo;
import io.rdmarpc.service.codec.type.Members;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Superclass of the classes that {@link RecordCompiler} generates. A generated class copies what each slot needs of
 * its Kryo into its own fields.
 */
abstract class CompiledRecordSerializer extends RecordSerializer {

    /** Matches no class. */
    private static final int NO_NUMBER = -1;

    CompiledRecordSerializer(Members members) {
        super(members);
    }

    @Override
    public final void link(ServiceKryo kryo) {
        List<TypedSlot> slots = TypedSlot.all(TypedSlot.of(members()));
        Serializer<?>[] serializers = new Serializer<?>[slots.size()];
        int[] numbers = new int[slots.size()];
        InlineTypeCache[] caches = new InlineTypeCache[slots.size()];
        for (TypedSlot slot : slots) {
            int at = slot.number();
            switch (slot.kind()) {
                case FINAL -> serializers[at] = kryo.getSerializer(slot.type());
                case POLYMORPHIC -> {
                    caches[at] = new InlineTypeCache(slot.type());
                    Registration expected = kryo.getClassResolver().getRegistration(slot.type());
                    serializers[at] = expected == null ? new OfUnknown() : expected.getSerializer();
                    numbers[at] = expected == null ? NO_NUMBER : expected.getId() + ServiceClassResolver.FIRST_NUMBER;
                }
                case PRIMITIVE, TEXT -> {}
            }
        }
        take(serializers, numbers, caches);
    }

    /** Writes a value that is {@linkplain Members#ofValue not a component}, or null. */
    @SuppressWarnings("NullAway") // Generated code accepts null.
    final void writeAlone(ServiceKryo kryo, Output output, @Nullable Object value) {
        write(kryo, output, value);
    }

    /** Reads what {@link #writeAlone} wrote. */
    final @Nullable Object readAlone(ServiceKryo kryo, Input input) {
        return read(kryo, input, Object.class);
    }

    /** Stores the values of all slots, indexed by slot number. */
    abstract void take(Serializer<?>[] serializers, int[] numbers, InlineTypeCache[] caches);

    /** Serializer of a declared class that is not registered. Its exceptions name the class. */
    private static final class OfUnknown extends Serializer<Object> {

        @Override
        public void write(Kryo kryo, Output output, Object value) {
            throw new KryoException(
                    kryo.getRegistration(value.getClass()) + " was not registered when the coder was created");
        }

        @Override
        public Object read(Kryo kryo, Input input, Class<?> type) {
            throw new KryoException("the message names the class " + type.getName() + ", which is not registered");
        }
    }
}
