package io.rdmarpc.service.codec;

import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.service.DetailedFailure;
import io.rdmarpc.service.codec.type.WholeMessage;
import io.rdmarpc.service.contract.ServiceDescription;
import io.rdmarpc.service.contract.ServiceMethod;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.springframework.core.ResolvableType;

/** Serialization of one service: its contract, and a codec for each method. Thread-safe. */
public final class ServiceCodec {

    private final ServiceContract contract;
    private final Map<Integer, MethodCodec> methods = new HashMap<>();

    ServiceCodec(ServiceDescription service, RdmaSerializer serializer, int maxBytes) {
        List<MessageShape> shapes = shapesOf(service);
        ServiceSerializer format = serializer.forService(service, shapes);
        CoderPool pool = new CoderPool(() -> new CoderPool.Entry(format.newCoder(), maxBytes, shapes.size()));
        // Creates a coder now, so that an invalid configuration fails at start-up instead of at the first call.
        pool.release(pool.acquire());
        List<ServiceContract.Type> types = new ArrayList<>(format.types());
        types.addAll(detailedFailures(service));
        this.contract = new ServiceContract(
                service.name(),
                service.methods().stream()
                        .map(method -> new ServiceContract.Method(method.id(), method.signature()))
                        .toList(),
                types);
        Iterator<MessageShape> next = shapes.iterator();
        for (ServiceMethod method : service.methods()) {
            MessageCodec arguments = new MessageCodec(next.next(), pool);
            MessageCodec result = new MessageCodec(next.next(), pool);
            List<DetailedFailure> failures = DetailedFailure.of(method);
            List<MessageCodec> codecs = failures.stream()
                    .map(each -> new MessageCodec(next.next(), pool))
                    .toList();
            methods.put(
                    method.id(),
                    new MethodCodec(
                            method, arguments, result, new FailureCodec(failures, codecs, "the result of " + method)));
        }
    }

    /** Adds failures with fields to the contract, because both sides must agree on the types of the fields. */
    private static List<ServiceContract.Type> detailedFailures(ServiceDescription service) {
        return service.methods().stream()
                .flatMap(method -> DetailedFailure.of(method).stream())
                .map(failure -> new ServiceContract.Type(failure.type().getName(), failure.shape()))
                .distinct()
                .toList();
    }

    /** Returns the messages of each method: its arguments, its result, and its failures with fields. */
    private static List<MessageShape> shapesOf(ServiceDescription service) {
        List<MessageShape> shapes = new ArrayList<>();
        for (ServiceMethod method : service.methods()) {
            List<ResolvableType> arguments = WholeMessage.isArgumentOf(method) ? List.of() : method.parameters();
            List<ResolvableType> result =
                    method.returnsValue() && !WholeMessage.isResultOf(method) ? List.of(method.result()) : List.of();
            shapes.add(new MessageShape(shapes.size(), "the arguments of " + method, arguments));
            shapes.add(new MessageShape(shapes.size(), "the result of " + method, result));
            for (DetailedFailure failure : DetailedFailure.of(method)) {
                List<ResolvableType> values = new ArrayList<>(List.of(ResolvableType.forClass(String.class)));
                failure.fields().forEach(field -> values.add(field.type()));
                shapes.add(new MessageShape(
                        shapes.size(), "the failure " + failure.type().getName() + " of " + method, values));
            }
        }
        return shapes;
    }

    /**
     * Returns the contract that both sides must agree on.
     *
     * @return descriptions of methods and types
     */
    public ServiceContract contract() {
        return contract;
    }

    /**
     * Returns the codec of a method.
     *
     * @param method a method of this service
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
