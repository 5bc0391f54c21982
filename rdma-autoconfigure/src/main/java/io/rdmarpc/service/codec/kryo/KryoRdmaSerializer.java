package io.rdmarpc.service.codec.kryo;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.service.codec.MessageCoder;
import io.rdmarpc.service.codec.MessageShape;
import io.rdmarpc.service.codec.RdmaSerializer;
import io.rdmarpc.service.codec.RegionReferences;
import io.rdmarpc.service.codec.SerializationSettings;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.ServiceSerializer;
import io.rdmarpc.service.codec.kryo.value.ServiceKryo;
import io.rdmarpc.service.codec.record.RecordSerializers;
import io.rdmarpc.service.contract.ServiceDescription;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** The message format of Kryo. It has no static state. Thread-safe. */
public final class KryoRdmaSerializer implements RdmaSerializer {

    static {
        // Must precede the load of Kryo's first class. Otherwise JDK 25 warns about sun.misc.Unsafe. A value set by
        // the user is kept.
        if (System.getProperty("kryo.unsafe") == null) {
            System.setProperty("kryo.unsafe", "false");
        }
    }

    private final ClassLoader classLoader;
    private final List<KryoCustomizer> customizers;
    private final SerializationSettings settings;
    private final RegionReferences references;
    private final boolean generated;

    /**
     * Creates the format without memory regions.
     *
     * @param classLoader the application's class loader, which sees the classes of its services
     * @param customizers customizers of every Kryo, in this order
     * @param settings limits and evolution
     */
    public KryoRdmaSerializer(
            ClassLoader classLoader, List<KryoCustomizer> customizers, SerializationSettings settings) {
        this(classLoader, customizers, settings, RegionReferences.NONE);
    }

    /**
     * Creates the format with memory regions.
     *
     * @param classLoader the application's class loader, which sees the classes of its services
     * @param customizers customizers of every Kryo, in this order
     * @param settings limits and evolution
     * @param references conversion of regions to tokens
     */
    public KryoRdmaSerializer(
            ClassLoader classLoader,
            List<KryoCustomizer> customizers,
            SerializationSettings settings,
            RegionReferences references) {
        this(classLoader, customizers, settings, references, RecordSerializers.canGenerate());
    }

    KryoRdmaSerializer(
            ClassLoader classLoader,
            List<KryoCustomizer> customizers,
            SerializationSettings settings,
            RegionReferences references,
            boolean generated) {
        this.classLoader = classLoader;
        this.customizers = List.copyOf(customizers);
        this.settings = settings;
        this.references = references;
        this.generated = generated;
    }

    /**
     * Returns a factory of codecs for Kryo with default settings.
     *
     * @param classLoader the application's class loader, which sees the classes of its services
     * @param customizers customizers of every Kryo, in this order
     * @return a new factory
     */
    public static ServiceCodecFactory codecFactory(ClassLoader classLoader, List<KryoCustomizer> customizers) {
        return new ServiceCodecFactory(
                new KryoRdmaSerializer(classLoader, customizers, SerializationSettings.DEFAULTS),
                SerializationSettings.DEFAULTS.maxBytes());
    }

    @Override
    public ServiceSerializer forService(ServiceDescription service, List<MessageShape> shapes) {
        KryoBlueprint blueprint = new KryoBlueprint(service, classLoader, customizers, settings, references, generated);
        ServiceKryo first = blueprint.newKryo();
        List<ServiceContract.Type> types = blueprint.describe(first);
        AtomicReference<@Nullable ServiceKryo> unused = new AtomicReference<>(first);
        return new ServiceSerializer() {
            @Override
            public List<ServiceContract.Type> types() {
                return types;
            }

            @Override
            public MessageCoder newCoder() {
                ServiceKryo kryo = unused.getAndSet(null);
                return new KryoCoder(kryo != null ? kryo : blueprint.newKryo(), blueprint.records(), shapes);
            }
        };
    }
}
