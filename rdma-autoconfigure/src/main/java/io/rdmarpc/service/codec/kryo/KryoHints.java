package io.rdmarpc.service.codec.kryo;

import com.esotericsoftware.kryo.Kryo;
import io.rdmarpc.service.codec.kryo.value.StandardSerializers;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.util.ClassUtils;

/** Registers hints for a native image: the serializers of standard types that Kryo instantiates by reflection. */
final class KryoHints implements RuntimeHintsRegistrar {

    KryoHints() {}

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        if (ClassUtils.isPresent("com.esotericsoftware.kryo.Kryo", classLoader)) {
            Serializers.register(hints);
        }
    }

    /** Loaded only if Kryo is on the class path. */
    private static final class Serializers {

        static void register(RuntimeHints hints) {
            Kryo kryo = new Kryo();
            for (Class<?> type : StandardSerializers.madeByKryo()) {
                hints.reflection()
                        .registerType(
                                kryo.getDefaultSerializer(type).getClass(),
                                MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
            }
        }
    }
}
