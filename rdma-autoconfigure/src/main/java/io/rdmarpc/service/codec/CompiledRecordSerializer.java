package io.rdmarpc.service.codec;

import com.esotericsoftware.kryo.Serializer;
import java.util.List;

/** What {@link RecordCompiler} makes: it takes what it needs of its Kryo into fields of its own, one or none for each place. */
abstract class CompiledRecordSerializer extends RecordSerializer {

    CompiledRecordSerializer(Members members) {
        super(members);
    }

    @Override
    public final void link(ServiceKryo kryo) {
        List<Place> places = Place.all(Place.of(members()));
        Serializer<?>[] serializers = new Serializer<?>[places.size()];
        LastClass[] last = new LastClass[places.size()];
        for (Place place : places) {
            switch (place.kind()) {
                case FINAL -> serializers[place.number()] = kryo.getSerializer(place.type());
                case OPEN -> last[place.number()] = new LastClass();
                case PRIMITIVE, TEXT -> {}
            }
        }
        take(serializers, last);
    }

    /** By the numbers of places. */
    abstract void take(Serializer<?>[] serializers, LastClass[] last);
}
