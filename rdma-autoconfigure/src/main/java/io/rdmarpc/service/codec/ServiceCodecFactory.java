package io.rdmarpc.service.codec;

import io.rdmarpc.service.InvalidServiceException;
import io.rdmarpc.service.ServiceDescription;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes the codecs of services, one for each. Any thread. Holds no state outside itself, so that the classes of a restarted
 * application are forgotten with it.
 */
public final class ServiceCodecFactory {

    static {
        // Before the first class of Kryo loads: without it, JDK 25 warns about sun.misc.Unsafe. A user's own setting
        // wins.
        if (System.getProperty("kryo.unsafe") == null) {
            System.setProperty("kryo.unsafe", "false");
        }
    }

    private final ClassLoader classLoader;
    private final List<KryoCustomizer> customizers;
    private final Map<Class<?>, ServiceCodec> codecs = new ConcurrentHashMap<>();

    /**
     * Creates a factory.
     *
     * @param classLoader the application's, which sees the classes of its services
     * @param customizers applied to every Kryo, in this order
     */
    public ServiceCodecFactory(ClassLoader classLoader, List<KryoCustomizer> customizers) {
        this.classLoader = classLoader;
        this.customizers = List.copyOf(customizers);
    }

    /**
     * Returns the codec of a service.
     *
     * @param service the service
     * @return its codec, the same for the same interface
     * @throws InvalidServiceException when a type of its methods cannot travel
     */
    public ServiceCodec codecOf(ServiceDescription service) {
        return codecs.computeIfAbsent(
                service.type(),
                type -> new ServiceCodec(service, new KryoBlueprint(service, classLoader, customizers)));
    }
}
