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
 * Carries the messages of a link over a stream of the RPC engine. The end of the stream is the end of the link. Sending
 * never blocks; messages wait here until the peer grants credit. Received messages are handled on the control thread,
 * and each grants the peer a credit after it was handled.
 */
public final class LinkStream implements StreamReceiver {

    /** Receives messages and the end of the stream; both methods run on the control thread. */
    interface Receiver {
        void onFrame(byte[] frame);

        void onLost(RdmaException why);
    }

    /** A small number, because the engine reserves a packet in its receive ring for each credit. */
    public static final int CREDITS = 8;

    /** Limits the queue for a peer that sends requests and does not receive the responses. */
    private static final int MAX_WAITING = 50_000;

    private final Executor control;
    private final Receiver receiver;
    private final ReentrantLock lock = new ReentrantLock();
    private final ArrayDeque<byte[]> waiting = new ArrayDeque<>();
    private @Nullable RpcStream stream;
    private int pendingCredits;
    private boolean ended;

    LinkStream(Executor control, Receiver receiver) {
        this.control = control;
        this.receiver = receiver;
    }

    /** Sets the stream. */
    void open(RpcStream opened) {
        int pending;
        lock.lock();
        try {
            stream = opened;
            pending = pendingCredits;
            pendingCredits = 0;
        } finally {
            lock.unlock();
        }
        if (pending > 0) {
            opened.request(pending);
        }
        flush();
    }

    /** Sends a message, now or as soon as credit is available. Any thread. */
    void send(byte[] frame) {
        boolean tooMany;
        lock.lock();
        try {
            if (ended) {
                return;
            }
            waiting.add(frame);
            tooMany = waiting.size() > MAX_WAITING;
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
        } catch (RdmaException | IllegalStateException retryLater) {
            // The method onFailure reports the end of the stream. If memory is exhausted, the next attempt to send
            // retries.
            return false;
        } finally {
            if (!taken && message != null && message.isOpen()) {
                message.close();
            }
        }
    }

    /** Ends the stream in both directions. Any thread. */
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
            pendingCredits += stream == null ? 1 : 0;
        } finally {
            lock.unlock();
        }
        if (from != null) {
            from.request(1);
        }
    }

    @Override
    public void onEnd() {
        onFailure(new RdmaRpcException(RpcStatus.CANCELLED, "the peer ended the link"));
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
