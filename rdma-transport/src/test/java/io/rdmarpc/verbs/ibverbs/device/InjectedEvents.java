package io.rdmarpc.verbs.ibverbs.device;

import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ibverbs.ffi.AsyncEventSource;
import io.rdmarpc.verbs.ibverbs.ffi.struct.AsyncEventStruct;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.Consumer;

/** Creates events that no available device delivers, in the C struct that the library would fill. */
final class InjectedEvents implements AsyncEventSource {

    private final Deque<Consumer<AsyncEventStruct>> waiting = new ArrayDeque<>();
    private int errnoWhenEmpty = Errno.EAGAIN;
    private boolean awake;
    private int notAcknowledged;
    private boolean closed;

    void object(AsyncEventType type, long pointer) {
        add(struct -> struct.setObject(type.code(), pointer));
    }

    void port(AsyncEventType type, int portNumber) {
        add(struct -> struct.setPort(type.code(), portNumber));
    }

    void unknown() {
        add(struct -> struct.setObject(4711, 1));
    }

    private synchronized void add(Consumer<AsyncEventStruct> event) {
        waiting.add(event);
        notifyAll();
    }

    /** Behaves as after the driver was unloaded. */
    synchronized void fail(int errno) {
        errnoWhenEmpty = errno;
        wakeUp();
    }

    synchronized int notAcknowledged() {
        return notAcknowledged;
    }

    synchronized boolean isClosed() {
        return closed;
    }

    @Override
    public synchronized void await(long nanos) {
        long end = System.nanoTime() + nanos;
        long remaining = nanos;
        while (waiting.isEmpty() && !awake && remaining > 0) {
            try {
                wait(remaining / 1_000_000, (int) (remaining % 1_000_000));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
            remaining = end - System.nanoTime();
        }
        awake = false;
    }

    @Override
    public synchronized int take(AsyncEventStruct into) {
        if (closed) {
            throw new AssertionError("read after the close");
        }
        Consumer<AsyncEventStruct> event = waiting.poll();
        if (event == null) {
            return errnoWhenEmpty;
        }
        event.accept(into);
        notAcknowledged++;
        return 0;
    }

    @Override
    public synchronized void acknowledge(AsyncEventStruct event) {
        notAcknowledged--;
    }

    @Override
    public synchronized void wakeUp() {
        awake = true;
        notifyAll();
    }

    @Override
    public synchronized void close() {
        closed = true;
    }
}
