package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.Registration;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@link RecordCompiler} makes: it takes what it needs of its Kryo into fields of its own, some or none for each place. */
abstract class CompiledRecordSerializer extends RecordSerializer {

    /** No class has it. */
    private static final int NO_NUMBER = -1;

    CompiledRecordSerializer(Members members) {
        super(members);
    }

    @Override
    public final void link(ServiceKryo kryo) {
        List<Place> places = Place.all(Place.of(members()));
        Serializer<?>[] serializers = new Serializer<?>[places.size()];
        int[] numbers = new int[places.size()];
        LastClass[] last = new LastClass[places.size()];
        for (Place place : places) {
            int at = place.number();
            switch (place.kind()) {
                case FINAL -> serializers[at] = kryo.getSerializer(place.type());
                case OPEN -> {
                    last[at] = new LastClass(place.type());
                    Registration expected = kryo.getClassResolver().getRegistration(place.type());
                    serializers[at] = expected == null ? new OfUnknown() : expected.getSerializer();
                    numbers[at] = expected == null ? NO_NUMBER : expected.getId() + ServiceClassResolver.FIRST_NUMBER;
                }
                case PRIMITIVE, TEXT -> {}
            }
        }
        take(serializers, numbers, last);
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

    /** By the numbers of places. */
    abstract void take(Serializer<?>[] serializers, int[] numbers, LastClass[] last);

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
