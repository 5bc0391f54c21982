package io.rdmarpc.service.codec;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.service.ServiceDescription;
import io.rdmarpc.service.ServiceMethod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.core.ResolvableType;

/** Serialization of one service: its contract, and a codec for each of its methods. Any thread. */
public final class ServiceCodec {

    /** Idle coders kept for bursts; one of Kryo is some tens of KiB. */
    private static final int POOLED = 64;

    private final ServiceContract contract;
    private final Map<Integer, MethodCodec> methods = new HashMap<>();

    ServiceCodec(ServiceDescription service, RdmaSerializer serializer, int maxBytes) {
        List<MessageShape> shapes = shapesOf(service);
        ServiceSerializer format = serializer.forService(service, shapes);
        CoderPool pool = new CoderPool(POOLED, () -> new CoderPool.Entry(format.newCoder(), maxBytes));
        // What cannot work shall fail now, not at the first call.
        pool.release(pool.acquire());
        this.contract = new ServiceContract(
                service.name(),
                service.methods().stream()
                        .map(method -> new ServiceContract.Method(method.id(), method.signature()))
                        .toList(),
                format.types());
        for (int i = 0; i < service.methods().size(); i++) {
            ServiceMethod method = service.methods().get(i);
            methods.put(
                    method.id(),
                    new MethodCodec(
                            method,
                            new MessageCodec(shapes.get(2 * i), pool),
                            new MessageCodec(shapes.get(2 * i + 1), pool)));
        }
    }

    /** Of each method its arguments and its result. */
    private static List<MessageShape> shapesOf(ServiceDescription service) {
        List<MessageShape> shapes = new ArrayList<>();
        for (ServiceMethod method : service.methods()) {
            List<ResolvableType> arguments = WholeMessage.isArgumentOf(method) ? List.of() : method.parameters();
            List<ResolvableType> result =
                    method.returnsValue() && !WholeMessage.isResultOf(method) ? List.of(method.result()) : List.of();
            shapes.add(new MessageShape(shapes.size(), "the arguments of " + method, arguments));
            shapes.add(new MessageShape(shapes.size(), "the result of " + method, result));
        }
        return shapes;
    }

    /**
     * Returns what peers must agree on.
     *
     * @return methods and types in words
     */
    public ServiceContract contract() {
        return contract;
    }

    /**
     * Returns the codec of a method.
     *
     * @param method one of this service
     * @return its codec
     */
    public MethodCodec method(ServiceMethod method) {
        MethodCodec codec = methods.get(method.id());
        if (codec == null) {
            throw new IllegalArgumentException(method + " is not a method of " + contract.name());
        }
        return codec;
    }
}
