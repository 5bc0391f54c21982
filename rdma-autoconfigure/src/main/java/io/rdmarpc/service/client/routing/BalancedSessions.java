package io.rdmarpc.service.client.routing;

import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaRpcException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The sessions of one proxy with the instances of its target. Calls read immutable arrays, which changes replace. */
final class BalancedSessions extends TargetSessions {

    /** How long a retried call waits for another instance while the instance of the failed attempt is connected. */
    private static final long ANOTHER_WAIT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final BalancedChannel channel;
    private final ServiceContract contract;
    private final Runnable whenVerified;
    /** Includes excluded instances, so that a readmitted instance is not verified again. */
    private final Map<Member, InstanceSessions> known = new ConcurrentHashMap<>();

    private volatile View view = new View(AvailableMembers.NONE, new InstanceSessions[0]);

    /** Sessions of this proxy in the order of the members. */
    private static final class View {

        private final AvailableMembers members;
        private final InstanceSessions[] sessions;

        View(AvailableMembers members, InstanceSessions[] sessions) {
            this.members = members;
            this.sessions = sessions;
        }
    }

    BalancedSessions(BalancedChannel channel, ServiceContract contract) {
        this.channel = channel;
        this.contract = contract;
        this.whenVerified = channel::verificationEnded;
    }

    /** Returns the current view. Two threads may create equal views concurrently, and either may be used. */
    private View view() {
        View last = view;
        AvailableMembers members = channel.members();
        return last.members.equals(members) ? last : update(members);
    }

    private View update(AvailableMembers members) {
        known.keySet().removeIf(Member::isLeaving);
        InstanceSessions[] sessions = new InstanceSessions[members.count()];
        for (int i = 0; i < sessions.length; i++) {
            sessions[i] =
                    known.computeIfAbsent(members.get(i), member -> InstanceSessions.with(member.channel(), contract));
        }
        View fresh = new View(members, sessions);
        view = fresh;
        for (InstanceSessions session : sessions) {
            verify(session);
        }
        return fresh;
    }

    /** Verifies a session before its first call. Until then, calls use other sessions. */
    private void verify(InstanceSessions session) {
        session.verify(channel.attempt(), whenVerified);
    }

    @Override
    public boolean isReady() {
        return ready() != null;
    }

    @Override
    @Nullable
    public RpcSession ready() {
        for (InstanceSessions session : view().sessions) {
            RpcSession ready = session.ready();
            if (ready != null) {
                return ready;
            }
        }
        return null;
    }

    @Override
    @Nullable
    public RpcSession atOnce(@Nullable Object key) {
        return choose(view(), key, null);
    }

    @Override
    public RpcSession get(@Nullable Object key, long timeoutNanos) {
        RpcSession chosen = atOnce(key);
        return chosen != null ? chosen : find(key, null, timeoutNanos);
    }

    @Override
    public RpcSession another(RpcSession failed, @Nullable Object key, long timeoutNanos) {
        RpcSession chosen = choose(view(), key, failed);
        return chosen != null ? chosen : find(key, failed, timeoutNanos);
    }

    /**
     * Returns a session for a call, or null if none is ready. Verification of new sessions is started, and they are
     * skipped.
     */
    @SuppressWarnings("ReferenceEquality")
    private @Nullable RpcSession choose(View now, @Nullable Object key, @Nullable RpcSession avoided) {
        InstanceSessions[] sessions = now.sessions;
        if (sessions.length == 0) {
            return null;
        }
        int first = channel.choice().choose(now.members, sessions, key);
        for (int i = 0; i < sessions.length; i++) {
            InstanceSessions next = sessions[(first + i) % sessions.length];
            RpcSession session = next.ready();
            if (session != null && session != avoided) {
                return session;
            }
            if (session == null) {
                verify(next);
            }
        }
        return null;
    }

    /**
     * Verifies all sessions and waits for the first one that offers the service. Without instances it waits for them.
     */
    private RpcSession find(@Nullable Object key, @Nullable RpcSession avoided, long timeoutNanos) {
        long deadline = System.nanoTime() + timeoutNanos;
        long anotherUntil = System.nanoTime() + Math.min(timeoutNanos, ANOTHER_WAIT_NANOS);
        AvailableMembers lastVerified = AvailableMembers.NONE;
        while (true) {
            int seen = channel.changes();
            View now = view();
            if (!now.members.equals(lastVerified)) {
                lastVerified = now.members;
                verifyAll(now);
            }
            RpcSession chosen = choose(now, key, avoided);
            if (chosen != null) {
                return chosen;
            }
            boolean verifying = isVerifying(now);
            if (!verifying && !now.members.equals(channel.members())) {
                continue;
            }
            RpcSession fallback = avoided != null && avoided.takesCalls() ? avoided : null;
            if (fallback != null && (!verifying || System.nanoTime() - anotherUntil >= 0)) {
                return fallback;
            }
            RdmaRpcException rejection = verifying ? null : rejectionOf(now);
            if (rejection != null && channel.isSettled()) {
                throw rejection;
            }
            long until = fallback != null ? anotherUntil : deadline;
            channel.awaitChange(seen, until - System.nanoTime(), fallback != null);
        }
    }

    private void verifyAll(View now) {
        for (InstanceSessions session : now.sessions) {
            session.verifyAgain(channel.attempt(), whenVerified);
        }
    }

    private static boolean isVerifying(View now) {
        for (InstanceSessions session : now.sessions) {
            if (session.isVerifying()) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable RdmaRpcException rejectionOf(View now) {
        for (InstanceSessions session : now.sessions) {
            RdmaRpcException rejection = session.rejection();
            if (rejection != null) {
                return rejection;
            }
        }
        return null;
    }

    @Override
    public void failed(RpcSession session, RdmaRpcException e) {
        Member member = memberOf(session);
        if (member != null) {
            member.callFailed(session, e);
        }
    }

    @Override
    public void succeeded(RpcSession session) {
        if (channel.isSuspect()) {
            Member member = memberOf(session);
            if (member != null) {
                member.callSucceeded();
            }
        }
    }

    private @Nullable Member memberOf(RpcSession session) {
        View now = view();
        for (int i = 0; i < now.sessions.length; i++) {
            if (now.sessions[i].holds(session)) {
                return now.members.get(i);
            }
        }
        return null;
    }
}
