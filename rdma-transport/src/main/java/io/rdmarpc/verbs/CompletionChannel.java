package io.rdmarpc.verbs;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.time.Duration;

/**
 * Lets a thread sleep until a completion queue has something ({@code struct ibv_comp_channel}). The order that loses no
 * completion is: {@linkplain CompletionQueue#requestNotification arm}, poll until empty, wait, and again.
 * {@link CompletionWaiter} has that order.
 *
 * <p>One thread waits; {@link #wakeUp} and {@link #close} may be called from any. An interrupt does not end a wait,
 * and a virtual thread that waits keeps its carrier.
 */
public interface CompletionChannel extends AutoCloseable {

    /**
     * Waits for an event of any completion queue on this channel, then takes and acknowledges all that are there. The
     * queues must be armed again before the next wait.
     *
     * @param timeout how long to wait at most; zero only looks
     * @return how many events were taken, 0 after the time-out or {@link #wakeUp}
     * @throws RdmaVerbsException when the channel is closed, also while this waits; when another thread waits; when the
     *     device is gone
     */
    int await(Duration timeout);

    /** Makes the present {@link #await}, else the next one, return. Does nothing when the channel is closed. */
    void wakeUp();

    /** Closes the completion queues on it (and their queue pairs), then the channel. A second call does nothing. */
    @Override
    void close();
}
