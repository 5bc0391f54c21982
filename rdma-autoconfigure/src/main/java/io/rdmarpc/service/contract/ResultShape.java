package io.rdmarpc.service.contract;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The shape of a result or of the last argument: a single value, or a type that provides one or more values later. */
public enum ResultShape {
    /** The value itself, or no value. */
    VALUE,
    /** A {@link CompletableFuture} or {@link CompletionStage} of a value. */
    FUTURE,
    /** A Reactor {@code Mono} of a value; each subscription makes a call. */
    MONO,
    /** A {@link Stream} of values, which are sent one by one. */
    STREAM,
    /** An {@link Iterator} of values, which are sent one by one. */
    ITERATOR,
    /** A Reactor {@code Flux} of values, which are sent one by one; each subscription makes a call. */
    FLUX;

    private static final Map<String, ResultShape> BY_NAME = Map.of(
            CompletableFuture.class.getName(),
            FUTURE,
            CompletionStage.class.getName(),
            FUTURE,
            // Matches by name, because Reactor is optional on the class path.
            "reactor.core.publisher.Mono",
            MONO,
            "reactor.core.publisher.Flux",
            FLUX,
            Stream.class.getName(),
            STREAM,
            Iterator.class.getName(),
            ITERATOR);

    /**
     * Returns the shape of a type.
     *
     * @param type the declared type
     * @return the shape, null for a type that provides values in an unsupported way
     */
    static @Nullable ResultShape of(Class<?> type) {
        ResultShape known = BY_NAME.get(type.getName());
        if (known != null) {
            return known;
        }
        boolean providesValues = Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || BaseStream.class.isAssignableFrom(type)
                || isPublisher(type);
        return providesValues ? null : VALUE;
    }

    private static boolean isPublisher(Class<?> type) {
        if (type.getName().equals("org.reactivestreams.Publisher")
                || type.getName().equals("java.util.concurrent.Flow$Publisher")) {
            return true;
        }
        for (Class<?> parent : type.getInterfaces()) {
            if (isPublisher(parent)) {
                return true;
            }
        }
        return type.getSuperclass() != null && isPublisher(type.getSuperclass());
    }

    /**
     * Returns whether the shape has several values, which are sent one by one.
     *
     * @return true for streams, iterators and fluxes
     */
    public boolean isMany() {
        return this == STREAM || this == ITERATOR || this == FLUX;
    }
}
