package io.rdmarpc.verbs.soft.progress;

import java.util.concurrent.TimeUnit;

/** Where the thread sleeps that moves a RNIC on. One thread sleeps at a time. */
public interface Parker extends AutoCloseable {

    /** A sleep for longer needs no timer. */
    long LONGEST_NANOS = TimeUnit.HOURS.toNanos(1);

    /** Sleeps until a packet may have come, another thread wakes it, or the time is over; may end for no reason too. */
    void sleep(long nanos);

    /** Ends the present sleep, else the next one. Any thread, until {@link #close}. */
    void wakeUp();

    /** Frees it; nobody sleeps. */
    @Override
    void close();
}
