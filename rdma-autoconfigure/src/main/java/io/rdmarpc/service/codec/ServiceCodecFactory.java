package io.rdmarpc.service.codec;

import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceDescription;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Makes the codecs of services, one for each. Any thread. Holds no state outside itself, so that the classes of a restarted
 * application are forgotten with it.
 */
public final class ServiceCodecFactory {

    private final RdmaSerializer serializer;
    private final int maxBytes;
    private final Map<Class<?>, ServiceCodec> codecs = new ConcurrentHashMap<>();

    /**
     * Creates a factory.
     *
     * @param serializer the format
     * @param maxBytes most bytes of the arguments or the result of a call
     */
    public ServiceCodecFactory(RdmaSerializer serializer, int maxBytes) {
        this.serializer = serializer;
        this.maxBytes = maxBytes;
    }

    /**
     * Returns the codec of a service.
     *
     * @param service the service
     * @return its codec, the same for the same interface
     * @throws RdmaInvalidServiceException when a type of its methods cannot travel
     */
    public ServiceCodec codecOf(ServiceDescription service) {
        return codecs.computeIfAbsent(service.type(), type -> new ServiceCodec(service, serializer, maxBytes));
    }
}
