package io.rdmarpc.service.client.routing;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Channel to a target with several instances, whose set may change. It has a connected channel to each instance and
 * selects one for each call. The first use starts the resolver. Thread-safe.
 */
public final class BalancedChannel implements RpcChannel {

    private static final Log LOG = LogFactory.getLog(BalancedChannel.class);

    private final String target;
    private final String address;
    private final RdmaTargetResolver resolver;
    private final Function<RdmaInstance, RpcChannel> channels;
    private final BalancingConfig config;
    private final Choice choice;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // Guarded by the lock.
    private final Map<RdmaInstance, Member> known = new HashMap<>();
    private RdmaTargetResolver.@Nullable Watch watch;
    private boolean listed;
    private boolean closed;

    private final Map<Member, Boolean> draining = new ConcurrentHashMap<>();
    private volatile AvailableMembers members = AvailableMembers.NONE;
    /** Number of changes that may permit another choice. Incremented under the lock. */
    private final AtomicInteger changes = new AtomicInteger();

    private volatile boolean suspect;

    /**
     * Creates a channel that does not resolve instances yet.
     *
     * @param target the target's name, for messages
     * @param address address of the target, which the resolver supports
     * @param resolver resolver of the instances
     * @param channels factory of the channels of instances; this channel closes them
     * @param config settings of the distribution of calls
     */
    public BalancedChannel(
            String target,
            String address,
            RdmaTargetResolver resolver,
            Function<RdmaInstance, RpcChannel> channels,
            BalancingConfig config) {
        this.target = target;
        this.address = address;
        this.resolver = resolver;
        this.channels = channels;
        this.config = config;
        this.choice = Choice.of(config.policy());
    }

    /** Returns the instances that may be called. Each change creates another object. */
    AvailableMembers members() {
        return members;
    }

    Choice choice() {
        return choice;
    }

    /** Returns how long an attempt to connect to an instance may take. */
    Duration attempt() {
        return config.attempt();
    }

    /**
     * Returns the number of changes. Callers read it before the state that they examine, and pass it to
     * {@link #awaitChange}.
     */
    int changes() {
        return changes.get();
    }

    /** Notifies waiting callers that the verification of an instance has ended. */
    void verificationEnded() {
        lock.lock();
        try {
            changes.incrementAndGet();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether any instance has failed calls, in which case successful calls are recorded too. */
    boolean isSuspect() {
        return suspect;
    }

    void markSuspect() {
        suspect = true;
    }

    /** Processes the whole list of instances from the resolver. */
    private void onInstances(List<RdmaInstance> instances) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            listed = true;
            removeMissing(instances);
            instances.forEach(this::addNew);
            update();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Removes instances that are not in the list. An empty list is more often a fault of the registry than a service
     * without instances, so connected instances are kept.
     */
    private void removeMissing(List<RdmaInstance> instances) {
        List<Member> missing = known.values().stream()
                .filter(member -> !instances.contains(member.instance()))
                .filter(member -> !instances.isEmpty() || !member.isConnected())
                .toList();
        for (Member member : missing) {
            LOG.info("target " + target + ": instance " + member + " was removed from the list");
            known.remove(member.instance());
            draining.put(member, true);
            member.leave();
        }
        if (instances.isEmpty() && !known.isEmpty()) {
            LOG.warn("target " + target + ": the resolver returned no instances for " + address + "; the "
                    + known.size() + " connected ones are kept");
        }
    }

    private void addNew(RdmaInstance instance) {
        known.computeIfAbsent(instance, _ -> {
            LOG.info("target " + target + ": instance " + instance + " was added to the list");
            Member member = new Member(instance, channels.apply(instance), config, this);
            member.start();
            return member;
        });
    }

    /** Recomputes the callable instances after a member was connected, disconnected, excluded or readmitted. */
    void memberChanged() {
        lock.lock();
        try {
            update();
        } finally {
            lock.unlock();
        }
    }

    /** Handles a failing instance. The resolver is queried again, because the instance may have been replaced. */
    void memberLost() {
        suspect = true;
        memberChanged();
        RdmaTargetResolver.Watch watching;
        lock.lock();
        try {
            watching = watch;
        } finally {
            lock.unlock();
        }
        if (watching != null) {
            watching.refresh();
        }
    }

    void memberDrained(Member member) {
        draining.remove(member);
    }

    /** Recomputes the callable instances. Without a usable one, connected instances on probation are called. */
    private void update() {
        List<Member> usable = membersMatching(Member::isUsable);
        List<Member> callable = usable.isEmpty() ? membersMatching(Member::isConnected) : usable;
        if (!isSame(callable)) {
            members = new AvailableMembers(callable, config.policy() == BalancingPolicy.STICKY);
        }
        suspect = known.values().stream().anyMatch(Member::isSuspect);
        // Waiting callers are also notified of failed attempts to connect.
        changes.incrementAndGet();
        changed.signalAll();
    }

    private List<Member> membersMatching(Predicate<Member> condition) {
        return known.values().stream().filter(condition).toList();
    }

    private boolean isSame(List<Member> callable) {
        AvailableMembers now = members;
        if (now.count() != callable.size()) {
            return false;
        }
        for (int i = 0; i < callable.size(); i++) {
            if (!callable.contains(now.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether the list is known and an attempt to connect to each instance has ended. */
    boolean isSettled() {
        lock.lock();
        try {
            return listed && known.values().stream().allMatch(Member::wasAttempted);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a change since the caller read {@link #changes}.
     *
     * @param returnOnTimeout whether to return at the timeout instead of throwing
     */
    void awaitChange(int seen, long timeoutNanos, boolean returnOnTimeout) {
        long left = timeoutNanos;
        lock.lock();
        try {
            watch();
            known.values().forEach(Member::wake);
            while (left > 0 && changes.get() == seen) {
                throwIfAllReject();
                left = changed.awaitNanos(left);
            }
            if (left <= 0 && !returnOnTimeout) {
                throwIfAllReject();
                throw members.count() > 0 ? verificationTimeout(timeoutNanos) : unreachable(timeoutNanos);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RdmaRpcException(
                    RpcStatus.CANCELLED, "interrupted while waiting for an instance of " + describe(), e);
        } finally {
            lock.unlock();
        }
    }

    private void watch() {
        if (closed) {
            throw new RdmaNotExecutedException("the channel to " + describe() + " is closed");
        }
        if (watch == null) {
            watch = resolver.watch(address, this::onInstances);
        }
    }

    /** Throws if all instances reject connections for a permanent reason, such as a wrong token. */
    private void throwIfAllReject() {
        RdmaRpcException rejection = null;
        for (Member member : known.values()) {
            RdmaRpcException failure = member.lastFailure();
            if (member.isConnected() || failure == null || failure instanceof RdmaUnavailableException) {
                return;
            }
            rejection = failure;
        }
        if (rejection != null) {
            throw rejection;
        }
    }

    private RdmaTimeoutException verificationTimeout(long timeoutNanos) {
        return new RdmaTimeoutException("none of the " + members.count() + " connected instances of " + describe()
                + " confirmed within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                + " ms that it offers the service");
    }

    /** Returns the failure of a call that was not sent because no instance is connected. */
    private RdmaNotExecutedException unreachable(long timeoutNanos) {
        String within = " within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms";
        if (!listed) {
            return new RdmaNotExecutedException("the instances of " + describe() + " could not be resolved" + within
                    + ": check that the registry is reachable");
        }
        if (known.isEmpty()) {
            return new RdmaNotExecutedException(describe() + " had no instance" + within
                    + ": is one registered, and does it publish its control port?");
        }
        RdmaRpcException last = null;
        for (Member member : known.values()) {
            last = member.lastFailure() == null ? last : member.lastFailure();
        }
        return new RdmaNotExecutedException(
                "none of the " + known.size() + " instances of " + describe() + " could be reached" + within
                        + (last == null ? "" : ": " + last.getMessage()),
                last);
    }

    private String describe() {
        return "target " + target + " at " + address;
    }

    /**
     * Describes the instances.
     *
     * @return the known instances, and removed ones with calls in flight
     */
    public List<InstanceState> instances() {
        List<Member> all = new ArrayList<>(draining.keySet());
        lock.lock();
        try {
            all.addAll(known.values());
        } finally {
            lock.unlock();
        }
        return all.stream().map(Member::state).toList();
    }

    @Override
    public RpcSession session(Duration timeout) {
        long deadline = System.nanoTime() + timeout.toNanos();
        while (true) {
            int seen = changes();
            AvailableMembers now = members;
            for (int i = 0; i < now.count(); i++) {
                Member member = now.get(choice.nextIndex(now.count()));
                if (member.isConnected()) {
                    return member.channel().session(timeout);
                }
            }
            awaitChange(seen, deadline - System.nanoTime(), false);
        }
    }

    @Override
    public void verify(RpcSession session, ServiceContract contract) {
        verify(session, contract, config.attempt());
    }

    @Override
    @SuppressWarnings("ReferenceEquality")
    public void verify(RpcSession session, ServiceContract contract, Duration timeout) {
        AvailableMembers now = members;
        for (int i = 0; i < now.count(); i++) {
            RpcChannel channel = now.get(i).channel();
            if (channel.isConnected() && channel.session(Duration.ofMillis(1)) == session) {
                channel.verify(session, contract, timeout);
                return;
            }
        }
        throw new RdmaUnavailableException("the session with " + describe() + " has ended: retry the call");
    }

    @Override
    public boolean isConnected() {
        return members.count() > 0;
    }

    @Override
    public void close() {
        List<Member> all;
        RdmaTargetResolver.Watch watching;
        lock.lock();
        try {
            closed = true;
            watching = watch;
            all = new ArrayList<>(known.values());
            known.clear();
            update();
        } finally {
            lock.unlock();
        }
        if (watching != null) {
            watching.close();
        }
        all.addAll(draining.keySet());
        all.forEach(Member::close);
    }
}
