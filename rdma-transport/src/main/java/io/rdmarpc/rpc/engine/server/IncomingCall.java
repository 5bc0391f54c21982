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
 * A call at the server: goes to its handler on whatever thread, comes back to the engine with the answer. As a command
 * it carries that answer.
 */
final class IncomingCall extends EngineCommand implements RpcRequest, Runnable {

    private static final FailureText NO_FAILURE = new FailureText("", "");
    private static final Duration AWHILE = Duration.ofMillis(10);
    private static final VarHandle ANSWERED = answeredHandle();

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
    /** All of it is here: for a large one, the end of its READ. Written before it is handed over. */
    private long completeNanos;

    private volatile boolean answered;
    // Written by the answering thread before the hand-over through the inbox, read by the engine after it.
    RpcStatus status = RpcStatus.OK;
    /** What else the answer says of how the call ended. */
    int responseFlags;

    private volatile boolean cancelled;
    /** What the handler was told when it wanted to answer with more than may be sent. */
    private volatile @Nullable RdmaMessageTooLargeException tooLarge;

    private volatile @Nullable CallCancellation cancellation;

    @Nullable
    RegisteredBlock answer;

    int answerLength;
    /** The engine has failed on the answer before. Engine thread. */
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

    /** Its arguments came later than the packet that announced them; before {@link #dispatch}. */
    void completeAt(long nowNanos) {
        completeNanos = nowNanos;
    }

    private static VarHandle answeredHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(IncomingCall.class, "answered", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Hands the call to where its method runs; engine thread. */
    void dispatch() {
        Executor executor = method.executor();
        if (executor == null) {
            run();
            return;
        }
        try {
            executor.execute(this);
        } catch (RejectedExecutionException e) {
            refuse("the server's executor takes no more calls: " + e.getMessage(), AWHILE);
        } catch (Throwable e) {
            failWith(RpcStatus.INTERNAL, e);
        }
    }

    @Override
    public void run() {
        if (method.executor() != null && !isWorthRunning()) {
            return;
        }
        try {
            method.handler().handle(this);
        } catch (Throwable e) {
            // A call of the handler's own that failed is its failure too: its status says nothing about this call.
            failWith(isOfThisCall(e) ? RpcStatus.MESSAGE_TOO_LARGE : RpcStatus.HANDLER_FAILED, e);
        }
    }

    /** Its caller may not call the method, which does not run. */
    void refuseBy(GuardedHandler guard) {
        try {
            guard.refuse(this);
            if (!answered) {
                fail(RpcStatus.PERMISSION_DENIED, "", "this peer may not call the method");
            }
        } catch (Throwable e) {
            failWith(RpcStatus.PERMISSION_DENIED, e);
        }
    }

    @SuppressWarnings("ReferenceEquality") // that very one
    private boolean isOfThisCall(Throwable thrown) {
        return thrown == tooLarge;
    }

    /** It has waited for a thread meanwhile. */
    private boolean isWorthRunning() {
        long queuedNanos = queuedNanos();
        if (isCancelled()) {
            fail(RpcStatus.DEADLINE_EXCEEDED, "", "the caller had given up before a thread was free; it was not run");
            return false;
        }
        if (parts.shedding().waitedTooLong(queuedNanos)) {
            Duration waited = Duration.ofMillis(LoadShedding.hintMillis(queuedNanos));
            refuse("the call has waited " + waited.toMillis() + " ms for a thread; it was not run", waited);
            return false;
        }
        return true;
    }

    private void failWith(RpcStatus how, Throwable thrown) {
        if (answered) {
            System.getLogger(IncomingCall.class.getName())
                    .log(System.Logger.Level.ERROR, "a handler threw after it had answered", thrown);
            return;
        }
        fail(how, thrown.getClass().getName(), FailureMessage.of(thrown));
    }

    /** The caller has given up; engine thread. */
    void cancel() {
        cancelled = true;
        CallCancellation told = cancellation;
        if (told != null) {
            told.cancel();
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

    /** Seen by {@link #cancel} or sees what that has written: no caller's giving up is missed. */
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
        if (answered) {
            made.end();
        }
        return made;
    }

    @Override
    public void execute(long nowNanos) {
        try {
            parts.shedding().onAnswered(nowNanos - arrivedNanos);
            parts.responses().onAnswer(this);
        } catch (Throwable e) {
            onUnsent(e);
            throw e;
        }
    }

    /** The engine failed on the answer. The caller gets that failure, once; if it cannot be sent, the session ends, and so does the call. */
    private void onUnsent(Throwable why) {
        if (!slot.isExecuting(requestIndex)) {
            // The answer is in its slot, and goes out when the caller asks again.
            parts.responses().ended();
            return;
        }
        if (unsent) {
            parts.responses().ended();
            session.breakOff("the engine failed on an answer: " + why);
            return;
        }
        unsent = true;
        RegisteredBlock block = answer;
        answer = null;
        if (block != null && slot.lent == null) {
            block.free();
        }
        status = RpcStatus.INTERNAL;
        failure = new FailureText("", "the method has run, and the engine failed on its answer: " + why);
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
        if (!ANSWERED.compareAndSet(this, false, true)) {
            response.close();
            throw answeredTwice();
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
        answer(block, length);
    }

    /** For a call that nobody else can answer any more. */
    void answerLater(RegisteredBlock block, int length) {
        answered = true;
        answer(block, length);
    }

    /** An answer in other memory is moved, which may register some: not where the loop is turned. */
    private void answer(RegisteredBlock block, int length) {
        if (session.suits(block, length) || !context.isOwnedHere()) {
            settle(block, length);
        } else {
            context.runBlocking(() -> settle(block, length));
        }
    }

    private void settle(RegisteredBlock block, int length) {
        try {
            answer = session.settle(block, length);
            answerLength = length;
        } catch (RuntimeException | Error e) {
            failToSend(e);
            return;
        }
        handBack();
    }

    private void failToSend(Throwable e) {
        status = e instanceof RdmaRpcException rpc ? rpc.status() : RpcStatus.INTERNAL;
        failure = new FailureText("", "the result could not be sent: " + FailureMessage.of(e));
        handBack();
    }

    @Override
    public void fail(RpcStatus how, String type, String text) {
        if (!ANSWERED.compareAndSet(this, false, true)) {
            throw answeredTwice();
        }
        status = how == RpcStatus.OK ? RpcStatus.INTERNAL : how;
        failure = new FailureText(type, text);
        handBack();
    }

    @Override
    public void refuse(String text, Duration retryAfter) {
        if (!ANSWERED.compareAndSet(this, false, true)) {
            throw answeredTwice();
        }
        status = RpcStatus.OVERLOADED;
        failure = new FailureText("", text, Math.clamp(retryAfter.toMillis(), 0, Integer.MAX_VALUE));
        handBack();
    }

    @Override
    public void refuseStopping(String text) {
        if (!ANSWERED.compareAndSet(this, false, true)) {
            throw answeredTwice();
        }
        status = RpcStatus.UNAVAILABLE;
        responseFlags = PacketHeader.FLAG_NOT_RUN;
        failure = new FailureText("", text);
        handBack();
    }

    @Override
    public RpcStream acceptStream(int credits, StreamReceiver receiver) {
        StreamLimits.checkCredits(credits);
        if (answered || !StreamOpening.isCall(message.payload())) {
            throw new IllegalStateException(
                    "this is an ordinary call, or it was answered: there is no stream to accept");
        }
        StreamOpening opening = StreamOpening.read(message.payload());
        MessageBuffer buffer = allocate(StreamOpening.ANSWER_BYTES);
        if (!ANSWERED.compareAndSet(this, false, true)) {
            buffer.close();
            throw answeredTwice();
        }
        long deadline = StreamLimits.deadline(arrivedNanos, opening.remainingMicros());
        EngineStream stream =
                new EngineStream(parts.streams(), context, session, opening.stream(), credits, deadline, receiver);
        context.submit(now -> accept(stream, opening, buffer, now));
        return stream;
    }

    /** The first credits are entries of the receive ring, which the engine's thread gives. */
    private void accept(EngineStream stream, StreamOpening opening, MessageBuffer buffer, long nowNanos) {
        int credits = parts.streams().accept(stream, opening.credits(), nowNanos);
        new StreamOpening(opening.stream(), credits, 0).writeAnswer(buffer.segment());
        answer(buffer.take(), StreamOpening.ANSWER_BYTES);
    }

    private void handBack() {
        CallCancellation watched = cancellation;
        if (watched != null) {
            watched.end();
        }
        message.close();
        parts.responses().handBack(this);
    }

    private static IllegalStateException answeredTwice() {
        return new IllegalStateException("this call was answered already: answer a request once");
    }
}
