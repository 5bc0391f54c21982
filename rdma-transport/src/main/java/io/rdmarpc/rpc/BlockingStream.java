package io.rdmarpc.rpc;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.message.MessageAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A stream for threads that block, for instance virtual threads. One thread calls {@link #take} and one thread sends;
 * both may be the same thread. Every wait ends at the stream's deadline at the latest.
 */
public final class BlockingStream implements StreamReceiver, MessageAllocator, AutoCloseable {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ArrayDeque<InboundMessage> received = new ArrayDeque<>();
    private final List<Runnable> listeners = new ArrayList<>();
    private @Nullable RpcStream stream;
    private @Nullable RdmaRpcException failure;
    private boolean writable;
    private boolean peerEnded;
    private boolean completed;
    private boolean closed;

    private BlockingStream() {}

    /**
     * Opens a stream.
     *
     * @param session the session to the peer
     * @param methodId the method that accepts it
     * @param credits messages that the peer may send ahead of {@link #take}
     * @param timeoutNanos lifetime of the stream in nanoseconds, over 0
     * @return the client's end, which the caller closes
     */
    public static BlockingStream open(RpcSession session, int methodId, int credits, long timeoutNanos) {
        BlockingStream made = new BlockingStream();
        made.stream = session.openStream(methodId, credits, timeoutNanos, made);
        return made;
    }

    /**
     * Accepts a stream that a client has opened.
     *
     * @param request the request that opened the stream; accepting the stream is its response
     * @param credits messages that the peer may send ahead of {@link #take}
     * @return the server's end, which the caller closes
     */
    public static BlockingStream accept(RpcRequest request, int credits) {
        BlockingStream made = new BlockingStream();
        made.stream = request.acceptStream(credits, made);
        return made;
    }

    private RpcStream stream() {
        RpcStream known = stream;
        if (known == null) {
            throw new IllegalStateException("the stream is not open yet");
        }
        return known;
    }

    @Override
    public MessageBuffer allocate(int capacityBytes) {
        return stream().allocate(capacityBytes);
    }

    @Override
    public int maxPacketPayload() {
        return stream().maxPacketPayload();
    }

    @Override
    public int maxMessageBytes() {
        return stream().maxMessageBytes();
    }

    /**
     * Waits for the next message and grants the peer a credit for another one.
     *
     * @return the message, which the caller closes; null if the peer has sent its last message
     * @throws RdmaRpcException if the stream has failed; messages that arrived before the failure are returned first
     * @throws InterruptedException if the thread is interrupted
     */
    public @Nullable InboundMessage take() throws InterruptedException {
        InboundMessage first;
        boolean mayCome;
        lock.lock();
        try {
            while (received.isEmpty() && failure == null && !peerEnded) {
                changed.await();
            }
            first = received.poll();
            if (first == null && failure != null) {
                throw failure;
            }
            mayCome = first != null && !peerEnded && failure == null;
        } finally {
            lock.unlock();
        }
        // Outside the lock, because the thread that runs the event loop may be waiting for the lock.
        if (mayCome) {
            stream().request(1);
        }
        return first;
    }

    /**
     * Waits for a credit and sends a message.
     *
     * @param message from {@link #allocate}; owned by the engine from this call on, also if this method throws
     * @throws RdmaRpcException if the stream has failed
     * @throws InterruptedException if the thread is interrupted
     */
    public void send(MessageBuffer message) throws InterruptedException {
        boolean sent = false;
        try {
            while (!offer(message)) {
                awaitWritable();
            }
            sent = true;
        } finally {
            if (!sent && message.isOpen()) {
                message.close();
            }
        }
    }

    private boolean offer(MessageBuffer message) {
        lock.lock();
        try {
            writable = false;
        } finally {
            lock.unlock();
        }
        return stream().offer(message);
    }

    private void awaitWritable() throws InterruptedException {
        lock.lock();
        try {
            while (!writable && failure == null) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Ends the sending direction: no more messages follow. {@link #take} still returns messages of the peer. */
    public void complete() {
        lock.lock();
        try {
            completed = true;
        } finally {
            lock.unlock();
        }
        stream().complete();
    }

    /**
     * Ends the stream with a failure.
     *
     * @param status how the stream ended
     * @param remoteType class name of the exception that caused the failure, empty without one
     * @param message description for the peer
     */
    public void fail(RpcStatus status, String remoteType, String message) {
        fail(status, remoteType, message, RdmaErrorDetails.NONE);
    }

    /**
     * Ends the stream with a failure that has details.
     *
     * @param status how the stream ended
     * @param remoteType class name of the exception that caused the failure, empty without one
     * @param message description for the peer
     * @param details details for the peer
     */
    public void fail(RpcStatus status, String remoteType, String message, RdmaErrorDetails details) {
        stream().fail(status, remoteType, message, details);
    }

    /**
     * Registers a listener for the failure of the stream. Causes are cancellation by the peer, the deadline, the end of
     * its session, or an early end by this side.
     *
     * @param listener called once, on the thread that runs the event loop, or at once on this thread if the stream has
     *     failed; must not block
     */
    public void whenFailed(Runnable listener) {
        lock.lock();
        try {
            if (failure == null) {
                listeners.add(listener);
                return;
            }
        } finally {
            lock.unlock();
        }
        listener.run();
    }

    @Override
    public void onItem(InboundMessage message) {
        lock.lock();
        try {
            if (!closed) {
                received.add(message);
                changed.signalAll();
                return;
            }
        } finally {
            lock.unlock();
        }
        message.close();
    }

    @Override
    public void onEnd() {
        lock.lock();
        try {
            peerEnded = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void onFailure(RdmaRpcException reason) {
        List<Runnable> notified;
        lock.lock();
        try {
            failure = reason;
            changed.signalAll();
            notified = List.copyOf(listeners);
            listeners.clear();
        } finally {
            lock.unlock();
        }
        notified.forEach(Runnable::run);
    }

    @Override
    public void onWritable() {
        lock.lock();
        try {
            writable = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Cancels the stream unless both sides have completed, and releases the received messages that no thread has taken.
     */
    @Override
    public void close() {
        boolean unfinished;
        lock.lock();
        try {
            closed = true;
            unfinished = failure == null && !(completed && peerEnded);
            received.forEach(InboundMessage::close);
            received.clear();
        } finally {
            lock.unlock();
        }
        if (unfinished) {
            stream().cancel();
        }
    }
}
