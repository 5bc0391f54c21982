package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.engine.Sessions;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/**
 * Waits for sessions whose server is stopping: for their calls, then for their clients, which close a session when they have
 * all answers. For threads that may block.
 */
final class ServerDrain {

    /** For clients to get their last answers, also ones that are lost and asked for again, and to say so. */
    private static final Duration CLIENTS_LIMIT = Duration.ofSeconds(2);
    /** The same, where a stream keeps the client from saying so. */
    private static final Duration LAST_ANSWERS = Duration.ofMillis(50);

    private static final long SHORTEST_LOOK_MILLIS = 1;
    private static final long LONGEST_LOOK_MILLIS = 20;

    private final Collection<ServerControl> draining;
    private final Set<Sessions> engines;
    private long lookMillis = SHORTEST_LOOK_MILLIS;

    ServerDrain(ControlContext context, Collection<ServerControl> draining) {
        this.draining = draining;
        this.engines = draining.stream()
                .map(session -> session.parts.loop().sessions())
                .collect(Collectors.toSet());
    }

    /**
     * Waits until all calls are answered, then a short while for the clients to have the answers.
     *
     * @param grace how long calls may take
     * @return false when some are not answered by then
     */
    boolean awaitCalls(Duration grace) {
        long deadline = System.nanoTime() + grace.toNanos();
        try {
            while (isOpen() && countAnswering(deadline) > 0) {
                if (deadline - System.nanoTime() <= 0) {
                    return false;
                }
                pause();
            }
            awaitAnswers();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void awaitAnswers() throws InterruptedException {
        long answered = System.nanoTime();
        while (isOpen()) {
            Duration limit = draining.stream().allMatch(session -> session.hasEnded() || session.hasStreams())
                    ? LAST_ANSWERS
                    : CLIENTS_LIMIT;
            if (System.nanoTime() - answered >= limit.toNanos()) {
                return;
            }
            pause();
        }
    }

    /** Waits until no session is open, or the time is over. */
    boolean awaitClients(Duration limit) {
        long deadline = System.nanoTime() + limit.toNanos();
        try {
            while (isOpen() && deadline - System.nanoTime() > 0) {
                pause();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !isOpen();
    }

    private boolean isOpen() {
        return !draining.stream().allMatch(ControlSession::hasEnded);
    }

    /** Many sessions are looked at less often. */
    private void pause() throws InterruptedException {
        Thread.sleep(lookMillis);
        lookMillis = Math.min(2 * lookMillis, LONGEST_LOOK_MILLIS);
    }

    /** An engine that does not say so in time is one whose handler has not returned: it answers something. */
    private int countAnswering(long deadline) throws InterruptedException {
        AtomicInteger sum = new AtomicInteger();
        CountDownLatch counted = new CountDownLatch(engines.size());
        for (Sessions engine : engines) {
            engine.countAnswering(count -> {
                sum.addAndGet(count);
                counted.countDown();
            });
        }
        boolean all = counted.await(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        return all ? sum.get() : Math.max(1, sum.get());
    }
}
