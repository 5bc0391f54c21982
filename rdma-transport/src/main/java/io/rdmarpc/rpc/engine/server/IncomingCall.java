package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.GuardedHandler;
import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.RpcCancellation;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.engine.context.EngineCommand;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.session.StreamLimits;
import io.rdmarpc.rpc.engine.stream.EngineStream;
import io.rdmarpc.rpc.engine.transfer.LoadShedding;
import io.rdmarpc.rpc.error.FailureMessage;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.message.MessageAllocator;
import io.rdmarpc.rpc.wire.FailureText;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.StreamOpening;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A call at the server. The engine passes it to its handler on any thread, and the handler returns it to the engine
 * with the response. As a command it carries that response.
 */
final class IncomingCall extends EngineCommand implements RpcRequest, Runnable {

    private static final FailureText NO_FAILURE = new FailureText("", "");
    private static final Duration RETRY_DELAY = Duration.ofMillis(10);
    private static final VarHandle RESPONDED = respondedHandle();

    final ServerSession session;
    final ServerSlot slot;
    final long requestIndex;
    private final ServerParts parts;
    private final EngineContext context;
    private final ServiceExport.Method method;
    private final InboundMessage message;
    private final boolean metadata;
    private final long arrivedNanos;
    private final long deadlineNanos;
    /**
     * The time at which the whole request had arrived; for a large request, the end of its READ. Written before the
     * call is handed over.
     */
    private long completeNanos;

    private volatile boolean responded;
    // Written by the responding thread before the hand-over through the inbox, read by the engine after it.
    RpcStatus status = RpcStatus.OK;
    /** Flags of the response that describe how the call ended. */
    int responseFlags;

    private volatile boolean cancelled;
    /** The exception that the handler got for a response above the maximum message size. */
    private volatile @Nullable RdmaMessageTooLargeException tooLarge;

    private volatile @Nullable CallCancellation cancellation;

    @Nullable
    RegisteredBlock response;

    int responseLength;
    /** Whether the engine has already failed to send the response. Engine thread. */
    private boolean unsent;

    FailureText failure = NO_FAILURE;

    IncomingCall(
            ServerParts parts,
            ServerSession session,
            ServerSlot slot,
            ServiceExport.Method method,
            InboundMessage message,
            boolean metadata,
            long arrivedNanos,
            long deadlineNanos) {
        this.parts = parts;
        this.context = parts.context();
        this.session = session;
        this.slot = slot;
        this.requestIndex = slot.requestIndex;
        this.method = method;
        this.message = message;
        this.metadata = metadata;
        this.arrivedNanos = arrivedNanos;
        this.deadlineNanos = deadlineNanos;
        this.completeNanos = arrivedNanos;
    }

    /**
     * Sets the time at which the arguments had arrived, if they came after the packet that announced them. Called
     * before {@link #dispatch}.
     */
    void completeAt(long nowNanos) {
        completeNanos = nowNanos;
    }

    private static VarHandle respondedHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(IncomingCall.class, "responded", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Passes the call to the executor of its method. Engine thread. */
    void dispatch() {
        Executor executor = method.executor();
        if (executor == null) {
            run();
            return;
        }
        try {
            executor.execute(this);
        } catch (RejectedExecutionException e) {
            reject("the server's executor rejected the call: " + e.getMessage(), RETRY_DELAY);
        } catch (Throwable e) {
            failWith(RpcStatus.INTERNAL, e);
        }
    }

    @Override
    public void run() {
        if (method.executor() != null && !shouldRun()) {
            return;
        }
        try {
            method.handler().handle(this);
        } catch (Throwable e) {
            // A failed call of the handler is a failure of the handler. The status of that call does not apply to this
            // one.
            failWith(isOfThisCall(e) ? RpcStatus.MESSAGE_TOO_LARGE : RpcStatus.HANDLER_FAILED, e);
        }
    }

    /** Rejects the call of a peer that may not call the method, without running the method. */
    void rejectBy(GuardedHandler guard) {
        try {
            guard.reject(this);
            if (!responded) {
                fail(RpcStatus.PERMISSION_DENIED, "", "this peer may not call the method");
            }
        } catch (Throwable e) {
            failWith(RpcStatus.PERMISSION_DENIED, e);
        }
    }

    @SuppressWarnings("ReferenceEquality") // identity of the exception
    private boolean isOfThisCall(Throwable thrown) {
        return thrown == tooLarge;
    }

    /** Returns whether to run a call that has waited for a thread. If not, completes it with a failure. */
    private boolean shouldRun() {
        long queuedNanos = queuedNanos();
        if (isCancelled()) {
            fail(
                    RpcStatus.DEADLINE_EXCEEDED,
                    "",
                    "the call was cancelled or reached its deadline before a thread was free; it has not run");
            return false;
        }
        if (parts.shedding().waitedTooLong(queuedNanos)) {
            Duration waited = Duration.ofMillis(LoadShedding.hintMillis(queuedNanos));
            reject("the call has waited " + waited.toMillis() + " ms for a thread; it has not run", waited);
            return false;
        }
        return true;
    }

    private void failWith(RpcStatus how, Throwable thrown) {
        if (responded) {
            System.getLogger(IncomingCall.class.getName())
                    .log(System.Logger.Level.ERROR, "a handler threw an exception after it had responded", thrown);
            return;
        }
        fail(how, thrown.getClass().getName(), FailureMessage.of(thrown));
    }

    /** Cancels the call for its caller. Engine thread. */
    void cancel() {
        cancelled = true;
        CallCancellation watched = cancellation;
        if (watched != null) {
            watched.cancel();
        }
    }

    @Override
    public boolean isCancelled() {
        return cancelled || remainingNanos() <= 0;
    }

    @Override
    public RpcCancellation cancellation() {
        CallCancellation known = cancellation;
        return known != null ? known : makeCancellation();
    }

    /**
     * Either {@link #cancel} sees the new object, or this method sees what {@code cancel} has written. No cancellation
     * is missed.
     */
    private synchronized RpcCancellation makeCancellation() {
        CallCancellation known = cancellation;
        if (known != null) {
            return known;
        }
        CallCancellation made = new CallCancellation(context, parts.cancellations(), deadlineNanos);
        cancellation = made;
        if (cancelled) {
            made.cancel();
        }
        if (responded) {
            made.end();
        }
        return made;
    }

    @Override
    public void execute(long nowNanos) {
        try {
            parts.shedding().onCompleted(nowNanos - arrivedNanos);
            parts.responses().onResponse(this);
        } catch (Throwable e) {
            onUnsent(e);
            throw e;
        }
    }

    /**
     * Handles a failure to send the response by sending that failure to the caller, once. If that fails too, the
     * session ends with its calls.
     */
    private void onUnsent(Throwable why) {
        if (!slot.isExecuting(requestIndex)) {
            // The response is in its slot, and is sent when the client retransmits the request.
            parts.responses().ended();
            return;
        }
        if (unsent) {
            parts.responses().ended();
            session.terminate("a response could not be sent because of an internal failure: " + why);
            return;
        }
        unsent = true;
        RegisteredBlock block = response;
        response = null;
        if (block != null && slot.lent == null) {
            block.free();
        }
        status = RpcStatus.INTERNAL;
        failure = new FailureText(
                "", "the method has run, but its response could not be sent because of an internal failure: " + why);
        context.submit(this);
    }

    @Override
    public int methodId() {
        return method.id();
    }

    @Override
    public InboundMessage message() {
        return message;
    }

    @Override
    public boolean hasMetadata() {
        return metadata;
    }

    @Override
    public long remainingNanos() {
        return deadlineNanos - context.clock().nanoTime();
    }

    @Override
    public long elapsedNanos() {
        return context.clock().nanoTime() - arrivedNanos;
    }

    @Override
    public long queuedNanos() {
        return context.clock().nanoTime() - completeNanos;
    }

    @Override
    public String peer() {
        return session.info().peer();
    }

    @Override
    public PeerIdentity identity() {
        return session.info().identity();
    }

    @Override
    public MessageAllocator allocator() {
        return session;
    }

    @Override
    public MessageBuffer allocate(int capacityBytes) {
        try {
            return session.allocate(capacityBytes);
        } catch (RdmaMessageTooLargeException e) {
            tooLarge = e;
            throw e;
        }
    }

    @Override
    public int maxPacketPayload() {
        return session.maxPacketPayload();
    }

    @Override
    public int maxMessageBytes() {
        return session.maxMessageBytes();
    }

    @Override
    public void respond(MessageBuffer response) {
        if (!RESPONDED.compareAndSet(this, false, true)) {
            response.close();
            throw respondedTwice();
        }
        int length;
        RegisteredBlock block;
        try {
            length = response.messageBytes();
            block = response.take();
        } catch (RuntimeException | Error e) {
            failToSend(e);
            return;
        }
        send(block, length);
    }

    /** Sends the response of a call to which no other thread can respond any more. */
    void respondLater(RegisteredBlock block, int length) {
        responded = true;
        send(block, length);
    }

    /**
     * Sends a response. A response in other memory than this session's is copied. The copy may register memory, so it
     * does not run on the thread that runs the event loop.
     */
    private void send(RegisteredBlock block, int length) {
        if (session.suits(block, length) || !context.isOwnedHere()) {
            moveAndRespond(block, length);
        } else {
            context.runBlocking(() -> moveAndRespond(block, length));
        }
    }

    private void moveAndRespond(RegisteredBlock block, int length) {
        try {
            response = session.moveToSendable(block, length);
            responseLength = length;
        } catch (RuntimeException | Error e) {
            failToSend(e);
            return;
        }
        handBack();
    }

    private void failToSend(Throwable e) {
        status = e instanceof RdmaRpcException rpc ? rpc.status() : RpcStatus.INTERNAL;
        failure = new FailureText("", "the response could not be sent: " + FailureMessage.of(e));
        handBack();
    }

    @Override
    public void fail(RpcStatus how, String type, String text, RdmaErrorDetails details) {
        if (!RESPONDED.compareAndSet(this, false, true)) {
            throw respondedTwice();
        }
        status = how == RpcStatus.OK ? RpcStatus.INTERNAL : how;
        failure = FailureText.of(type, text, details, session.maxDetailedFailureBytes());
        handBack();
    }

    @Override
    public void reject(String text, Duration retryAfter) {
        if (!RESPONDED.compareAndSet(this, false, true)) {
            throw respondedTwice();
        }
        status = RpcStatus.OVERLOADED;
        failure = FailureText.of("", text, RdmaErrorDetails.ofRetryDelay(retryAfter), 0);
        handBack();
    }

    @Override
    public void rejectStopping(String text) {
        if (!RESPONDED.compareAndSet(this, false, true)) {
            throw respondedTwice();
        }
        status = RpcStatus.UNAVAILABLE;
        responseFlags = PacketHeader.FLAG_NOT_RUN;
        failure = new FailureText("", text);
        handBack();
    }

    @Override
    public RpcStream acceptStream(int credits, StreamReceiver receiver) {
        StreamLimits.checkCredits(credits);
        if (responded || !StreamOpening.isCall(message.payload())) {
            throw new IllegalStateException(
                    "there is no stream to accept: this is an ordinary call, or it has already ended");
        }
        StreamOpening opening = StreamOpening.read(message.payload());
        MessageBuffer buffer = allocate(StreamOpening.RESPONSE_BYTES);
        if (!RESPONDED.compareAndSet(this, false, true)) {
            buffer.close();
            throw respondedTwice();
        }
        long deadline = StreamLimits.deadline(arrivedNanos, opening.remainingMicros());
        EngineStream stream =
                new EngineStream(parts.streams(), context, session, opening.stream(), credits, deadline, receiver);
        context.submit(now -> accept(stream, opening, buffer, now));
        return stream;
    }

    /** Accepts the stream on the engine thread, which grants the first credits as entries of the receive ring. */
    private void accept(EngineStream stream, StreamOpening opening, MessageBuffer buffer, long nowNanos) {
        int credits = parts.streams().accept(stream, opening.credits(), nowNanos);
        new StreamOpening(opening.stream(), credits, 0).writeResponse(buffer.segment());
        send(buffer.take(), StreamOpening.RESPONSE_BYTES);
    }

    private void handBack() {
        CallCancellation watched = cancellation;
        if (watched != null) {
            watched.end();
        }
        message.close();
        parts.responses().handBack(this);
    }

    private static IllegalStateException respondedTwice() {
        return new IllegalStateException("this call already has a response: respond to a request once");
    }
}
