package io.rdmarpc.service.client;

import io.rdmarpc.rpc.RdmaTimeoutException;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import org.jspecify.annotations.Nullable;

/** The sessions of one proxy with the instances of its target. A call looks at arrays; what changes makes new ones. */
final class BalancedSessions extends TargetSessions {

    private final BalancedChannel channel;
    private final ServiceContract contract;
    private volatile View view = new View(Members.NONE, new VerifiedSession[0]);

    /** The sessions of this proxy in the order of the members. */
    private static final class View {

        private final Members members;
        private final VerifiedSession[] sessions;

        View(Members members, VerifiedSession[] sessions) {
            this.members = members;
            this.sessions = sessions;
        }
    }

    BalancedSessions(BalancedChannel channel, ServiceContract contract) {
        this.channel = channel;
        this.contract = contract;
    }

    /** Two threads may make the same one; either is good. */
    private View view() {
        View known = view;
        Members members = channel.members();
        return known.members.equals(members) ? known : remake(known, members);
    }

    private View remake(View known, Members members) {
        VerifiedSession[] sessions = new VerifiedSession[members.count()];
        for (int i = 0; i < sessions.length; i++) {
            sessions[i] = sessionWith(members.get(i), known);
        }
        View fresh = new View(members, sessions);
        view = fresh;
        return fresh;
    }

    private VerifiedSession sessionWith(Member member, View known) {
        for (int i = 0; i < known.members.count(); i++) {
            if (known.members.get(i).equals(member)) {
                return known.sessions[i];
            }
        }
        return new VerifiedSession(member.channel(), contract);
    }

    @Override
    boolean isReady() {
        View now = view();
        boolean ready = false;
        for (VerifiedSession session : now.sessions) {
            if (session.isNew()) {
                return false;
            }
            ready |= session.isReady();
        }
        return ready;
    }

    @Override
    @Nullable
    RpcSession ready() {
        for (VerifiedSession session : view().sessions) {
            RpcSession ready = session.ready();
            if (ready != null) {
                return ready;
            }
        }
        return null;
    }

    @Override
    RpcSession get(@Nullable Object key, long timeoutNanos) {
        RpcSession chosen = choose(view(), key, null);
        return chosen != null ? chosen : find(key, null, timeoutNanos);
    }

    @Override
    RpcSession another(RpcSession failed, @Nullable Object key, long timeoutNanos) {
        RpcSession chosen = choose(view(), key, failed);
        return chosen != null ? chosen : find(key, failed, timeoutNanos);
    }

    /** Null when the one chosen has to be looked at first, and when none is ready. */
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
            if (session == null && next.isNew()) {
                return null;
            }
        }
        return null;
    }

    /** Asks new sessions for the contract, and waits for instances while there is none. */
    private RpcSession find(@Nullable Object key, @Nullable RpcSession avoided, long timeoutNanos) {
        long deadline = System.nanoTime() + timeoutNanos;
        while (true) {
            View now = view();
            RpcException refusal = verifyNew(now, deadline);
            RpcSession chosen = choose(now, key, avoided);
            if (chosen != null) {
                return chosen;
            }
            if (avoided != null && avoided.isOpen()) {
                return avoided;
            }
            if (refusal != null && isAll(now)) {
                throw refusal;
            }
            channel.awaitChange(now.members, deadline - System.nanoTime());
        }
    }

    /** Tells whether every instance was asked. Who was connected to meanwhile is not in what was looked at. */
    private boolean isAll(View seen) {
        return channel.isSettled() && channel.members().equals(seen.members) && !hasNew(seen);
    }

    /** Returns the last refusal, null when there was none. */
    private static @Nullable RpcException verifyNew(View now, long deadline) {
        RpcException last = null;
        for (VerifiedSession session : now.sessions) {
            if (session.isReady() || !session.isConnected()) {
                continue;
            }
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                throw new RdmaTimeoutException("the time was over before an instance was known to offer the service");
            }
            try {
                session.get(null, left);
            } catch (RpcException e) {
                last = e;
            }
        }
        return last;
    }

    private static boolean hasNew(View now) {
        for (VerifiedSession session : now.sessions) {
            if (session.isNew()) {
                return true;
            }
        }
        return false;
    }

    @Override
    void failed(RpcSession session, RpcException e) {
        Member member = memberOf(session);
        if (member != null) {
            member.callFailed(e);
        }
    }

    @Override
    void succeeded(RpcSession session) {
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
