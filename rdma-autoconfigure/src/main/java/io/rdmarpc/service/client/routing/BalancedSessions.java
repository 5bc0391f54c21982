package io.rdmarpc.service.client.routing;

import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaRpcException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The sessions of one proxy with the instances of its target. A call looks at arrays; what changes makes new ones. */
final class BalancedSessions extends TargetSessions {

    /** How long a call that is made again waits for another instance, while the one that failed it is there. */
    private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final BalancedChannel channel;
    private final ServiceContract contract;
    private final Runnable asked;
    /** Also of those that are left out for a while: who comes back is not asked again. */
    private final Map<Member, VerifiedSession> known = new ConcurrentHashMap<>();

    private volatile View view = new View(AvailableMembers.NONE, new VerifiedSession[0]);

    /** The sessions of this proxy in the order of the members. */
    private static final class View {

        private final AvailableMembers members;
        private final VerifiedSession[] sessions;

        View(AvailableMembers members, VerifiedSession[] sessions) {
            this.members = members;
            this.sessions = sessions;
        }
    }

    BalancedSessions(BalancedChannel channel, ServiceContract contract) {
        this.channel = channel;
        this.contract = contract;
        this.asked = channel::tellNews;
    }

    /** Two threads may make the same one; either is good. */
    private View view() {
        View last = view;
        AvailableMembers members = channel.members();
        return last.members.equals(members) ? last : remake(members);
    }

    private View remake(AvailableMembers members) {
        known.keySet().removeIf(Member::isLeaving);
        VerifiedSession[] sessions = new VerifiedSession[members.count()];
        for (int i = 0; i < sessions.length; i++) {
            sessions[i] =
                    known.computeIfAbsent(members.get(i), member -> new VerifiedSession(member.channel(), contract));
        }
        View fresh = new View(members, sessions);
        view = fresh;
        for (VerifiedSession session : sessions) {
            ask(session);
        }
        return fresh;
    }

    /** Before it is called: meanwhile others are. */
    private void ask(VerifiedSession session) {
        session.ask(channel.attempt(), asked);
    }

    @Override
    public boolean isReady() {
        return ready() != null;
    }

    @Override
    @Nullable
    public RpcSession ready() {
        for (VerifiedSession session : view().sessions) {
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

    /** Null when none is ready. One that has not said yet what it offers is asked and passed over. */
    @SuppressWarnings("ReferenceEquality")
    private @Nullable RpcSession choose(View now, @Nullable Object key, @Nullable RpcSession avoided) {
        VerifiedSession[] sessions = now.sessions;
        if (sessions.length == 0) {
            return null;
        }
        int first = channel.choice().choose(now.members, sessions, key);
        for (int i = 0; i < sessions.length; i++) {
            VerifiedSession next = sessions[(first + i) % sessions.length];
            RpcSession session = next.ready();
            if (session != null && session != avoided) {
                return session;
            }
            if (session == null) {
                ask(next);
            }
        }
        return null;
    }

    /** Asks everybody for the contract, and waits for the first who offers it; for instances while there is none. */
    private RpcSession find(@Nullable Object key, @Nullable RpcSession avoided, long timeoutNanos) {
        long deadline = System.nanoTime() + timeoutNanos;
        long patience = System.nanoTime() + Math.min(timeoutNanos, PATIENCE_NANOS);
        AvailableMembers askedOnce = AvailableMembers.NONE;
        while (true) {
            int seen = channel.news();
            View now = view();
            if (!now.members.equals(askedOnce)) {
                askedOnce = now.members;
                askAll(now);
            }
            RpcSession chosen = choose(now, key, avoided);
            if (chosen != null) {
                return chosen;
            }
            boolean asking = isAsking(now);
            if (!asking && !now.members.equals(channel.members())) {
                continue;
            }
            RpcSession fallback = avoided != null && avoided.takesCalls() ? avoided : null;
            if (fallback != null && (!asking || System.nanoTime() - patience >= 0)) {
                return fallback;
            }
            RdmaRpcException rejection = asking ? null : refusalOf(now);
            if (rejection != null && channel.isSettled()) {
                throw rejection;
            }
            long until = fallback != null ? patience : deadline;
            channel.awaitNews(seen, until - System.nanoTime(), fallback != null);
        }
    }

    private void askAll(View now) {
        for (VerifiedSession session : now.sessions) {
            session.askAgain(channel.attempt(), asked);
        }
    }

    private static boolean isAsking(View now) {
        for (VerifiedSession session : now.sessions) {
            if (session.isAsking()) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable RdmaRpcException refusalOf(View now) {
        for (VerifiedSession session : now.sessions) {
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
            member.callFailed(e);
        }
    }

    @Override
    public void succeeded(RpcSession session) {
        if (channel.isDoubtful()) {
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
