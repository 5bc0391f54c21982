package io.rdmarpc.verbs.ibverbs.device;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.util.List;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the pointer of a native object from being used after it was freed: its verbs of the control path run while it
 * is open, any number at a time; it ends once, when none of them runs. The hot path does not come here.
 *
 * <p>Locks are taken from the parent to the child only. A child that ends tells its parents through {@link Children},
 * which has no lock that is held across a call.
 */
public final class Lifetime {

    private final String what;
    private final String device;
    private final ReadWriteLock lock = new ReentrantReadWriteLock();
    private boolean ended;

    /**
     * Starts it.
     *
     * @param what the object's kind, for messages
     * @param device the device's name
     */
    public Lifetime(String what, String device) {
        this.what = what;
        this.device = device;
    }

    /** Runs a verb unless the object has ended. */
    public <T> T whileOpen(String verb, Supplier<T> action) {
        enter(verb);
        try {
            return action.get();
        } finally {
            exit();
        }
    }

    /** Keeps the object open until {@link #exit}: what {@link #whileOpen} does, without a lambda. */
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

    /** Does nothing when the object has ended. */
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

    /** Ends the object: runs every step, also after one failed; does nothing the second time. */
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

    /** Runs every step and throws the first failure afterwards, which carries the others. */
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
