package io.rdmarpc.service.codec;

import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceDescription;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Creates the codecs of services, one for each service. It has no static state, so that the classes of a restarted
 * application can be unloaded. Thread-safe.
 */
public final class ServiceCodecFactory {

    private final RdmaSerializer serializer;
    private final int maxBytes;
    private final Map<Class<?>, ServiceCodec> codecs = new ConcurrentHashMap<>();

    /**
     * Creates a factory.
     *
     * @param serializer the format
     * @param maxBytes maximum bytes of the arguments or the result of a call
     */
    public ServiceCodecFactory(RdmaSerializer serializer, int maxBytes) {
        this.serializer = serializer;
        this.maxBytes = maxBytes;
    }

    /**
     * Returns the codec of a service.
     *
     * @param service the service
     * @return its codec, the same object for the same interface
     * @throws RdmaInvalidServiceException if a type of its methods is not serializable
     */
    public ServiceCodec codecOf(ServiceDescription service) {
        return codecs.computeIfAbsent(service.type(), type -> new ServiceCodec(service, serializer, maxBytes));
    }
}
