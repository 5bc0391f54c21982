package io.rdmarpc.verbs;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.time.Duration;

/**
 * Wakes a thread when a completion queue has a completion ({@code struct ibv_comp_channel}). This order loses no
 * completion: {@linkplain CompletionQueue#requestNotification arm}, poll until empty, wait, repeat.
 * {@link CompletionWaiter} implements it.
 *
 * <p>One thread at a time may wait. Any thread may call {@link #wakeUp} and {@link #close}. An interrupt does not end a
 * wait. A waiting virtual thread pins its carrier.
 */
public interface CompletionChannel extends AutoCloseable {

    /**
     * Waits for an event of any completion queue on this channel, then consumes and acknowledges all pending events.
     * The queues must be armed again before the next wait.
     *
     * @param timeout maximum time to wait; zero polls once without waiting
     * @return the number of events consumed, 0 after the timeout or {@link #wakeUp}
     * @throws RdmaVerbsException if the channel is closed before or during the wait, if another thread waits, or if the
     *     device was removed
     */
    int await(Duration timeout);

    /** Ends the current {@link #await}, or the next one if no thread waits. Does nothing if the channel is closed. */
    void wakeUp();

    /**
     * Holds events back, so that a thread in {@link #await} continues to sleep while the calling thread polls the
     * completion queues in its place. A {@link #wakeUp} still ends the wait, and so does its timeout, which also ends
     * the holding. Thread-safe.
     *
     * @return true if events are held until {@link #releaseEvents}; false if no thread waits, if an event is pending, or
     *     if the device cannot hold events
     */
    default boolean holdEvents() {
        return false;
    }

    /** Ends {@link #holdEvents}. An event that came meanwhile now ends the wait. Thread-safe. */
    default void releaseEvents() {}

    /** Closes the channel's completion queues and their queue pairs, then the channel. A second call does nothing. */
    @Override
    void close();
}
