package io.rdmarpc.remote.link;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.remote.wire.LinkCodec;
import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.verbs.error.RdmaException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Carries messages over a stream of the RPC engine: its end is the end of the peer. Sending never blocks; what the peer
 * gives no credit for waits here. What comes is handed to the control thread, and the peer gets its next credit when
 * that is done with it.
 */
public final class LinkStream implements StreamReceiver {

    /** Takes what comes; both methods run on the control thread. */
    interface Receiver {
        void onFrame(byte[] frame);

        void onLost(RdmaException why);
    }

    /** Few, for the engine sets a place in its receive ring aside for each. */
    public static final int CREDITS = 8;

    /** A peer that asks much and never takes the answers. */
    private static final int MOST_WAITING = 50_000;

    private final Executor control;
    private final Receiver receiver;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    private @Nullable RpcStream stream;
    private int owedCredits;
    private boolean ended;

    LinkStream(Executor control, Receiver receiver) {
        this.control = control;
        this.receiver = receiver;
    }

    /** Says which stream it is. */
    void open(RpcStream opened) {
        int owed;
        lock.lock();
        try {
            stream = opened;
            owed = owedCredits;
            owedCredits = 0;
        } finally {
            lock.unlock();
        }
        if (owed > 0) {
            opened.request(owed);
        }
        flush();
    }

    /** Sends now or when there is credit. Any thread. */
    void send(byte[] frame) {
        boolean tooMany;
        lock.lock();
        try {
            if (ended) {
                return;
            }
            waiting.add(frame);
            tooMany = waiting.size() > MOST_WAITING;
        } finally {
            lock.unlock();
        }
        if (tooMany) {
            cancel();
        } else {
            flush();
        }
    }

    private void flush() {
        lock.lock();
        try {
            RpcStream to = stream;
            while (to != null && !ended && !waiting.isEmpty() && offer(to, waiting.peek())) {
                waiting.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    private static boolean offer(RpcStream to, byte[] frame) {
        MessageBuffer message = null;
        boolean taken = false;
        try {
            message = to.allocate(frame.length);
            MemorySegment.copy(frame, 0, message.segment(), ValueLayout.JAVA_BYTE, 0, frame.length);
            message.length(frame.length);
            taken = to.offer(message);
            return taken;
        } catch (RdmaException | IllegalStateException notNow) {
            // The end of the stream is told by onFailure; memory may be there when the next message is sent.
            return false;
        } finally {
            if (!taken && message != null && message.isOpen()) {
                message.close();
            }
        }
    }

    /** Ends it in both directions. Any thread. */
    void cancel() {
        RpcStream ending;
        lock.lock();
        try {
            ended = true;
            waiting.clear();
            ending = stream;
        } finally {
            lock.unlock();
        }
        if (ending != null) {
            ending.cancel();
        }
    }

    @Override
    public void onItem(InboundMessage message) {
        byte[] frame;
        try (message) {
            frame = message.length() > LinkCodec.MAX_BYTES
                    ? new byte[0]
                    : message.payload().toArray(ValueLayout.JAVA_BYTE);
        }
        control.execute(() -> {
            receiver.onFrame(frame);
            sendCredit();
        });
    }

    private void sendCredit() {
        RpcStream from;
        lock.lock();
        try {
            from = ended ? null : stream;
            owedCredits += stream == null ? 1 : 0;
        } finally {
            lock.unlock();
        }
        if (from != null) {
            from.request(1);
        }
    }

    @Override
    public void onEnd() {
        onFailure(new RdmaRpcException(RpcStatus.CANCELLED, "the peer has ended the link"));
    }

    @Override
    public void onFailure(RdmaRpcException failure) {
        control.execute(() -> receiver.onLost(failure));
    }

    @Override
    public void onWritable() {
        flush();
    }
}
