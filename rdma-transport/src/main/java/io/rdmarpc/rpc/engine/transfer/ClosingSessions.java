package io.rdmarpc.rpc.engine.transfer;

import io.rdmarpc.concurrent.TimerWheel;
import io.rdmarpc.concurrent.WheelTimer;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import io.rdmarpc.rpc.engine.session.EngineSession;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Removed sessions, each of which is released when the NIC no longer refers to its memory. Engine thread only. */
public final class ClosingSessions {

    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final TimerWheel timers;
    private final LargeTransfers transfers;
    private final Transmitter transmitter;
    private final Set<EngineSession> closing = new LinkedHashSet<>();

    public ClosingSessions(TimerWheel timers, LargeTransfers transfers, Transmitter transmitter) {
        this.timers = timers;
        this.transfers = transfers;
        this.transmitter = transmitter;
    }

    public void add(EngineSession session, long nowNanos) {
        closing.add(session);
        timers.arm(new ReleaseCheck(session), nowNanos);
    }

    /** Releases all sessions, when no thread runs the loop any more and the NIC's objects are closed. */
    public void releaseAll() {
        List<EngineSession> all = new ArrayList<>(closing);
        closing.clear();
        RuntimeException failure = null;
        for (EngineSession session : all) {
            try {
                session.host.drained();
            } catch (RuntimeException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Checks one session until it is released. */
    private final class ReleaseCheck extends WheelTimer {

        private final EngineSession session;

        ReleaseCheck(EngineSession session) {
            this.session = session;
        }

        @Override
        protected void onDue(long nowNanos) {
            if (transfers.isBusy(session) || !transmitter.hasLeft(session.path)) {
                timers.arm(this, nowNanos + RETRY_NANOS);
            } else if (closing.remove(session)) {
                transmitter.removePath(session.path);
                session.host.drained();
            }
        }
    }
}
