package io.rdmarpc.service.client;

import io.rdmarpc.rpc.BlockingStream;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What is behind a {@link RemoteIterator}: ended once, by its last element, a failure or its user. A user who has dropped
 * the iterator ends it too, and so does the call's time: elements that have come and that nobody takes would keep memory of
 * the NIC. Any thread.
 */
final class OpenStream {

    private static final Cleaner DROPPED = Cleaner.create();

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

    /** Ends it when nobody holds its iterator any more; the result is cleaned when it has ended by itself. */
    Cleaner.Cleanable endWith(RemoteIterator iterator) {
        return DROPPED.register(iterator, this::dropped);
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

    /** True for the first one. */
    boolean end() {
        return ended.compareAndSet(false, true);
    }

    void release() {
        if (pump != null) {
            pump.stop();
        }
        stream.close();
    }

    private void dropped() {
        if (end()) {
            // Listeners are the user's, and all iterators share this thread.
            Thread.ofVirtual().start(() -> {
                release();
                call.end(RpcStatus.CANCELLED, null);
            });
        }
    }

    /** Told on the polling thread. Who still takes gets the stream's failure; what has come before goes back. */
    private void overdue() {
        if (call.remainingNanos() <= 0) {
            Thread.ofVirtual().start(() -> {
                stream.close();
                var _ = call.failed(new RdmaTimeoutException(
                        "the stream was open for all the " + Duration.ofNanos(call.timeoutNanos()) + " it may take"));
            });
        }
    }
}
