package io.rdmarpc.service.contract;

import io.rdmarpc.rpc.ServiceContract;
import java.lang.reflect.Method;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * A method of a service, with its types resolved against the service's interface.
 *
 * <p>If the last argument is a stream, its elements follow the other arguments, each as the single argument of
 * {@link #elements()}. That method has a codec and an entry in the contract, but no client calls it directly.
 *
 * @param service the service's name
 * @param declaration the Java method
 * @param signature its name and types as in Java, {@code result name(parameters)}; equal in all processes
 * @param id the method id on the wire
 * @param parameters the types of the arguments that are sent with the call: all except a stream
 * @param result the type of the response: the element type of a future or stream, otherwise the type that the method
 *     returns
 * @param shape the shape of the result
 * @param streamedShape the shape of the last argument if it is a stream, otherwise null
 * @param elements the method that describes the elements of that stream, otherwise null
 */
public record ServiceMethod(
        String service,
        Method declaration,
        String signature,
        int id,
        List<ResolvableType> parameters,
        ResolvableType result,
        ResultShape shape,
        @Nullable ResultShape streamedShape,
        @Nullable ServiceMethod elements) {

    static ServiceMethod of(String service, Class<?> type, Method method) {
        requireNoSuspension(type, method);
        List<ResolvableType> declared = IntStream.range(0, method.getParameterCount())
                .mapToObj(index -> ResolvableType.forMethodParameter(method, index, type))
                .toList();
        ResolvableType returned = ResolvableType.forMethodReturnType(method, type);
        ResultShape shape = shapeOf(type, method, returned.toClass());
        String signature = signature(method, declared, returned);
        ResultShape streamed = streamedShape(type, method, declared);
        return new ServiceMethod(
                service,
                method,
                signature,
                ServiceContract.methodId(service, signature),
                streamed == null ? declared : declared.subList(0, declared.size() - 1),
                shape == ResultShape.VALUE ? returned : returned.getGeneric(0),
                shape,
                streamed,
                streamed == null ? null : elementsOf(service, method, signature, declared.getLast()));
    }

    /** Kotlin compiles a suspending function to a method with an additional parameter. */
    private static void requireNoSuspension(Class<?> type, Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        if (parameters.length > 0
                && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation")) {
            throw new RdmaInvalidServiceException(
                    type.getName() + "." + method.getName()
                            + " is a suspending function, which has no result that could be sent",
                    "Return a CompletableFuture or a Mono, and await it with kotlinx-coroutines");
        }
    }

    private static ServiceMethod elementsOf(String service, Method method, String signature, ResolvableType streamed) {
        ResolvableType element = streamed.getGeneric(0);
        String own = "void element(" + element + ") of " + signature;
        return new ServiceMethod(
                service,
                method,
                own,
                ServiceContract.methodId(service, own),
                List.of(element),
                ResolvableType.forClass(void.class),
                ResultShape.VALUE,
                null,
                null);
    }

    /**
     * Returns the shape of the result. Rejects unsupported asynchronous types, which could only be serialized as
     * objects.
     */
    private static ResultShape shapeOf(Class<?> type, Method method, Class<?> returned) {
        ResultShape shape = ResultShape.of(returned);
        if (shape == null) {
            throw new RdmaInvalidServiceException(
                    type.getName() + "." + method.getName() + " returns " + returned.getName()
                            + ", which cannot be sent as one response",
                    "Return a value, void, CompletableFuture, CompletionStage, Stream or Iterator, or Reactor's Mono"
                            + " or Flux");
        }
        return shape;
    }

    private static @Nullable ResultShape streamedShape(Class<?> type, Method method, List<ResolvableType> declared) {
        ResultShape streamed = null;
        for (int i = 0; i < declared.size(); i++) {
            ResultShape shape = ResultShape.of(declared.get(i).toClass());
            if (shape == null || (shape != ResultShape.VALUE && !(shape.isMany() && i == declared.size() - 1))) {
                throw new RdmaInvalidServiceException(
                        type.getName() + "." + method.getName() + " has a "
                                + declared.get(i).toClass().getName() + " as argument " + (i + 1)
                                + ", which cannot be sent there",
                        "Use a value; only the last argument may be a Stream, an Iterator or a Flux");
            }
            streamed = shape.isMany() ? shape : null;
        }
        return streamed;
    }

    private static String signature(Method method, List<ResolvableType> parameters, ResolvableType returned) {
        return parameters.stream()
                .map(ResolvableType::toString)
                .collect(Collectors.joining(", ", returned + " " + method.getName() + "(", ")"));
    }

    /** Returns this method, followed by that of its elements if it has one. */
    Stream<ServiceMethod> withElements() {
        return elements == null ? Stream.of(this) : Stream.of(this, elements);
    }

    /**
     * Returns the name of the method.
     *
     * @return the name without types
     */
    public String name() {
        return declaration.getName();
    }

    /**
     * Returns whether the method returns before its result is available.
     *
     * @return true for {@code Mono} and futures
     */
    public boolean asynchronous() {
        return shape == ResultShape.FUTURE || shape == ResultShape.MONO;
    }

    /**
     * Returns whether a call is a stream of messages, in one direction or both.
     *
     * @return true if elements of the result or of the last argument are sent one by one
     */
    public boolean streaming() {
        return shape.isMany() || elements != null;
    }

    /**
     * Returns whether a response contains a value.
     *
     * @return false for {@code void} and {@code Void}
     */
    public boolean returnsValue() {
        Class<?> type = result.toClass();
        return type != void.class && type != Void.class;
    }

    /** Returns the names of the service and the method. */
    @Override
    public String toString() {
        return service + "." + name();
    }
}
