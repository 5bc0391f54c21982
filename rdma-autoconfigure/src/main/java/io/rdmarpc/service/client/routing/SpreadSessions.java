package io.rdmarpc.service.client.routing;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.runtime.PollingThread;
import io.rdmarpc.service.concurrent.Stripes;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one proxy with one instance, one on each engine. A thread always uses the same one, so that threads
 * of different engines do not write the same memory. A polling thread uses the one on its own engine.
 *
 * <p>The first call connects the session of the channel itself. The others connect in the background, when a thread would
 * use them. Until then, and while one cannot connect, its threads use another one: a server may accept only some of them.
 * The number of engines may change at any time. Calls of a thread that has chosen a session before still run on it.
 */
final class SpreadSessions extends InstanceSessions {

    private final RpcChannel channel;
    private final ServiceContract contract;
    private final List<RpcChannel> channels;

    /** The session of the channel itself. It decides whether the instance is available. */
    private final VerifiedSession home;

    /** By the number of the engine. Replaced as a whole when the number of active engines changes. */
    private volatile VerifiedSession[] all = new VerifiedSession[0];

    /** All sessions that were ever used, by their channel. Guarded by this. */
    private final IdentityHashMap<RpcChannel, VerifiedSession> known = new IdentityHashMap<>();

    SpreadSessions(RpcChannel channel, ServiceContract contract) {
        this.channel = channel;
        this.contract = contract;
        this.channels = channel.perEngine();
        this.home = new VerifiedSession(channel, contract);
        known.put(channel, home);
    }

    /** Returns the sessions on the engines that are active now. */
    private VerifiedSession[] active() {
        VerifiedSession[] current = all;
        return current.length == channels.size() ? current : resize();
    }

    private synchronized VerifiedSession[] resize() {
        List<RpcChannel> now = channel.perEngine();
        VerifiedSession[] sessions = new VerifiedSession[now.size()];
        for (int i = 0; i < sessions.length; i++) {
            sessions[i] = known.computeIfAbsent(now.get(i), each -> new VerifiedSession(each, contract));
        }
        all = sessions;
        return sessions;
    }

    @Override
    @Nullable
    public RpcSession ready() {
        VerifiedSession own = ofThread(active());
        RpcSession session = own.ready();
        return session != null ? session : instead(own);
    }

    private static VerifiedSession ofThread(VerifiedSession[] sessions) {
        int engine = PollingThread.currentEngine();
        return sessions[engine >= 0 ? engine % sessions.length : Stripes.ofThread(sessions.length)];
    }

    private @Nullable RpcSession instead(VerifiedSession own) {
        RpcSession session = anyReady();
        if (session != null) {
            // The instance is available. Otherwise the call connects the session of the channel itself, and only that
            // one.
            own.openLater();
        }
        return session;
    }

    private @Nullable RpcSession anyReady() {
        RpcSession session = home.ready();
        VerifiedSession[] sessions = all;
        for (int i = 0; i < sessions.length && session == null; i++) {
            session = sessions[i].ready();
        }
        return session;
    }

    @Override
    @Nullable
    public RpcSession atOnce(@Nullable Object key) {
        return ready();
    }

    @Override
    public RpcSession get(@Nullable Object key, long timeoutNanos) {
        RpcSession session = ready();
        return session != null ? session : home.get(key, timeoutNanos);
    }

    @Override
    void verify(Duration limit, Runnable whenDone) {
        home.verify(limit, whenDone);
    }

    @Override
    void verifyAgain(Duration limit, Runnable whenDone) {
        home.verifyAgain(limit, whenDone);
    }

    @Override
    boolean isVerifying() {
        return home.isVerifying();
    }

    @Override
    @Nullable
    RdmaContractException rejection() {
        return home.rejection();
    }

    @Override
    boolean holds(RpcSession session) {
        for (VerifiedSession each : active()) {
            if (each.holds(session)) {
                return true;
            }
        }
        return false;
    }

    @Override
    int callsInFlight() {
        int sum = 0;
        boolean isReady = false;
        for (VerifiedSession each : active()) {
            RpcSession session = each.ready();
            if (session != null) {
                sum += session.callsInFlight();
                isReady = true;
            }
        }
        return isReady ? sum : Integer.MAX_VALUE;
    }
}
