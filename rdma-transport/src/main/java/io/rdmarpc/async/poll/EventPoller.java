package io.rdmarpc.async.poll;

import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.time.Duration;

/**
 * Sleeps until the device reports a completion. This order loses no completion: arm, poll until empty, wait. The queue
 * is armed again only after an event, not for each operation.
 */
public final class EventPoller implements CompletionPoller {

    /** Limits the delay if a device loses an event; otherwise events wake the thread at once. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private final CompletionSource source;
    private final CompletionChannel channel;
    private final String device;
    private volatile boolean running = true;

    public EventPoller(CompletionSource source, CompletionChannel channel, String device) {
        this.source = source;
        this.channel = channel;
        this.device = device;
    }

    @Override
    public void run() {
        boolean armed = false;
        while (running) {
            if (!armed) {
                arm();
                armed = true;
            }
            reapAll();
            armed = !running || channel.await(LONGEST_WAIT) == 0;
        }
    }

    private void arm() {
        int errno = source.arm();
        if (errno != 0 && running) {
            throw new RdmaVerbsException(
                    "ibv_req_notify_cq", device, errno, "The completion queue cannot report events");
        }
    }

    private void reapAll() {
        int count;
        do {
            count = source.reap();
        } while (count > 0);
    }

    @Override
    public void wake() {
        // The completion event of the device wakes the thread.
    }

    @Override
    public void stop() {
        running = false;
        channel.wakeUp();
    }
}
