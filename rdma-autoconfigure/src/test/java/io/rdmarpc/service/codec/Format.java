package io.rdmarpc.service.codec;

import io.rdmarpc.service.codec.json.JsonRdmaSerializer;
import io.rdmarpc.service.codec.kryo.KryoFormats;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import java.util.List;
import tools.jackson.databind.json.JsonMapper;

/** The formats of a service's values. */
enum Format {
    GENERATED {
        @Override
        RdmaSerializer serializer() {
            return kryo(SerializationSettings.DEFAULTS, true);
        }
    },
    REFLECTIVE {
        @Override
        RdmaSerializer serializer() {
            return kryo(SerializationSettings.DEFAULTS, false);
        }
    },
    REFERENCES {
        @Override
        RdmaSerializer serializer() {
            return new KryoRdmaSerializer(
                    Format.class.getClassLoader(),
                    List.of(kryo -> kryo.setReferences(true)),
                    SerializationSettings.DEFAULTS);
        }
    },
    EVOLVING {
        @Override
        RdmaSerializer serializer() {
            return kryo(SerializationSettings.DEFAULTS.withEvolution(Evolution.COMPATIBLE), true);
        }
    },
    JSON {
        @Override
        RdmaSerializer serializer() {
            return new JsonRdmaSerializer(JsonMapper.builder().build(), SerializationSettings.DEFAULTS);
        }
    };

    abstract RdmaSerializer serializer();

    CodecFixture fixture(Class<?> service) {
        return new CodecFixture(service, serializer());
    }

    private static RdmaSerializer kryo(SerializationSettings settings, boolean generated) {
        return KryoFormats.kryo(Format.class.getClassLoader(), List.of(), settings, generated);
    }
}
