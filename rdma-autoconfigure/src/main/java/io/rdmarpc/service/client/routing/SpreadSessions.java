package io.rdmarpc.service.client.routing;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.runtime.PollingThread;
import io.rdmarpc.service.concurrent.Stripes;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of one proxy with one instance, one on each engine. A thread always uses the same one, so that threads
 * of different engines do not write the same memory. A polling thread uses the one on its own engine.
 *
 * <p>The first call connects the session of the channel itself. The others connect in the background, when a thread would
 * use them. Until then, and while one cannot connect, its threads use another one: a server may accept only some of them.
 */
final class SpreadSessions extends InstanceSessions {

    /** By the number of the engine. */
    private final VerifiedSession[] all;

    /** The session of the channel itself. It decides whether the instance is available. */
    private final VerifiedSession home;

    SpreadSessions(RpcChannel channel, ServiceContract contract) {
        List<RpcChannel> channels = channel.perEngine();
        this.all = channels.stream()
                .map(each -> new VerifiedSession(each, contract))
                .toArray(VerifiedSession[]::new);
        this.home = all[channels.indexOf(channel)];
    }

    @Override
    @Nullable
    public RpcSession ready() {
        VerifiedSession own = ofThread();
        RpcSession session = own.ready();
        return session != null ? session : instead(own);
    }

    private VerifiedSession ofThread() {
        int engine = PollingThread.currentEngine();
        return all[engine >= 0 ? engine % all.length : Stripes.ofThread(all.length)];
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
        for (int i = 0; i < all.length && session == null; i++) {
            session = all[i].ready();
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
        for (VerifiedSession each : all) {
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
        for (VerifiedSession each : all) {
            RpcSession session = each.ready();
            if (session != null) {
                sum += session.callsInFlight();
                isReady = true;
            }
        }
        return isReady ? sum : Integer.MAX_VALUE;
    }
}
