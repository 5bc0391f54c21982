package io.rdmarpc.service.contract;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How what a method returns, or its last argument, stands for values that travel. */
public enum ResultShape {
    /** The value itself, or nothing. */
    VALUE,
    /** A {@link CompletableFuture} or {@link CompletionStage} of it. */
    FUTURE,
    /** Reactor's {@code Mono} of it: called when subscribed to. */
    MONO,
    /** A {@link Stream} of values, which travel one by one. */
    STREAM,
    /** An {@link Iterator} of values. */
    ITERATOR,
    /** Reactor's {@code Flux} of values: called when subscribed to. */
    FLUX;

    private static final Map<String, ResultShape> BY_NAME = Map.of(
            CompletableFuture.class.getName(),
            FUTURE,
            CompletionStage.class.getName(),
            FUTURE,
            // By name: Reactor need not be on the class path.
            "reactor.core.publisher.Mono",
            MONO,
            "reactor.core.publisher.Flux",
            FLUX,
            Stream.class.getName(),
            STREAM,
            Iterator.class.getName(),
            ITERATOR);

    /**
     * Finds the shape of a type.
     *
     * @param type what is declared
     * @return its shape, null where it stands for values in a way that cannot travel
     */
    static @Nullable ResultShape of(Class<?> type) {
        ResultShape known = BY_NAME.get(type.getName());
        if (known != null) {
            return known;
        }
        boolean standsForOthers = Future.class.isAssignableFrom(type)
                || CompletionStage.class.isAssignableFrom(type)
                || BaseStream.class.isAssignableFrom(type)
                || isPublisher(type);
        return standsForOthers ? null : VALUE;
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
     * Tells whether it stands for values that travel one by one.
     *
     * @return true for streams, iterators and fluxes
     */
    public boolean isMany() {
        return this == STREAM || this == ITERATOR || this == FLUX;
    }
}
