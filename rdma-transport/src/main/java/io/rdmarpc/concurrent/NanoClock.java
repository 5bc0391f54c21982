package io.rdmarpc.concurrent;

/** A clock for intervals. Code that waits reads this clock, so that tests can advance the time. */
@FunctionalInterface
public interface NanoClock {

    /** The clock of the JVM. */
    NanoClock SYSTEM = System::nanoTime;

    /**
     * Returns the time since a fixed moment, as {@link System#nanoTime()} does. Compare two times by subtraction.
     *
     * @return nanoseconds
     */
    long nanoTime();
}
