package io.rdmarpc.service.server.call;

import io.rdmarpc.service.stream.Elements;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Releases a thread that waits for an element of a method's result after the client has ended the stream. A source that
 * provides elements ends at its next element, which cannot be sent. A source that provides none is interrupted after a
 * time. If it ignores the interrupt, another thread closes it.
 */
final class SourceWatch implements AutoCloseable {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Elements source;
    private final Thread worker = Thread.currentThread();
    private final long patienceNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private boolean finished;
    private boolean interrupted;

    /** Watches a source that the current thread waits for. */
    SourceWatch(Elements source, boolean interruptible) {
        this.source = source;
        this.patienceNanos = interruptible ? 0 : PATIENCE_NANOS;
    }

    /** Starts to release the thread. Does not block. */
    void clientGone() {
        Thread.ofVirtual().name("rdma-left-stream").start(this::free);
    }

    private void free() {
        try {
            source.cancel();
            if (!endsWithin(patienceNanos) && interrupt() && !endsWithin(PATIENCE_NANOS)) {
                source.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean endsWithin(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (!finished && left > 0) {
                left = ended.awaitNanos(left);
            }
            return finished;
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts the thread. Returns false if it does not wait any more. */
    private boolean interrupt() {
        lock.lock();
        try {
            if (!finished) {
                interrupted = true;
                worker.interrupt();
            }
            return !finished;
        } finally {
            lock.unlock();
        }
    }

    /** Called by the thread that has waited. */
    @Override
    public void close() {
        lock.lock();
        try {
            finished = true;
            ended.signalAll();
            if (interrupted) {
                // Clears an interrupt that was meant for the code that has ended.
                Thread.interrupted();
            }
        } finally {
            lock.unlock();
        }
    }
}
