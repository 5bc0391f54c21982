package io.rdmarpc.service.server.call;

import io.rdmarpc.service.stream.Elements;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Frees the thread that waits for an element of a method's result after its client has gone. A source that gives elements
 * ends by the next one, which cannot be sent; one that is silent is interrupted after a while, and one that cares for no
 * interrupt is closed by another thread than the one that waits.
 */
final class SourceWatch implements AutoCloseable {

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Elements source;
    private final Thread worker = Thread.currentThread();
    private final long patienceNanos;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition ended = lock.newCondition();
    private boolean over;
    private boolean interrupted;

    /** Watches what the current thread waits for. */
    SourceWatch(Elements source, boolean interruptible) {
        this.source = source;
        this.patienceNanos = interruptible ? 0 : PATIENCE_NANOS;
    }

    /** Does not block. */
    void clientGone() {
        Thread.ofVirtual().name("rdma-left-stream").start(this::free);
    }

    private void free() {
        try {
            source.cancel();
            if (!isOverWithin(patienceNanos) && interrupt() && !isOverWithin(PATIENCE_NANOS)) {
                source.close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isOverWithin(long nanos) throws InterruptedException {
        lock.lock();
        try {
            long left = nanos;
            while (!over && left > 0) {
                left = ended.awaitNanos(left);
            }
            return over;
        } finally {
            lock.unlock();
        }
    }

    /** False when nobody waits any more. */
    private boolean interrupt() {
        lock.lock();
        try {
            if (!over) {
                interrupted = true;
                worker.interrupt();
            }
            return !over;
        } finally {
            lock.unlock();
        }
    }

    /** By the thread that has waited. */
    @Override
    public void close() {
        lock.lock();
        try {
            over = true;
            ended.signalAll();
            if (interrupted) {
                // It was for what ran until now.
                Thread.interrupted();
            }
        } finally {
            lock.unlock();
        }
    }
}
