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

/** What {@link RecordCompiler} makes: it takes what it needs of its Kryo into fields of its own, some or none for each slot. */
abstract class CompiledRecordSerializer extends RecordSerializer {

    /** No class has it. */
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

    /** Writes a value that {@linkplain Members#ofValue stands alone}, or null. */
    @SuppressWarnings("NullAway") // What is generated writes null, too.
    final void writeAlone(ServiceKryo kryo, Output output, @Nullable Object value) {
        write(kryo, output, value);
    }

    /** Reads what {@link #writeAlone} wrote. */
    final @Nullable Object readAlone(ServiceKryo kryo, Input input) {
        return read(kryo, input, Object.class);
    }

    /** By the numbers of slots. */
    abstract void take(Serializer<?>[] serializers, int[] numbers, InlineTypeCache[] caches);

    /** Of a declared class that is not registered; whoever has a value of it is told by Kryo. */
    private static final class OfUnknown extends Serializer<Object> {

        @Override
        public void write(Kryo kryo, Output output, Object value) {
            throw new KryoException(kryo.getRegistration(value.getClass()) + " was not known before");
        }

        @Override
        public Object read(Kryo kryo, Input input, Class<?> type) {
            throw new KryoException("the message names " + type.getName() + ", which is not registered");
        }
    }
}
