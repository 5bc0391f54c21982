package io.rdmarpc.service.client.routing;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One instance of a target. Its own virtual thread keeps it connected, so that calls never wait for an unreachable
 * instance.
 *
 * <pre>
 *   CONNECTING <-> READY <-> PROBATION: excluded after failed calls, longer each time
 *        +-----------+-----------+--> DRAINING: removed from the list, calls in flight complete -> closed
 * </pre>
 */
final class Member {

    private static final long CHECK_INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int MAX_DOUBLINGS = 5;
    /** Time within which a caller that has already selected this instance may begin its call. */
    private static final long LATE_CALL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long DRAIN_CHECK_MILLIS = 10;

    private final RdmaInstance instance;
    private final RpcChannel channel;
    private final BalancingConfig config;
    private final BalancedChannel owner;
    private final Thread connector;
    private final AtomicInteger timeouts = new AtomicInteger();
    private volatile boolean leaving;
    private volatile boolean closing;
    private volatile boolean attempted;
    private volatile boolean excluded;
    private volatile long excludedUntil;
    private volatile int exclusions;
    private volatile @Nullable RdmaRpcException lastFailure;
    private int failedAttempts;

    Member(RdmaInstance instance, RpcChannel channel, BalancingConfig config, BalancedChannel owner) {
        this.instance = instance;
        this.channel = channel;
        this.config = config;
        this.owner = owner;
        this.connector =
                Thread.ofVirtual().name("rdma-instance-" + instance.id()).unstarted(this::maintain);
    }

    void start() {
        // An idle session must remain open for the next call.
        channel.keepIdle();
        connector.start();
    }

    RdmaInstance instance() {
        return instance;
    }

    RpcChannel channel() {
        return channel;
    }

    boolean isConnected() {
        return channel.isConnected();
    }

    boolean isUsable() {
        return channel.isConnected() && !excluded;
    }

    /** Returns whether at least one attempt to connect has ended. */
    boolean wasAttempted() {
        return attempted;
    }

    boolean isSuspect() {
        return timeouts.get() > 0 || exclusions > 0;
    }

    @Nullable
    RdmaRpcException lastFailure() {
        return lastFailure;
    }

    /** Makes the instance's thread check the state now. */
    void wake() {
        LockSupport.unpark(connector);
    }

    /** Begins to remove the instance after it was removed from the list. */
    void leave() {
        leaving = true;
        wake();
    }

    boolean isLeaving() {
        return leaving;
    }

    /** Closes the instance without waiting for calls in flight. */
    void close() {
        closing = true;
        leave();
        channel.close();
    }

    private void maintain() {
        while (!leaving) {
            if (!channel.isConnected()) {
                connect();
            }
            if (excluded && System.nanoTime() - excludedUntil >= 0) {
                excluded = false;
            }
            owner.memberChanged();
            if (!leaving) {
                LockSupport.parkNanos(this, pauseNanos());
            }
        }
        drain();
        channel.close();
        owner.memberDrained(this);
    }

    private void connect() {
        owner.memberChanged();
        try {
            channel.session(config.attempt());
            failedAttempts = 0;
            lastFailure = null;
        } catch (RdmaRpcException e) {
            failedAttempts++;
            lastFailure = e;
        }
        attempted = true;
    }

    private long pauseNanos() {
        if (!channel.isConnected()) {
            return FIRST_PAUSE_NANOS << Math.min(MAX_DOUBLINGS, failedAttempts);
        }
        return excluded ? Math.max(1, excludedUntil - System.nanoTime()) : CHECK_INTERVAL_NANOS;
    }

    /** Waits for the calls in flight. */
    private void drain() {
        long start = System.nanoTime();
        long limit = config.drain().toNanos();
        try {
            while (!closing && System.nanoTime() - start < limit) {
                // The count includes calls on a session that is closing and accepts no new calls.
                if (channel.underWay() == 0 && System.nanoTime() - start >= LATE_CALL_NANOS) {
                    return;
                }
                Thread.sleep(DRAIN_CHECK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RdmaRpcException e) {
            lastFailure = e;
        }
    }

    /**
     * Records a failed call. An open session with UNAVAILABLE belongs to an instance that is stopping. An instance
     * that repeatedly does not respond may be stuck.
     */
    void callFailed(RpcSession session, RdmaRpcException e) {
        if (!channel.isConnected()) {
            lastFailure = e;
            wake();
            owner.memberLost();
        } else if (e instanceof RdmaNotExecutedException || !session.isOpen()) {
            // The instance was stopping, and a replacement may already be available. Or the session of one engine has
            // ended.
            wake();
        } else if (e.status() == RpcStatus.UNAVAILABLE) {
            exclude(e);
        } else if (e.status() == RpcStatus.DEADLINE_EXCEEDED) {
            boolean often = timeouts.incrementAndGet() >= config.timeouts();
            // Set after the count, so that a concurrent recomputation finds the count and keeps the flag.
            owner.markSuspect();
            if (often) {
                exclude(e);
            }
        }
    }

    private synchronized void exclude(RdmaRpcException e) {
        if (excluded) {
            return;
        }
        lastFailure = e;
        excludedUntil = System.nanoTime() + (config.probation().toNanos() << Math.min(MAX_DOUBLINGS, exclusions));
        exclusions++;
        timeouts.set(0);
        excluded = true;
        wake();
        owner.memberLost();
    }

    /**
     * Records a successful call, which resets the failures of the instance. While any instance has failures, this
     * runs for every response. It therefore takes no lock, and writes only if there is a failure to reset. The
     * instance's thread later recomputes whether any instance has failures.
     */
    void callSucceeded() {
        if (timeouts.get() != 0) {
            timeouts.set(0);
        }
        if (exclusions != 0 && !excluded) {
            exclusions = 0;
        }
    }

    InstanceState state() {
        RdmaRpcException failure = lastFailure;
        return new InstanceState(
                instance.id(),
                instance.address().getHostString() + ":" + instance.address().getPort(),
                leaving
                        ? InstanceState.State.DRAINING
                        : !channel.isConnected()
                                ? InstanceState.State.CONNECTING
                                : excluded ? InstanceState.State.PROBATION : InstanceState.State.READY,
                callsInFlight(),
                failure == null ? null : failure.getMessage());
    }

    private int callsInFlight() {
        return channel.perEngine().stream().mapToInt(Member::callsInFlight).sum();
    }

    private static int callsInFlight(RpcChannel ofEngine) {
        try {
            return ofEngine.isConnected()
                    ? ofEngine.session(Duration.ofMillis(1)).callsInFlight()
                    : 0;
        } catch (RdmaRpcException e) {
            return 0;
        }
    }

    @Override
    public String toString() {
        return instance.toString();
    }
}
