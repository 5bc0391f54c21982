package io.rdmarpc.service.codec.kryo;

import io.rdmarpc.service.codec.RdmaSerializer;
import io.rdmarpc.service.codec.RegionReferences;
import io.rdmarpc.service.codec.SerializationSettings;
import java.util.List;

/** Kryo formats with and without generated serializers of records. */
public final class KryoFormats {

    private KryoFormats() {}

    public static RdmaSerializer kryo(
            ClassLoader classLoader,
            List<KryoCustomizer> customizers,
            SerializationSettings settings,
            boolean generated) {
        return new KryoRdmaSerializer(classLoader, customizers, settings, RegionReferences.NONE, generated);
    }
}
