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
 * <p>Where the last argument is a stream its elements travel behind the other arguments, each as the one argument of {@link
 * #elements()}: a method that has a codec and a place in the contract, but that nobody calls.
 *
 * @param service the service's name
 * @param declaration the method that is called
 * @param signature its types and name as in Java, {@code result name(parameters)}; the same in every process
 * @param id the number it is called by
 * @param parameters the types of the arguments that travel at once: all but a stream
 * @param result the type that travels back: what a future completes with, what a stream is of, or what the method returns
 * @param shape what the method returns
 * @param streamedShape what the last argument is when it is a stream, else null
 * @param elements how the elements of that stream travel, else null
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

    /** Kotlin compiles a suspending function to a method that takes one argument more. */
    private static void requireNoSuspension(Class<?> type, Method method) {
        Class<?>[] parameters = method.getParameterTypes();
        if (parameters.length > 0
                && parameters[parameters.length - 1].getName().equals("kotlin.coroutines.Continuation")) {
            throw new RdmaInvalidServiceException(
                    type.getName() + "." + method.getName()
                            + " is a suspending function, which has no result that could" + " travel",
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

    /** A call has one answer or a stream; what stands for many in another way would arrive as something that never ends. */
    private static ResultShape shapeOf(Class<?> type, Method method, Class<?> returned) {
        ResultShape shape = ResultShape.of(returned);
        if (shape == null) {
            throw new RdmaInvalidServiceException(
                    type.getName() + "." + method.getName() + " returns " + returned.getName()
                            + ", which cannot travel as one answer",
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
                        type.getName() + "." + method.getName() + " takes a "
                                + declared.get(i).toClass().getName() + " as its argument " + (i + 1)
                                + ", which cannot travel there",
                        "Take a value; a Stream, an Iterator or a Flux as the last argument");
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

    /** This method, and that of its elements. */
    Stream<ServiceMethod> withElements() {
        return elements == null ? Stream.of(this) : Stream.of(this, elements);
    }

    /**
     * Returns the method's name.
     *
     * @return the name without types
     */
    public String name() {
        return declaration.getName();
    }

    /**
     * Tells whether the method returns before its result is there.
     *
     * @return true for futures and Mono
     */
    public boolean asynchronous() {
        return shape == ResultShape.FUTURE || shape == ResultShape.MONO;
    }

    /**
     * Tells whether a call is a stream of messages, in one direction or both.
     *
     * @return true where elements of the result or of the last argument travel one by one
     */
    public boolean streaming() {
        return shape.isMany() || elements != null;
    }

    /**
     * Tells whether an answer carries a value.
     *
     * @return false for {@code void} and {@code Void}
     */
    public boolean returnsValue() {
        Class<?> type = result.toClass();
        return type != void.class && type != Void.class;
    }

    /** Names the service and the method. */
    @Override
    public String toString() {
        return service + "." + name();
    }
}
