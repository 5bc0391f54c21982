package io.rdmarpc.concurrent;

/** A clock for intervals. Code that waits asks this one, so that tests can move time by hand. */
@FunctionalInterface
public interface NanoClock {

    /** The clock of the JVM. */
    NanoClock SYSTEM = System::nanoTime;

    /**
     * Returns the time since some fixed moment, as {@link System#nanoTime()} does: compare by subtracting.
     *
     * @return nanoseconds
     */
    long nanoTime();
}
