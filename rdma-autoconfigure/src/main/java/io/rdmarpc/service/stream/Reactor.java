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

/** Everything that needs Reactor on the class path; loaded where a method has a Mono or Flux. */
public final class Reactor {

    /** How many elements a flux is asked for before those of before were sent. */
    private static final int PREFETCH = 8;

    /** Waiting for an element keeps a thread. */
    private static final Scheduler WAITING =
            Schedulers.fromExecutor(task -> Thread.ofVirtual().name("rdma-flux").start(task), true);

    private Reactor() {}

    /**
     * Signals, because an error would overtake the elements before it that nobody has taken yet. Cancelling ends the flux:
     * closing a stream of Reactor's from another thread does not wake who waits for its next element.
     */
    static Elements elementsOf(Object source) {
        Sinks.Empty<Object> cancelled = Sinks.empty();
        Stream<? extends Signal<?>> signals = ((Flux<?>) source)
                .takeUntilOther(cancelled.asMono())
                .materialize()
                .toStream(PREFETCH);
        return new Elements(new SignalIterator(signals.iterator()), signals::close, cancelled::tryEmitEmpty);
    }

    /** The elements of a flux, then its end. */
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
                throw new NoSuchElementException("the flux has ended");
            }
            next = null;
            return signal.get();
        }
    }

    /**
     * Makes a flux of elements that a thread waits for. Elements are taken as the subscriber asks for them; cancelling closes
     * their source, also while it is waited for.
     *
     * @param open gives the elements of one subscription, and may wait
     * @return subscribed to as often as elements can be opened
     */
    public static Flux<Object> fluxOf(Callable<Elements> open) {
        return Flux.using(() -> new Taking(open.call()), taking -> Flux.generate(taking::next), Taking::close)
                .subscribeOn(WAITING);
    }

    /** One subscription to elements; what a wait ends with after it was cancelled is nobody's. */
    private static final class Taking {

        private final Elements elements;
        private volatile boolean closed;

        Taking(Elements elements) {
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
     * Makes a mono that calls when it is subscribed to.
     *
     * @param call starts a call; cancelling its future cancels the call
     * @return empty where the future ends with null
     */
    public static Mono<Object> monoOf(Supplier<CompletableFuture<@Nullable Object>> call) {
        return Mono.fromFuture(call);
    }

    /**
     * Puts off what makes a mono until it is subscribed to.
     *
     * @param maker makes it, once for each subscription
     * @return not null
     */
    public static Object deferMono(CallContext.Next maker) {
        return Mono.deferContextual(context -> (Mono<?>) made(context, maker));
    }

    /**
     * Puts off what makes a flux until it is subscribed to.
     *
     * @param maker makes it, once for each subscription
     * @return not null
     */
    public static Object deferFlux(CallContext.Next maker) {
        return Flux.deferContextual(context -> (Flux<?>) made(context, maker));
    }

    /** A call that is made while one is answered belongs to it, also on a thread of Reactor's. */
    private static Object made(ContextView context, CallContext.Next maker) {
        ServerCallContext answered = context.getOrDefault(ServerCallContext.class, null);
        try {
            Object made = answered == null ? maker.proceed() : CurrentCall.with(answered, maker);
            if (made == null) {
                throw new IllegalStateException("an interceptor returned null instead of a Mono or Flux");
            }
            return made;
        } catch (Throwable e) {
            throw Exceptions.propagate(e);
        }
    }

    /**
     * Tells how a mono or flux ends.
     *
     * @param publisher a mono or flux
     * @param listener gets null for its end, or the failure; a flux that is cancelled has ended, a mono has failed
     * @return the same signals
     */
    public static Object whenEnded(Object publisher, Consumer<@Nullable Throwable> listener) {
        return publisher instanceof Mono<?> mono
                ? mono.doOnSuccess(_ -> listener.accept(null))
                        .doOnError(listener)
                        .doOnCancel(() -> listener.accept(new CancellationException("the subscriber has cancelled")))
                : ((Flux<?>) publisher)
                        .doOnComplete(() -> listener.accept(null))
                        .doOnError(listener)
                        .doOnCancel(() -> listener.accept(null));
    }

    /**
     * Subscribes to a mono, for a call that is answered with its value.
     *
     * @param mono what a method has returned
     * @param call in its context, beside what this thread has for it where the context propagation library is there
     * @return its value; cancelling it cancels the subscription
     */
    public static CompletionStage<?> subscribe(Object mono, ServerCallContext call) {
        return ((Mono<?>) mono)
                .contextCapture()
                .contextWrite(context -> context.put(ServerCallContext.class, call))
                .toFuture();
    }

    /**
     * Gives a flux the context of a call that is answered with its elements.
     *
     * @param flux what a method has returned
     * @param call in its context, beside what the thread that subscribes has for it
     * @return the same elements
     */
    public static Object within(Object flux, ServerCallContext call) {
        return ((Flux<?>) flux).contextCapture().contextWrite(context -> context.put(ServerCallContext.class, call));
    }
}
