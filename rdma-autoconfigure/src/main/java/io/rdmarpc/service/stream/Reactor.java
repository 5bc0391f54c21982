package io.rdmarpc.service.stream;

import io.rdmarpc.service.CallContext;
import io.rdmarpc.service.CurrentCall;
import io.rdmarpc.service.ServerCallContext;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;
import reactor.core.publisher.Sinks;
import reactor.core.publisher.SynchronousSink;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.context.ContextView;

/** All code that needs Reactor on the class path; loaded only for methods with a Mono or Flux. */
public final class Reactor {

    /** Number of elements that are requested from a flux before earlier ones were sent. */
    private static final int PREFETCH = 8;

    /** A virtual thread for each subscription, because waiting for an element blocks. */
    private static final Scheduler WAITING =
            Schedulers.fromExecutor(task -> Thread.ofVirtual().name("rdma-flux").start(task), true);

    private Reactor() {}

    /**
     * Converts a flux into elements. It reads signals instead of elements, because an error would otherwise overtake
     * elements that were not read yet. Cancelling completes the flux: closing Reactor's stream from another thread does
     * not wake a thread that waits for its next element.
     */
    static Elements elementsOf(Object source) {
        Sinks.Empty<Object> cancelled = Sinks.empty();
        Stream<? extends Signal<?>> signals = ((Flux<?>) source)
                .takeUntilOther(cancelled.asMono())
                .materialize()
                .toStream(PREFETCH);
        return new Elements(new SignalIterator(signals.iterator()), signals::close, cancelled::tryEmitEmpty);
    }

    /** The elements of a flux, followed by its end or failure. */
    private static final class SignalIterator implements Iterator<@Nullable Object> {

        private final Iterator<? extends Signal<?>> signals;
        private @Nullable Signal<?> next;

        SignalIterator(Iterator<? extends Signal<?>> signals) {
            this.signals = signals;
        }

        @Override
        public boolean hasNext() {
            if (next == null && signals.hasNext()) {
                next = signals.next();
            }
            Signal<?> signal = next;
            if (signal == null) {
                return false;
            }
            Throwable failure = signal.getThrowable();
            if (failure != null) {
                throw Exceptions.propagate(failure);
            }
            return signal.isOnNext();
        }

        @Override
        public @Nullable Object next() {
            Signal<?> signal = hasNext() ? next : null;
            if (signal == null) {
                throw new NoSuchElementException("The flux has ended");
            }
            next = null;
            return signal.get();
        }
    }

    /**
     * Returns a flux of elements that a thread waits for. Elements are read as the subscriber requests them. Cancelling
     * closes the source, even while a thread waits for it.
     *
     * @param open opens the elements of one subscription, and may block
     * @return a flux that opens new elements for each subscription
     */
    public static Flux<Object> fluxOf(Callable<Elements> open) {
        return Flux.using(
                        () -> new Subscription(open.call()),
                        subscription -> Flux.generate(subscription::next),
                        Subscription::close)
                .subscribeOn(WAITING);
    }

    /** A subscription to elements. After a cancellation it ignores the failure of the thread that was waiting. */
    private static final class Subscription {

        private final Elements elements;
        private volatile boolean closed;

        Subscription(Elements elements) {
            this.elements = elements;
        }

        void next(SynchronousSink<Object> sink) {
            try {
                Iterator<?> iterator = elements.iterator();
                if (iterator.hasNext()) {
                    sink.next(iterator.next());
                } else {
                    sink.complete();
                }
            } catch (RuntimeException e) {
                if (!closed) {
                    throw e;
                }
                sink.complete();
            }
        }

        void close() {
            closed = true;
            elements.close();
        }
    }

    /**
     * Returns a mono that makes a call for each subscription.
     *
     * @param call starts a call; cancelling its future cancels the call
     * @return a mono that is empty if the future completes with null
     */
    public static Mono<Object> monoOf(Supplier<CompletableFuture<@Nullable Object>> call) {
        return Mono.fromFuture(call);
    }

    /**
     * Defers the creation of a mono until it is subscribed to.
     *
     * @param maker creates the mono, once for each subscription
     * @return not null
     */
    public static Object deferMono(CallContext.Next maker) {
        return Mono.deferContextual(context -> (Mono<?>) create(context, maker));
    }

    /**
     * Defers the creation of a flux until it is subscribed to.
     *
     * @param maker creates the flux, once for each subscription
     * @return not null
     */
    public static Object deferFlux(CallContext.Next maker) {
        return Flux.deferContextual(context -> (Flux<?>) create(context, maker));
    }

    /** Runs the maker as part of the served call, so that nested calls on Reactor's threads inherit its context. */
    private static Object create(ContextView context, CallContext.Next maker) {
        ServerCallContext served = context.getOrDefault(ServerCallContext.class, null);
        try {
            Object publisher = served == null ? maker.proceed() : CurrentCall.with(served, maker);
            if (publisher == null) {
                throw new IllegalStateException("An interceptor returned null instead of a Mono or Flux");
            }
            return publisher;
        } catch (Throwable e) {
            throw Exceptions.propagate(e);
        }
    }

    /**
     * Reports the end of a mono or flux.
     *
     * @param publisher a mono or flux
     * @param listener receives null for completion, or the failure; cancelling completes a flux and fails a mono
     * @return the same signals
     */
    public static Object whenEnded(Object publisher, Consumer<@Nullable Throwable> listener) {
        return publisher instanceof Mono<?> mono
                ? mono.doOnSuccess(_ -> listener.accept(null))
                        .doOnError(listener)
                        .doOnCancel(() -> listener.accept(new CancellationException("The subscriber cancelled")))
                : ((Flux<?>) publisher)
                        .doOnComplete(() -> listener.accept(null))
                        .doOnError(listener)
                        .doOnCancel(() -> listener.accept(null));
    }

    /**
     * Subscribes to a mono whose value is the response of a call.
     *
     * @param mono the result of a method
     * @param call added to the context, along with the thread's context if the context propagation library is present
     * @return completes with the value; cancelling it cancels the subscription
     */
    public static CompletionStage<?> subscribe(Object mono, ServerCallContext call) {
        return ((Mono<?>) mono)
                .contextCapture()
                .contextWrite(context -> context.put(ServerCallContext.class, call))
                .toFuture();
    }

    /**
     * Adds a call to the context of a flux whose elements are its response.
     *
     * @param flux the result of a method
     * @param call added to the context, along with the context of the thread that subscribes
     * @return the same elements
     */
    public static Object within(Object flux, ServerCallContext call) {
        return ((Flux<?>) flux).contextCapture().contextWrite(context -> context.put(ServerCallContext.class, call));
    }
}
