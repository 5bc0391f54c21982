package io.rdmarpc.rpc.engine.transfer;

import io.rdmarpc.concurrent.WheelTimer;
import io.rdmarpc.memory.BuddyArena;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.context.EngineCommand;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.rpc.engine.context.Expect;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.engine.session.LargeRead;
import io.rdmarpc.rpc.engine.session.LargeSource;
import io.rdmarpc.rpc.error.FailureMessage;
import io.rdmarpc.transport.RcConnection;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.RemoteView;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Receives large messages. If possible, a message is viewed in the peer's memory. Otherwise it needs local memory, then
 * a connection, then the READ. Registering memory and connecting block, so they run on other threads while the message
 * waits. Peers share memory and READs: see {@link LargeSource}. A connection whose READs make no progress ends its
 * session. Engine thread only.
 */
public final class LargeTransfers {

    private final EngineContext context;
    private final RcTransport rc;
    private final BuddyArena arena;
    private final EngineCounters counters;
    private final LargeSources sources;
    /** Sources with messages that wait for memory or for the load limit. Contains each source once. */
    private final ArrayDeque<LargeSource> waitingSources = new ArrayDeque<>();

    private final ReadWatch watch;
    private int waiting;
    private boolean isAdmitting;
    private boolean viewedAtOnce;

    public LargeTransfers(EngineContext context, RcTransport rc, BuddyArena arena, LoadShedding shedding) {
        this.context = context;
        this.rc = rc;
        this.arena = arena;
        this.counters = context.counters();
        this.sources = new LargeSources(rc, () -> arena.limitBytes() / rc.engines(), shedding::maxReading);
        this.watch = new ReadWatch();
    }

    /** Adds a session to the engine. */
    public void join(EngineSession session) {
        session.source(sources.join(session.origin()));
    }

    /** Starts to receive a message. */
    public void fetch(LargeRead read) {
        try {
            if (!view(read)) {
                read(read);
            }
        } catch (Throwable e) {
            notPosted(read, e);
        }
    }

    /** Continues with a message that now has memory or a connection. */
    private void proceed(LargeRead read) {
        try {
            connect(read);
        } catch (Throwable e) {
            notPosted(read, e);
        }
    }

    /** Ends a message for which posting failed, without ending its session. */
    private void notPosted(LargeRead read, Throwable failure) {
        context.failures().caught("a large message", failure);
        release(read, "an internal failure: " + failure, false);
    }

    /** Runs the end of a READ. Never throws, because other READs that have ended at the same time follow. */
    private void guard(LargeRead read, Runnable end) {
        try {
            end.run();
        } catch (Throwable e) {
            context.failures().caught("the end of a large message", e);
            terminate(read, "an internal failure of a large message: " + e);
        }
    }

    private void terminate(LargeRead read, String reason) {
        try {
            terminateAndRelease(read, reason, reason);
        } catch (Throwable e) {
            context.failures().caught("the failure of a large message", e);
        }
    }

    /** Releases the message's memory and its part, even if the control side throws. */
    private void terminateAndRelease(LargeRead read, String sessionReason, String messageReason) {
        try {
            read.session.terminate(sessionReason);
        } finally {
            release(read, messageReason, true);
        }
    }

    /** Requests a view of the message; returns false if it has to be READ. */
    private boolean view(LargeRead read) {
        viewedAtOnce = false;
        RcConnection connection = read.session.rcLink().connection();
        boolean requested = connection != null
                && read.session.isOpen()
                && read.session.source().tryTakeCall(read)
                && rc.view(
                        connection,
                        read.remoteAddress,
                        read.rkey,
                        read.lengthBytes,
                        (status, view) -> guard(read, () -> onViewEnd(read, status, view)));
        if (requested && !viewedAtOnce) {
            watch.begin();
        }
        return requested;
    }

    /** Returns whether a message was viewed at once since the last call of this method. */
    boolean viewedAtOnce() {
        boolean viewed = viewedAtOnce;
        viewedAtOnce = false;
        return viewed;
    }

    private void onViewEnd(LargeRead read, int status, RemoteView view) {
        MemorySegment memory = view.memory();
        if (status == CompletionStatus.SUCCESS && memory != null) {
            viewedAtOnce = true;
            count(read);
            read.session.source().giveBack(read);
            read.fetched(new ViewedMessage(view, memory));
            admitWaiting();
            return;
        }
        view.close();
        if (status == CompletionStatus.SUCCESS) {
            read(read);
        } else {
            failRead(read, status);
        }
    }

    private void read(LargeRead read) {
        if (!read.session.isOpen()) {
            fail(read, "the session has ended");
            return;
        }
        read.memoryBytes = arena.blockBytes(read.lengthBytes);
        LargeSource source = read.session.source();
        if (source.waiting.isEmpty() && source.tryTake(read)) {
            allocate(read);
            return;
        }
        source.giveBack(read);
        read.onWait();
        source.waiting.addLast(read);
        waiting++;
        watch.begin();
        if (!source.isQueued) {
            source.isQueued = true;
            waitingSources.addLast(source);
        }
    }

    /** Admits waiting messages after a message has been received or has failed, and so has released its part. */
    private void admitWaiting() {
        if (isAdmitting) {
            return;
        }
        isAdmitting = true;
        try {
            boolean admitted = true;
            while (admitted && !waitingSources.isEmpty()) {
                admitted = admitRound();
            }
        } finally {
            isAdmitting = false;
        }
    }

    /** Admits one message of each source if possible; returns true if it admitted any. */
    private boolean admitRound() {
        boolean admitted = false;
        for (int left = waitingSources.size(); left > 0; left--) {
            LargeSource source = waitingSources.removeFirst();
            LargeRead first = source.waiting.peekFirst();
            boolean fits = first != null && source.tryTake(first);
            if (fits) {
                source.waiting.removeFirst();
                waiting--;
            }
            source.isQueued = !source.waiting.isEmpty();
            if (source.isQueued) {
                waitingSources.addLast(source);
            }
            if (fits) {
                admitted = true;
                admit(first);
            }
        }
        return admitted;
    }

    private void admit(LargeRead read) {
        try {
            if (!read.session.isOpen()) {
                fail(read, "the session has ended");
            } else if (read.admits()) {
                allocate(read);
            } else {
                read.session.source().giveBack(read);
            }
        } catch (Throwable e) {
            notPosted(read, e);
        }
    }

    private void allocate(LargeRead read) {
        MessageBuffer buffer = arena.tryAllocate(read.lengthBytes);
        if (buffer == null) {
            growFor(read);
        } else {
            read.target = buffer.take();
            connect(read);
        }
    }

    /** Allocates in the same step as it grows the arena, so that other threads cannot use the new room in between. */
    private void growFor(LargeRead read) {
        read.session.rcLink().prepare();
        context.runBlocking(() -> {
            RegisteredBlock block = null;
            String problem = "";
            try {
                block = arena.allocate(read.lengthBytes).take();
            } catch (RuntimeException | Error e) {
                problem = FailureMessage.of(e);
            }
            context.submit(new Grown(read, block, problem));
        });
    }

    /** The result of growing the arena, which is passed to the engine thread. */
    private final class Grown extends EngineCommand {

        private final LargeRead read;
        private final @Nullable RegisteredBlock block;
        private final String problem;

        Grown(LargeRead read, @Nullable RegisteredBlock block, String problem) {
            this.read = read;
            this.block = block;
            this.problem = problem;
        }

        @Override
        public void execute(long nowNanos) {
            read.session.rcLink().prepared();
            if (block == null) {
                release(read, problem, false);
            } else {
                read.target = block;
                proceed(read);
            }
        }
    }

    private void connect(LargeRead read) {
        if (!read.session.isOpen()) {
            fail(read, "the session has ended");
            return;
        }
        RcConnection connection = read.session.rcLink().connection();
        if (connection == null) {
            read.session.rcLink().await(read);
        } else {
            post(read, connection);
        }
    }

    private void post(LargeRead read, RcConnection connection) {
        RegisteredBlock target = Expect.present(read.target);
        watch.begin();
        rc.read(
                connection,
                target.address() + target.payloadOffset(),
                target.lkey(),
                read.remoteAddress,
                read.rkey,
                read.lengthBytes,
                status -> guard(read, () -> onReadEnd(read, target, status)));
    }

    private void onReadEnd(LargeRead read, RegisteredBlock target, int status) {
        if (status == CompletionStatus.SUCCESS) {
            count(read);
            read.target = null;
            read.session.source().giveBack(read);
            read.fetched(new ReceivedBlock(target, read.lengthBytes));
            admitWaiting();
            return;
        }
        failRead(read, status);
    }

    private void count(LargeRead read) {
        counters.increment(Counter.READS);
        counters.add(Counter.READ_BYTES, read.lengthBytes);
    }

    private void failRead(LargeRead read, int status) {
        String text = CompletionStatus.describe(status);
        terminateAndRelease(read, "an RDMA READ of " + read.lengthBytes + " bytes failed with " + text, text);
    }

    private void fail(LargeRead read, String reason) {
        release(read, reason, true);
    }

    private void release(LargeRead read, String reason, boolean sessionIsBroken) {
        RegisteredBlock target = read.target;
        if (target != null) {
            read.target = null;
            target.free();
        }
        read.session.source().giveBack(read);
        read.failed(reason, sessionIsBroken);
        admitWaiting();
    }

    /** Starts the messages that waited for the connection. */
    public void onConnected(EngineSession session, RcConnection connection) {
        connection.assign(session.source().reads, () -> onStalled(session));
        for (LargeRead read : session.rcLink().connected(connection)) {
            proceed(read);
        }
    }

    /**
     * Cancels the messages of a session that has ended. No further READ is posted. READs at the NIC end when their
     * queue pair enters the error state.
     */
    public void cancel(EngineSession session) {
        sources.leave(session.origin());
        for (LargeRead read : takeWaiting(session)) {
            guard(read, () -> fail(read, "the session has ended"));
        }
        for (LargeRead read : session.rcLink().takeWaiting()) {
            guard(read, () -> fail(read, "the session has ended"));
        }
        RcConnection connection = session.rcLink().connection();
        if (connection != null) {
            rc.cancelReads(connection);
        }
    }

    private List<LargeRead> takeWaiting(EngineSession session) {
        List<LargeRead> reads = new ArrayList<>();
        session.source().waiting.removeIf(read -> session.equals(read.session) && reads.add(read));
        waiting -= reads.size();
        return reads;
    }

    private void onStalled(EngineSession session) {
        if (session.isOpen()) {
            counters.increment(Counter.READS_STALLED);
        }
        Duration limit = rc.config().readTimeout();
        session.terminate("RDMA READs made no progress for " + limit.toMillis()
                + " ms: the peer must serve 1 MiB for each session within that time (rdma.rc.read-timeout)");
    }

    /** Returns the number of messages that wait for READs, for memory or for the load limit. */
    public int waiting() {
        return waiting + rc.readsWaiting();
    }

    /** Ends waiting messages whose caller has cancelled or timed out, because their READs would be useless. */
    private void endObsolete(long nowNanos) {
        List<LargeRead> obsolete = new ArrayList<>();
        for (LargeSource source : waitingSources) {
            source.waiting.removeIf(read -> !read.isNeeded(nowNanos) && obsolete.add(read));
        }
        waiting -= obsolete.size();
        obsolete.forEach(this::admit);
    }

    /**
     * Checks for connections without progress while READs are in flight, and for waiting messages whose deadline has
     * passed.
     */
    private final class ReadWatch extends WheelTimer {

        private static final int CHECKS = 4;

        private final long limitNanos = rc.config().readTimeout().toNanos();
        private final long intervalNanos = Math.min(limitNanos / CHECKS, TimeUnit.SECONDS.toNanos(1));

        void begin() {
            if (!isArmed()) {
                arm(context.clock().nanoTime());
            }
        }

        private void arm(long nowNanos) {
            context.timers().arm(this, nowNanos + intervalNanos);
        }

        @Override
        protected void onDue(long nowNanos) {
            if (rc.readsInFlight() + waiting() > 0) {
                arm(nowNanos);
                rc.findStalled(nowNanos, limitNanos);
                endObsolete(nowNanos);
            }
        }
    }

    /** Returns whether a READ of the session is at the NIC, or waits for memory that another thread allocates. */
    boolean isBusy(EngineSession session) {
        RcConnection connection = session.rcLink().connection();
        return session.rcLink().isPreparing() || (connection != null && rc.isBusy(connection));
    }
}
