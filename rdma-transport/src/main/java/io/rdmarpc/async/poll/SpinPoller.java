package io.rdmarpc.async.poll;

import io.rdmarpc.concurrent.BackoffIdleStrategy;
import io.rdmarpc.concurrent.IdleStrategy;
import java.time.Duration;

/**
 * Polls while it finds completions, then yields the processor 1000 times, then sleeps for increasing times of 10 to 500
 * µs. A completion that arrives during a sleep is delayed by at most 500 µs.
 */
public final class SpinPoller implements CompletionPoller {

    private static final int MAX_YIELDS = 1000;
    private static final Duration SHORTEST_PARK = Duration.ofNanos(10_000);
    private static final Duration LONGEST_PARK = Duration.ofNanos(500_000);

    private final CompletionSource source;
    private final IdleStrategy idle =
            new BackoffIdleStrategy(() -> !isRunning(), 0, MAX_YIELDS, SHORTEST_PARK, LONGEST_PARK);
    private volatile boolean running = true;

    public SpinPoller(CompletionSource source) {
        this.source = source;
    }

    private boolean isRunning() {
        return running;
    }

    @Override
    public void run() {
        while (running) {
            idle.idle(source.reap());
        }
    }

    @Override
    public void wake() {
        idle.wake();
    }

    @Override
    public void stop() {
        running = false;
        idle.wake();
    }
}
