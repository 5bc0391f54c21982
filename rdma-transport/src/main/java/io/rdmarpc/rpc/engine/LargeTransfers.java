package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.BuddyArena;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.FailureWords;
import io.rdmarpc.rpc.engine.EngineCounters.Counter;
import io.rdmarpc.transport.RcConnection;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.verbs.CompletionStatus;
import io.rdmarpc.verbs.RemoteView;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Large messages: seen in the peer's memory where that can be; else memory, then a connection, then the READ. What blocks -
 * registering memory, connecting - runs elsewhere while the message waits; the loop does not. Engine thread only.
 */
final class LargeTransfers {

    private final EventLoop loop;
    private final RcTransport rc;
    private final BuddyArena arena;
    private final EngineCounters counters;
    private boolean sawAtOnce;

    LargeTransfers(EventLoop loop, RcTransport rc, BuddyArena arena, EngineCounters counters) {
        this.loop = loop;
        this.rc = rc;
        this.arena = arena;
        this.counters = counters;
    }

    /** Starts to fetch a message. */
    void fetch(LargeRead read) {
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
        loop.failures().caught("a large message", failure);
        release(read, "the engine failed on it: " + failure, false);
    }

    /** Never throws: the READs that have ended with this one come after it. */
    private void guard(LargeRead read, Runnable end) {
        try {
            end.run();
        } catch (Throwable e) {
            loop.failures().caught("the end of a large message", e);
            breakOff(read, "the engine failed on a large message: " + e);
        }
    }

    private void breakOff(LargeRead read, String reason) {
        try {
            read.session.breakOff(reason);
            release(read, reason, true);
        } catch (Throwable e) {
            loop.failures().caught("the failure of a large message", e);
        }
    }

    /** Asks to see the message where it is; false when it must be read. */
    private boolean view(LargeRead read) {
        sawAtOnce = false;
        RcConnection connection = read.session.rcLink().connection();
        return connection != null
                && read.session.isOpen()
                && rc.view(
                        connection,
                        read.remoteAddress,
                        read.rkey,
                        read.lengthBytes,
                        (status, view) -> guard(read, () -> onViewEnd(read, status, view)));
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
            read.fetched(new ViewedMessage(view, memory));
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
        loop.runBlocking(() -> {
            RegisteredBlock block = null;
            String problem = "";
            try {
                block = arena.allocate(read.lengthBytes).take();
            } catch (RuntimeException | Error e) {
                problem = FailureWords.of(e);
            }
            loop.submit(new Grown(read, block, problem));
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
        void execute(long nowNanos) {
            read.session.rcLink().prepared();
            if (block == null) {
                read.failed(problem, false);
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
        RegisteredBlock target = ClientRequests.active(read.target);
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
            read.fetched(new ReceivedBlock(target, read.lengthBytes));
            return;
        }
        failRead(read, status);
    }

    private void count(LargeRead read) {
        counters.increment(Counter.READS);
        counters.add(Counter.READ_BYTES, read.lengthBytes);
    }

    private void failRead(LargeRead read, int status) {
        read.session.breakOff(
                "an RDMA READ of " + read.lengthBytes + " bytes failed with " + CompletionStatus.describe(status));
        fail(read, CompletionStatus.describe(status));
    }

    private static void fail(LargeRead read, String reason) {
        release(read, reason, true);
    }

    private static void release(LargeRead read, String reason, boolean sessionIsBroken) {
        RegisteredBlock target = read.target;
        if (target != null) {
            read.target = null;
            target.free();
        }
        read.failed(reason, sessionIsBroken);
    }

    /** The connection is there: what waited for it starts. */
    void onConnected(EngineSession session, RcConnection connection) {
        for (LargeRead read : session.rcLink().connected(connection)) {
            goOn(read);
        }
    }

    /** The session is over: nothing more is posted; what is at the NIC ends when its queue pair is in error. */
    void cancel(EngineSession session) {
        for (LargeRead read : session.rcLink().takeWaiting()) {
            guard(read, () -> fail(read, "the session has ended"));
        }
        RcConnection connection = session.rcLink().connection();
        if (connection != null) {
            rc.cancelReads(connection);
        }
    }

    /** Tells whether a READ of the session is at the NIC, or will come back when there is memory for it. */
    boolean isBusy(EngineSession session) {
        RcConnection connection = session.rcLink().connection();
        return session.rcLink().isPreparing() || (connection != null && rc.isBusy(connection));
    }
}
