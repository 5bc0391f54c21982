package io.rdmarpc.service.client;

import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The stream of a {@link RemoteIterator}. It ends once: with its last element, with a failure, or when its user
 * closes it. It also ends when the iterator becomes unreachable or the call's deadline passes, because received
 * elements that no thread consumes occupy memory of the NIC. Thread-safe.
 */
final class OpenStream {

    private static final Cleaner CLEANER = Cleaner.create();

    private final ClientCall call;
    private final BlockingStream stream;
    private final @Nullable ElementPump pump;
    private final AtomicBoolean ended = new AtomicBoolean();

    OpenStream(ClientCall call, BlockingStream stream, @Nullable ElementPump pump) {
        this.call = call;
        this.stream = stream;
        this.pump = pump;
        stream.whenFailed(this::overdue);
    }

    /**
     * Ends the stream when the iterator becomes unreachable. The caller calls {@code clean} on the result after the
     * stream has ended for another reason.
     */
    Cleaner.Cleanable endWith(RemoteIterator iterator) {
        return CLEANER.register(iterator, this::unreachable);
    }

    BlockingStream stream() {
        return stream;
    }

    ClientCall call() {
        return call;
    }

    @Nullable
    ElementPump pump() {
        return pump;
    }

    boolean isEnded() {
        return ended.get();
    }

    /** Marks the stream as ended. Returns true for the first call only. */
    boolean end() {
        return ended.compareAndSet(false, true);
    }

    void release() {
        if (pump != null) {
            pump.stop();
        }
        stream.close();
    }

    private void unreachable() {
        if (end()) {
            // Listeners are code of the application, and all iterators share the cleaner's thread.
            Thread.ofVirtual().start(() -> {
                release();
                call.end(RpcStatus.CANCELLED, null);
            });
        }
    }

    /**
     * Runs on the polling thread. A consumer receives the stream's failure. Elements that have arrived are released.
     */
    private void overdue() {
        if (call.remainingNanos() <= 0) {
            Thread.ofVirtual().start(() -> {
                stream.close();
                var _ = call.failed(new RdmaTimeoutException(
                        "the stream did not end within its timeout of " + Duration.ofNanos(call.timeoutNanos())));
            });
        }
    }
}
