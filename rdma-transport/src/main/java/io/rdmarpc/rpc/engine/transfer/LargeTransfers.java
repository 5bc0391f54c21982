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
 * Large messages: seen in the peer's memory where that can be; otherwise memory, then a connection, then the READ. What blocks -
 * registering memory, connecting - runs elsewhere while the message waits; the loop does not. Peers share memory and READs: see
 * {@link LargeSource}. A connection whose READs make no progress ends its session. Engine thread only.
 */
public final class LargeTransfers {

    private final EngineContext context;
    private final RcTransport rc;
    private final BuddyArena arena;
    private final EngineCounters counters;
    private final LargeSources sources;
    /** Sources with messages that wait for memory or for room to run; each is here once. */
    private final ArrayDeque<LargeSource> waitingSources = new ArrayDeque<>();

    private final ReadWatch watch;
    private int waiting;
    private boolean isAdmitting;
    private boolean sawAtOnce;

    public LargeTransfers(EngineContext context, RcTransport rc, BuddyArena arena, LoadShedding shedding) {
        this.context = context;
        this.rc = rc;
        this.arena = arena;
        this.counters = context.counters();
        this.sources = new LargeSources(rc, () -> arena.limitBytes() / rc.engines(), shedding::mostFetching);
        this.watch = new ReadWatch();
    }

    /** Notes that the engine has a session from now on. */
    public void join(EngineSession session) {
        session.source(sources.join(session.origin()));
    }

    /** Starts to fetch a message. */
    public void fetch(LargeRead read) {
        try {
            if (!view(read)) {
                read(read);
            }
        } catch (Throwable e) {
            notPosted(read, e);
        }
    }

    /** Goes on with a message for which there is memory now, or a connection. */
    private void goOn(LargeRead read) {
        try {
            connect(read);
        } catch (Throwable e) {
            notPosted(read, e);
        }
    }

    /** A message that fails on its way to the NIC is not there: it ends here, and the session goes on. */
    private void notPosted(LargeRead read, Throwable failure) {
        context.failures().caught("a large message", failure);
        release(read, "the engine failed on it: " + failure, false);
    }

    /** Never throws: the READs that have ended with this one come after it. */
    private void guard(LargeRead read, Runnable end) {
        try {
            end.run();
        } catch (Throwable e) {
            context.failures().caught("the end of a large message", e);
            breakOff(read, "the engine failed on a large message: " + e);
        }
    }

    private void breakOff(LargeRead read, String reason) {
        try {
            breakOffAndRelease(read, reason, reason);
        } catch (Throwable e) {
            context.failures().caught("the failure of a large message", e);
        }
    }

    /** Whatever the control side does: the message's memory and its part come back. */
    private void breakOffAndRelease(LargeRead read, String ofSession, String ofMessage) {
        try {
            read.session.breakOff(ofSession);
        } finally {
            release(read, ofMessage, true);
        }
    }

    /** Asks to see the message where it is; false when it must be read. */
    private boolean view(LargeRead read) {
        sawAtOnce = false;
        RcConnection connection = read.session.rcLink().connection();
        boolean asked = connection != null
                && read.session.isOpen()
                && read.session.source().tryTakeCall(read)
                && rc.view(
                        connection,
                        read.remoteAddress,
                        read.rkey,
                        read.lengthBytes,
                        (status, view) -> guard(read, () -> onViewEnd(read, status, view)));
        if (asked && !sawAtOnce) {
            watch.begin();
        }
        return asked;
    }

    /** Tells, once, whether the last message was seen as soon as it was asked for. */
    boolean sawAtOnce() {
        boolean saw = sawAtOnce;
        sawAtOnce = false;
        return saw;
    }

    private void onViewEnd(LargeRead read, int status, RemoteView view) {
        MemorySegment memory = view.memory();
        if (status == CompletionStatus.SUCCESS && memory != null) {
            sawAtOnce = true;
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

    /** A message is here, or will not come: what it held may be what others wait for. */
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

    /** Lets each source go on with one message, if it may; true if one did. */
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

    /** Allocating in the same step as growing, so that others cannot take the room away in between. */
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

    /** The outcome of growing, on its way back to the engine. */
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
                goOn(read);
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
        String words = CompletionStatus.describe(status);
        breakOffAndRelease(read, "an RDMA READ of " + read.lengthBytes + " bytes failed with " + words, words);
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

    /** The connection is there: what waited for it starts. */
    public void onConnected(EngineSession session, RcConnection connection) {
        connection.assign(session.source().reads, () -> onStalled(session));
        for (LargeRead read : session.rcLink().connected(connection)) {
            goOn(read);
        }
    }

    /** The session is over: nothing more is posted; what is at the NIC ends when its queue pair is in error. */
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
        session.breakOff("RDMA READs made no progress for " + limit.toMillis()
                + " ms: each session needs 1 MiB in that time (rdma.rc.read-timeout)");
    }

    /** Counts the messages that wait for READs, for memory or for room to run. */
    public int waiting() {
        return waiting + rc.readsWaiting();
    }

    /** Ends waiting messages whose caller has cancelled or timed out: their READs would bring nothing. */
    private void endUnwanted(long nowNanos) {
        List<LargeRead> unwanted = new ArrayList<>();
        for (LargeSource source : waitingSources) {
            source.waiting.removeIf(read -> !read.isWanted(nowNanos) && unwanted.add(read));
        }
        waiting -= unwanted.size();
        unwanted.forEach(this::admit);
    }

    /** Looks for connections without progress as long as READs are in flight, and for waiting messages whose time is over. */
    private final class ReadWatch extends WheelTimer {

        private static final int LOOKS = 4;

        private final long limitNanos = rc.config().readTimeout().toNanos();
        private final long intervalNanos = Math.min(limitNanos / LOOKS, TimeUnit.SECONDS.toNanos(1));

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
                endUnwanted(nowNanos);
            }
        }
    }

    /** Tells whether a READ of the session is at the NIC, or will come back when there is memory for it. */
    boolean isBusy(EngineSession session) {
        RcConnection connection = session.rcLink().connection();
        return session.rcLink().isPreparing() || (connection != null && rc.isBusy(connection));
    }
}
