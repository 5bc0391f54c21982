package io.rdmarpc.verbs.ibverbs.device;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Prevents the use of a native object after it was freed. Any number of control path verbs may run while the object is
 * open. {@link #end} waits until none of them runs. The hot path does not use this class.
 *
 * <p>Locks are acquired from the parent to the child only. A child that is closed removes itself from its parents
 * through {@link Children}, whose lock is never held across a call.
 */
public final class Lifetime {

    private final String what;
    private final String device;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private boolean ended;

    /**
     * Starts the lifetime.
     *
     * @param what the kind of object, for messages
     * @param device the device's name
     */
    public Lifetime(String what, String device) {
        this.what = what;
        this.device = device;
    }

    /** Runs a verb, or throws if the object is closed. */
    public <T> T whileOpen(String verb, Supplier<T> action) {
        enter(verb);
        try {
            return action.get();
        } finally {
            exit();
        }
    }

    /** Keeps the object open until {@link #exit}, like {@link #whileOpen} without a lambda. */
    public void enter(String verb) {
        lock.readLock().lock();
        if (ended) {
            lock.readLock().unlock();
            throw closed(verb);
        }
    }

    public void exit() {
        lock.readLock().unlock();
    }

    /** Runs an action, or does nothing if the object is closed. */
    public void ifOpen(Runnable action) {
        lock.readLock().lock();
        try {
            if (!ended) {
                action.run();
            }
        } finally {
            lock.readLock().unlock();
        }
    }

    public RdmaVerbsException closed(String verb) {
        return new RdmaVerbsException(verb, device, Errno.EINVAL, "The " + what + " is closed");
    }

    /**
     * Waits until no verb runs, then closes the object. Runs every step, even after a failed one. A second call does
     * nothing.
     */
    public void end(Runnable... steps) {
        lock.writeLock().lock();
        try {
            if (!ended) {
                ended = true;
                runAll(List.of(steps));
            }
        } finally {
            lock.writeLock().unlock();
        }
    }

    /** Runs every step, then throws the first failure with the others as suppressed exceptions. */
    static void runAll(List<Runnable> steps) {
        RuntimeException first = null;
        for (Runnable step : steps) {
            first = run(step, first);
        }
        if (first != null) {
            throw first;
        }
    }

    private static @Nullable RuntimeException run(Runnable step, @Nullable RuntimeException earlier) {
        try {
            step.run();
            return earlier;
        } catch (RuntimeException e) {
            if (earlier == null) {
                return e;
            }
            earlier.addSuppressed(e);
            return earlier;
        }
    }
}
