package io.rdmarpc.verbs.soft.progress;

import java.util.concurrent.TimeUnit;

/** Lets the thread that drives an RNIC sleep. One thread sleeps at a time. */
public interface Parker extends AutoCloseable {

    /** A sleep of this many nanoseconds or more needs no timer. */
    long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);

    /**
     * Sleeps until a packet may have arrived, another thread wakes it, or the time has passed. May return spuriously.
     */
    void sleep(long nanos);

    /** Ends the current sleep, or the next one if no thread sleeps. Any thread, until {@link #close}. */
    void wakeUp();

    /** Frees the resources; no thread may be asleep. */
    @Override
    void close();
}
