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
 * Waits for the sessions of a stopping server: first for the responses to their calls, then for the clients. A client
 * closes a session when it has all responses. The methods block the calling thread.
 */
final class ServerDrain {

    /**
     * Time for clients to receive their last responses, including lost ones that they request again, and to close their
     * sessions.
     */
    private static final Duration CLIENTS_LIMIT = Duration.ofSeconds(2);
    /**
     * How long to wait for the last responses of a session that its client does not close because of an open stream.
     */
    private static final Duration STREAM_CLIENTS_LIMIT = Duration.ofMillis(50);

    private static final long MIN_POLL_MILLIS = 1;
    private static final long MAX_POLL_MILLIS = 20;

    private final Collection<ServerControl> draining;
    private final Set<Sessions> engines;
    private long pollMillis = MIN_POLL_MILLIS;

    ServerDrain(ControlContext context, Collection<ServerControl> draining) {
        this.draining = draining;
        this.engines = draining.stream()
                .map(session -> session.parts.loop().sessions())
                .collect(Collectors.toSet());
    }

    /**
     * Waits for the responses to all calls, then for a short time until the clients have received them.
     *
     * @param grace how long calls may take
     * @return false if some calls have no response by then
     */
    boolean awaitCalls(Duration grace) {
        long deadline = System.nanoTime() + grace.toNanos();
        try {
            while (isOpen() && countCallsInExecution(deadline) > 0) {
                if (deadline - System.nanoTime() <= 0) {
                    return false;
                }
                pause();
            }
            awaitClientsOfResponses();
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void awaitClientsOfResponses() throws InterruptedException {
        long since = System.nanoTime();
        while (isOpen()) {
            Duration limit = draining.stream().allMatch(session -> session.hasEnded() || session.hasStreams())
                    ? STREAM_CLIENTS_LIMIT
                    : CLIENTS_LIMIT;
            if (System.nanoTime() - since >= limit.toNanos()) {
                return;
            }
            pause();
        }
    }

    /** Waits until no session is open, at most for the limit. */
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

    /** Sleeps for growing times, because a check of many sessions takes longer. */
    private void pause() throws InterruptedException {
        Thread.sleep(pollMillis);
        pollMillis = Math.min(2 * pollMillis, MAX_POLL_MILLIS);
    }

    /**
     * Counts the calls in execution. An engine that does not respond within the deadline counts as one call: a handler
     * blocks it.
     */
    private int countCallsInExecution(long deadline) throws InterruptedException {
        AtomicInteger sum = new AtomicInteger();
        CountDownLatch counted = new CountDownLatch(engines.size());
        for (Sessions engine : engines) {
            engine.countServing(count -> {
                sum.addAndGet(count);
                counted.countDown();
            });
        }
        boolean all = counted.await(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
        return all ? sum.get() : Math.max(1, sum.get());
    }
}
