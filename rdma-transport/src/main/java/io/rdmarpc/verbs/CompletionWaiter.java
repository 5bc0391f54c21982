package io.rdmarpc.verbs;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.time.Duration;

/**
 * Polls completion queues and sleeps while they are empty. The order of its steps ensures that no completion stays in a
 * queue while the thread sleeps:
 *
 * <ol>
 *   <li>It polls, and returns completions that are present without a system call.
 *   <li>It arms each queue: the next completion causes an event.
 *   <li>It polls again. A completion between steps 1 and 2 caused no event; without this poll it would stay until the
 *       next completion or the timeout.
 *   <li>It sleeps until an event arrives. An event between steps 3 and 4 stays in the channel, so that the sleep ends
 *       at once.
 * </ol>
 *
 * <p>One thread uses a waiter, and the channel must have no other user: a wait consumes the events of all queues of the
 * channel. Any thread may call {@link #wakeUp}. A wait allocates memory only if an event was for completions that were
 * already polled.
 */
public final class CompletionWaiter {

    private final CompletionQueue[] queues;
    private final CompletionChannel channel;
    private int next;

    private CompletionWaiter(CompletionQueue[] queues, CompletionChannel channel) {
        this.queues = queues;
        this.channel = channel;
    }

    /**
     * Creates a waiter for the queues of one channel.
     *
     * @param queues one or more queues, all of the same channel, which has no other queues
     * @return the waiter; the caller keeps ownership of the queues and the channel
     */
    public static CompletionWaiter of(CompletionQueue... queues) {
        CompletionChannel channel = queues.length == 0 ? null : queues[0].channel();
        if (channel == null) {
            throw new IllegalArgumentException("A waiter needs a completion queue with a channel: create it with"
                    + " createCompletionQueue(entries, channel)");
        }
        for (CompletionQueue queue : queues) {
            if (!channel.equals(queue.channel())) {
                throw new IllegalArgumentException(
                        "The completion queues are on different channels: one thread can wait"
                                + " on one channel only");
            }
        }
        return new CompletionWaiter(queues.clone(), channel);
    }

    /**
     * Removes completions from one of the queues and waits for the first one. The queues are polled round-robin.
     *
     * @param into receives the completions, from entry 0
     * @param max maximum number of completions, up to the array's capacity
     * @param timeout maximum time to wait; zero polls once without waiting
     * @return the number of completions removed, 0 after the timeout or {@link #wakeUp}, or a negative error number of
     *     a queue
     * @throws RdmaVerbsException if the channel is closed before or during the wait
     */
    public int poll(WorkCompletions into, int max, Duration timeout) {
        int taken = pollOnce(into, max);
        return taken != 0 || timeout.isZero() || timeout.isNegative() ? taken : pollOrSleep(into, max, timeout);
    }

    private int pollOrSleep(WorkCompletions into, int max, Duration timeout) {
        long start = System.nanoTime();
        Duration remaining = timeout;
        while (true) {
            int taken = arm();
            if (taken == 0) {
                taken = pollOnce(into, max);
            }
            if (taken != 0) {
                return taken;
            }
            boolean awakened = channel.await(remaining) > 0;
            taken = pollOnce(into, max);
            if (taken != 0 || !awakened) {
                return taken;
            }
            // The event was for completions that an earlier poll has already removed.
            remaining = timeout.minusNanos(System.nanoTime() - start);
        }
    }

    private int arm() {
        for (CompletionQueue queue : queues) {
            int errno = queue.requestNotification(false);
            if (errno != 0) {
                return -errno;
            }
        }
        return 0;
    }

    private int pollOnce(WorkCompletions into, int max) {
        for (int i = 0; i < queues.length; i++) {
            CompletionQueue queue = queues[next];
            next = next + 1 == queues.length ? 0 : next + 1;
            int taken = queue.poll(into, max);
            if (taken != 0) {
                return taken;
            }
        }
        return 0;
    }

    /** Ends the current {@link #poll}, or the next one that sleeps. Any thread may call this method. */
    public void wakeUp() {
        channel.wakeUp();
    }
}
