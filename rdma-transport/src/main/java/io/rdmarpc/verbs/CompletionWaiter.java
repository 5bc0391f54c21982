package io.rdmarpc.verbs;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.time.Duration;

/**
 * Polls completion queues and sleeps while they are empty. No completion waits in a queue while its reader sleeps:
 *
 * <ol>
 *   <li>poll; what is there is returned at once, without a system call,
 *   <li>arm each queue: the next completion makes an event,
 *   <li>poll again: a completion that came between 1 and 2 makes no event, and without this look would be found only
 *       when the next one comes, or at the time-out,
 *   <li>sleep until there is an event; one that came between 3 and 4 stays in the channel, so the sleep ends at once.
 * </ol>
 *
 * <p>One thread uses it, and the channel is used by nothing else: whoever waits on a channel takes the events of all its
 * queues. {@link #wakeUp} may be called from any thread. A wait allocates nothing unless it is disturbed.
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
     * Makes a waiter for the queues of one channel.
     *
     * @param queues one or more, all on the same channel, which has no others
     * @return the waiter; the queues and the channel stay the caller's to close
     */
    public static CompletionWaiter of(CompletionQueue... queues) {
        CompletionChannel channel = queues.length == 0 ? null : queues[0].channel();
        if (channel == null) {
            throw new IllegalArgumentException("At least one completion queue with a channel is needed: create it with"
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
     * Takes completions from one of the queues, waiting for the first; the queues have their turns.
     *
     * @param into where to, from entry 0
     * @param max how many at most, not over the array's capacity
     * @param timeout how long to wait at most; zero only looks
     * @return how many were taken, 0 after the time-out or {@link #wakeUp}, or a negative error number of a queue
     * @throws RdmaVerbsException when the channel is closed, also while this waits
     */
    public int poll(WorkCompletions into, int max, Duration timeout) {
        int taken = pollOnce(into, max);
        return taken != 0 || timeout.isZero() || timeout.isNegative() ? taken : pollOrSleep(into, max, timeout);
    }

    private int pollOrSleep(WorkCompletions into, int max, Duration timeout) {
        long start = System.nanoTime();
        Duration left = timeout;
        while (true) {
            int taken = arm();
            if (taken == 0) {
                taken = pollOnce(into, max);
            }
            if (taken != 0) {
                return taken;
            }
            boolean disturbed = channel.await(left) > 0;
            taken = pollOnce(into, max);
            if (taken != 0 || !disturbed) {
                return taken;
            }
            // The event was for completions that an earlier call has taken already.
            left = timeout.minusNanos(System.nanoTime() - start);
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

    /** Makes the present {@link #poll}, else the next one that sleeps, return. Any thread. */
    public void wakeUp() {
        channel.wakeUp();
    }
}
