package io.rdmarpc.service;

import io.rdmarpc.rpc.ServiceContract;
import java.lang.reflect.Method;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.springframework.core.ResolvableType;

/**
 * A method of a service, with its types resolved against the service's interface.
 *
 * @param service the service's name
 * @param declaration the method that is called
 * @param signature its types and name as in Java, {@code result name(parameters)}; the same in every process
 * @param id the number it is called by
 * @param parameters the parameters' types
 * @param result the type that travels back: what a future completes with, what a stream is of, or what the method returns
 * @param asynchronous whether the method returns a future
 * @param streaming whether the method returns a {@link Stream} or an {@link Iterator}, whose elements travel one by one
 */
public record ServiceMethod(
        String service,
        Method declaration,
        String signature,
        int id,
        List<ResolvableType> parameters,
        ResolvableType result,
        boolean asynchronous,
        boolean streaming) {

    static ServiceMethod of(String service, Class<?> type, Method method) {
        List<ResolvableType> parameters = IntStream.range(0, method.getParameterCount())
                .mapToObj(index -> ResolvableType.forMethodParameter(method, index, type))
                .toList();
        ResolvableType returned = ResolvableType.forMethodReturnType(method, type);
        requireOneValue(type, method, returned.toClass());
        boolean asynchronous = isFuture(returned.toClass());
        boolean streaming = isStream(returned.toClass());
        String signature = signature(method, parameters, returned);
        return new ServiceMethod(
                service,
                method,
                signature,
                ServiceContract.methodId(service, signature),
                parameters,
                asynchronous || streaming ? returned.getGeneric(0) : returned,
                asynchronous,
                streaming);
    }

    private static boolean isFuture(Class<?> returned) {
        return returned == CompletableFuture.class || returned == CompletionStage.class;
    }

    private static boolean isStream(Class<?> returned) {
        return returned == Stream.class || returned == Iterator.class;
    }

    /** A call has one answer; what stands for many, or for none yet, would arrive as something that never ends. */
    private static void requireOneValue(Class<?> type, Method method, Class<?> returned) {
        boolean oneValue = isFuture(returned)
                || isStream(returned)
                || !(Future.class.isAssignableFrom(returned)
                        || CompletionStage.class.isAssignableFrom(returned)
                        || BaseStream.class.isAssignableFrom(returned)
                        || isPublisher(returned));
        if (!oneValue) {
            throw new InvalidServiceException(
                    type.getName() + "." + method.getName() + " returns " + returned.getName()
                            + ", which cannot travel as one answer",
                    "Return a value, void, CompletableFuture, CompletionStage, Stream or Iterator");
        }
    }

    /** By name: Reactive Streams need not be on the class path. */
    private static boolean isPublisher(Class<?> type) {
        return type.getName().equals("org.reactivestreams.Publisher")
                || type.getName().equals("java.util.concurrent.Flow$Publisher")
                || (type.getSuperclass() != null && isPublisher(type.getSuperclass()))
                || List.of(type.getInterfaces()).stream().anyMatch(ServiceMethod::isPublisher);
    }

    private static String signature(Method method, List<ResolvableType> parameters, ResolvableType returned) {
        return parameters.stream()
                .map(ResolvableType::toString)
                .collect(Collectors.joining(", ", returned + " " + method.getName() + "(", ")"));
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
