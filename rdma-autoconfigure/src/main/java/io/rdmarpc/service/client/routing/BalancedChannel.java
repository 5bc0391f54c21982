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
 * The way to a target that has several instances, which may come and go: a channel to each, kept connected, and a choice
 * for each call. It begins to look for them when it is first used. Any thread.
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
    /** Counts what may make another choice possible; grows under the lock. */
    private final AtomicInteger news = new AtomicInteger();

    private volatile boolean doubtful;

    /**
     * Creates a channel that looks for nobody yet.
     *
     * @param target the target's name, for messages
     * @param address what the resolver knows the target by
     * @param resolver finds the instances
     * @param channels opens the way to one; what it opens is closed by this channel
     * @param config how calls are spread
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

    /** Who may be called now; another object after each change. */
    AvailableMembers members() {
        return members;
    }

    Choice choice() {
        return choice;
    }

    /** How long an instance may take for its first word. */
    Duration attempt() {
        return config.attempt();
    }

    /** To be read before what is looked at, and given to {@link #awaitNews}. */
    int news() {
        return news.get();
    }

    /** An instance has said what it offers, or has not. */
    void tellNews() {
        lock.lock();
        try {
            news.incrementAndGet();
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Tells whether something is held against an instance, so that answers are worth counting. */
    boolean isDoubtful() {
        return doubtful;
    }

    void doubt() {
        doubtful = true;
    }

    /** The whole list, as the resolver knows it now. */
    private void onInstances(List<RdmaInstance> instances) {
        lock.lock();
        try {
            if (closed) {
                return;
            }
            listed = true;
            removeMissing(instances);
            instances.forEach(this::addNew);
            remake();
        } finally {
            lock.unlock();
        }
    }

    /** An empty list is more often a registry in trouble than a service without instances: those that answer stay. */
    private void removeMissing(List<RdmaInstance> instances) {
        List<Member> missing = known.values().stream()
                .filter(member -> !instances.contains(member.instance()))
                .filter(member -> !instances.isEmpty() || !member.isConnected())
                .toList();
        for (Member member : missing) {
            LOG.info("target " + target + ": instance " + member + " is gone");
            known.remove(member.instance());
            draining.put(member, true);
            member.leave();
        }
        if (instances.isEmpty() && !known.isEmpty()) {
            LOG.warn("target " + target + ": " + address + " has no instances any more; the " + known.size()
                    + " that still answer are kept");
        }
    }

    private void addNew(RdmaInstance instance) {
        known.computeIfAbsent(instance, _ -> {
            LOG.info("target " + target + ": instance " + instance + " has come");
            Member member = new Member(instance, channels.apply(instance), config, this);
            member.start();
            return member;
        });
    }

    /** Whether a member is connected, or left out, may have changed. */
    void memberChanged() {
        lock.lock();
        try {
            remake();
        } finally {
            lock.unlock();
        }
    }

    /** An instance does not answer: it may be gone for good, and another one may be there. */
    void memberLost() {
        doubtful = true;
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

    void memberGone(Member member) {
        draining.remove(member);
    }

    /** Rather one on probation than none at all. */
    private void remake() {
        List<Member> usable = membersThat(Member::isUsable);
        List<Member> callable = usable.isEmpty() ? membersThat(Member::isConnected) : usable;
        if (!isSame(callable)) {
            members = new AvailableMembers(callable, config.policy() == BalancingPolicy.STICKY);
        }
        doubtful = known.values().stream().anyMatch(Member::isDoubtful);
        // Those who wait also want to hear of attempts that failed.
        news.incrementAndGet();
        changed.signalAll();
    }

    private List<Member> membersThat(Predicate<Member> condition) {
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

    /** Tells whether the list is there and everybody on it was tried. */
    boolean isSettled() {
        lock.lock();
        try {
            return listed && known.values().stream().allMatch(Member::wasTried);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until another choice may be possible than at the time of the news that were seen.
     *
     * @param orGoOn whether to return, rather than to throw, when the time is over
     */
    void awaitNews(int seen, long timeoutNanos, boolean orGoOn) {
        long left = timeoutNanos;
        lock.lock();
        try {
            watch();
            known.values().forEach(Member::wake);
            while (left > 0 && news.get() == seen) {
                throwIfHopeless();
                left = changed.awaitNanos(left);
            }
            if (left <= 0 && !orGoOn) {
                throwIfHopeless();
                throw members.count() > 0 ? silent(timeoutNanos) : unreachable(timeoutNanos);
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

    /** Everybody refuses for a reason that time does not change, such as a wrong token. */
    private void throwIfHopeless() {
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

    private RdmaTimeoutException silent(long timeoutNanos) {
        return new RdmaTimeoutException("none of the " + members.count() + " instances of " + describe()
                + " that are connected said within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                + " ms whether it offers the service");
    }

    /** A call that finds no instance is not sent to any. */
    private RdmaNotExecutedException unreachable(long timeoutNanos) {
        String within = " within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms";
        if (!listed) {
            return new RdmaNotExecutedException(
                    "the instances of " + describe() + " were not known" + within + ": is the registry reachable?");
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
     * @return those that are known, and those that are still drained
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
            int seen = news();
            AvailableMembers now = members;
            for (int i = 0; i < now.count(); i++) {
                Member member = now.get(choice.nextTurn(now.count()));
                if (member.isConnected()) {
                    return member.channel().session(timeout);
                }
            }
            awaitNews(seen, deadline - System.nanoTime(), false);
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
        throw new RdmaUnavailableException("the session with " + describe() + " has ended: call again");
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
            remake();
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
