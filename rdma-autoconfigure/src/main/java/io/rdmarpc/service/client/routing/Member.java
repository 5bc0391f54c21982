package io.rdmarpc.service.client.routing;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One instance of a target. A virtual thread of its own keeps it connected, so that calls never wait for an instance that
 * is not there.
 *
 * <pre>
 *   CONNECTING <-> READY <-> PROBATION: left out after failed calls, longer each time
 *        +-----------+-----------+--> DRAINING: gone from the list; calls in flight end -> closed
 * </pre>
 */
final class Member {

    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final int MOST_DOUBLINGS = 5;
    /** A caller that chose it just before may begin its call that late. */
    private static final long LATE_CALL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final long DRAIN_LOOK_MILLIS = 10;

    private final RdmaInstance instance;
    private final RpcChannel channel;
    private final BalancingConfig config;
    private final BalancedChannel owner;
    private final Thread keeper;
    private final AtomicInteger timeouts = new AtomicInteger();
    private volatile boolean leaving;
    private volatile boolean closing;
    private volatile boolean tried;
    private volatile boolean leftOut;
    private volatile long leftOutUntil;
    private volatile int offences;
    private volatile @Nullable RdmaRpcException lastFailure;
    private int failedAttempts;

    Member(RdmaInstance instance, RpcChannel channel, BalancingConfig config, BalancedChannel owner) {
        this.instance = instance;
        this.channel = channel;
        this.config = config;
        this.owner = owner;
        this.keeper = Thread.ofVirtual().name("rdma-instance-" + instance.id()).unstarted(this::keep);
    }

    void start() {
        // Who is idle has to be there for the next call.
        channel.keepIdle();
        keeper.start();
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
        return channel.isConnected() && !leftOut;
    }

    /** Tells whether it was tried at least once. */
    boolean wasTried() {
        return tried;
    }

    boolean isDoubtful() {
        return timeouts.get() > 0 || offences > 0;
    }

    @Nullable
    RdmaRpcException lastFailure() {
        return lastFailure;
    }

    /** Looks now rather than later. */
    void wake() {
        LockSupport.unpark(keeper);
    }

    /** It is gone from the list. */
    void leave() {
        leaving = true;
        wake();
    }

    boolean isLeaving() {
        return leaving;
    }

    /** The target is closed: nothing is waited for. */
    void close() {
        closing = true;
        leave();
        channel.close();
    }

    private void keep() {
        while (!leaving) {
            if (!channel.isConnected()) {
                connect();
            }
            if (leftOut && System.nanoTime() - leftOutUntil >= 0) {
                leftOut = false;
            }
            owner.memberChanged();
            if (!leaving) {
                LockSupport.parkNanos(this, restNanos());
            }
        }
        drain();
        channel.close();
        owner.memberGone(this);
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
        tried = true;
    }

    private long restNanos() {
        if (!channel.isConnected()) {
            return FIRST_PAUSE_NANOS << Math.min(MOST_DOUBLINGS, failedAttempts);
        }
        return leftOut ? Math.max(1, leftOutUntil - System.nanoTime()) : LOOK_NANOS;
    }

    /** Waits for the calls in flight. */
    private void drain() {
        long start = System.nanoTime();
        long limit = config.drain().toNanos();
        try {
            while (!closing && System.nanoTime() - start < limit) {
                // Also where the instance stops, and takes no calls any more.
                if (channel.underWay() == 0 && System.nanoTime() - start >= LATE_CALL_NANOS) {
                    return;
                }
                Thread.sleep(DRAIN_LOOK_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RdmaRpcException e) {
            lastFailure = e;
        }
    }

    /**
     * A call there has failed. One that refuses although its session is open is stopping; one that leaves calls unanswered
     * may be stuck.
     */
    void callFailed(RdmaRpcException e) {
        if (!channel.isConnected()) {
            lastFailure = e;
            wake();
            owner.memberLost();
        } else if (e instanceof RdmaNotExecutedException) {
            // Its server was stopping, and another one is there already.
            wake();
        } else if (e.status() == RpcStatus.UNAVAILABLE) {
            leaveOut(e);
        } else if (e.status() == RpcStatus.DEADLINE_EXCEEDED) {
            boolean often = timeouts.incrementAndGet() >= config.timeouts();
            // After it was counted: who looks in between finds a reason for the doubt.
            owner.doubt();
            if (often) {
                leaveOut(e);
            }
        }
    }

    private synchronized void leaveOut(RdmaRpcException e) {
        if (leftOut) {
            return;
        }
        lastFailure = e;
        leftOutUntil = System.nanoTime() + (config.probation().toNanos() << Math.min(MOST_DOUBLINGS, offences));
        offences++;
        timeouts.set(0);
        leftOut = true;
        wake();
        owner.memberLost();
    }

    /**
     * A call there was answered: what was held against it is forgotten. Called for every answer while any instance is in
     * doubt, so it only reads where there is nothing to forget, and takes no lock where there is; who keeps an instance
     * looks again whether any is in doubt.
     */
    void callSucceeded() {
        if (timeouts.get() != 0) {
            timeouts.set(0);
        }
        if (offences != 0 && !leftOut) {
            offences = 0;
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
                                : leftOut ? InstanceState.State.PROBATION : InstanceState.State.READY,
                callsInFlight(),
                failure == null ? null : failure.getMessage());
    }

    private int callsInFlight() {
        try {
            return channel.isConnected() ? channel.session(Duration.ofMillis(1)).callsInFlight() : 0;
        } catch (RdmaRpcException e) {
            return 0;
        }
    }

    @Override
    public String toString() {
        return instance.toString();
    }
}
