package io.rdmarpc.rpc.engine.client;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.AwaitedResponseHandler;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.config.TrafficConfig;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.packet.CreditWaiter;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.engine.session.RoundTrips;
import io.rdmarpc.rpc.engine.session.SessionHost;
import io.rdmarpc.rpc.engine.session.SessionTerms;
import io.rdmarpc.rpc.engine.session.StreamLimits;
import io.rdmarpc.rpc.engine.session.StreamTable;
import io.rdmarpc.rpc.engine.stream.EngineStream;
import io.rdmarpc.rpc.engine.stream.StreamOpenCall;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.stats.RoundTripStatistics;
import io.rdmarpc.rpc.wire.StreamOpening;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The client's end of a session: a window of slots and a bounded backlog. Any thread may use {@link #call}; slots and
 * backlog belong to the engine thread.
 */
public final class ClientSession extends EngineSession implements RpcSession, CreditWaiter {

    private static final long NONE = -1;
    private static final VarHandle BEGUN = handle("begun", int.class);
    private static final VarHandle ENDED = handle("ended", int.class);
    private static final VarHandle SERVER_STOPPING = handle("serverStopping", boolean.class);
    private static final VarHandle USED_AT = handle("usedAtNanos", long.class);

    /** The slots by index; null until the first call of a slot. Most sessions use few of them. */
    public final @Nullable ClientSlot[] slots;

    private @Nullable ArrayDeque<Call> backlog;
    private final ClientParts parts;
    private final ClientCalls calls;
    private final int capacity;
    private volatile @Nullable CallPool pool;
    /** Number of calls that other threads have begun, minus those that have ended there; wraps around. */
    private volatile int begun;
    /**
     * Number of calls that have ended in the loop, minus those that began there. Only the thread that runs the loop
     * writes it, so it needs no atomic addition.
     */
    private volatile int ended;

    /** Whether the server has reported that it is stopping. */
    @SuppressWarnings("UnusedVariable") // written through SERVER_STOPPING
    private volatile boolean serverStopping;

    /** Whether another session has replaced this one, which still accepts calls. */
    private volatile boolean replaced;

    private @Nullable EarlyCancels earlyCancels;
    /** Calls made on the loop whose requests another thread is moving to registered memory. */
    private final List<Call> moving = new ArrayList<>(0);

    @SuppressWarnings("UnusedVariable") // read through USED_AT
    private long usedAtNanos;

    final RoundTrips roundTrips;
    public final ClientCredits credits;
    /** Null without congestion control. */
    public final @Nullable RateControl rate;

    /** Whether its next call waits for a free entry of the local receive ring. */
    private boolean queuedForCredit;
    /** The time at which the last call ended. */
    long idleSinceNanos;
    /** The earliest deadline in the backlog. */
    long backlogDueNanos;

    public int activeSlots;

    /**
     * Index of the first free slot; each free slot has the index of the next one. A list of indices needs no memory of
     * its own, and with G1 each stored reference would cost a fence.
     */
    private int firstFree;

    /**
     * The last retransmitted call that received a response. A second response shows that the first one belonged to the
     * first send.
     */
    private long retransmittedIndex = NONE;

    private long retransmittedNanos;

    public ClientSession(SessionTerms terms, SessionHost host, EngineContext context, ClientParts parts) {
        super(terms, host, context, parts.slab(), parts.transmitter());
        this.parts = parts;
        this.calls = parts.calls();
        this.usedAtNanos = context.clock().nanoTime();
        int window = terms.info().window();
        this.capacity = window + context.config().maxQueued();
        TrafficConfig traffic = context.config().traffic();
        this.roundTrips = RoundTrips.of(context.config());
        this.rate = traffic.congestionControl() ? new RateControl() : null;
        this.credits = new ClientCredits(parts.credits(), window);
        this.slots = new ClientSlot[window];
    }

    private static VarHandle handle(String field, Class<?> type) {
        try {
            return MethodHandles.lookup().findVarHandle(ClientSession.class, field, type);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Override
    public RpcCall prepareCall(RpcCall.End end) {
        return new PreparedCall(this, parts.waiter(), parts.ring(), end);
    }

    @Override
    public void call(int methodId, MessageBuffer request, long timeoutNanos, ResponseHandler handler) {
        call(methodId, request, context.clock().nanoTime(), timeoutNanos, handler);
    }

    @Override
    public void call(int methodId, MessageBuffer request, long startNanos, long timeoutNanos, ResponseHandler handler) {
        call(methodId, request, startNanos, timeoutNanos, handler, false);
    }

    @Override
    public void callAndWait(
            int methodId, MessageBuffer request, long startNanos, long timeoutNanos, AwaitedResponseHandler handler) {
        CallWaiter callers = parts.waiter();
        if (!callers.mayWaitHere()) {
            call(methodId, request, startNanos, timeoutNanos, handler);
            return;
        }
        boolean byOwner = callers.enter();
        boolean started = false;
        try {
            call(methodId, request, startNanos, timeoutNanos, handler, byOwner);
            started = true;
        } finally {
            if (!started) {
                callers.cancel(byOwner);
            }
        }
        callers.await(handler::hasEnded, byOwner, timeoutNanos);
    }

    /** Begins a call now. A caller that owns the loop starts the call itself. */
    public void callNow(
            int methodId, MessageBuffer request, long timeoutNanos, ResponseHandler handler, boolean byOwner) {
        Call call = admit(methodId, request, timeoutNanos, handler, byOwner);
        if (call != null) {
            pass(call, byOwner);
        }
    }

    private void call(
            int methodId,
            MessageBuffer request,
            long startNanos,
            long timeoutNanos,
            ResponseHandler handler,
            boolean byOwner) {
        Call call = admit(methodId, request, timeoutNanos, handler, byOwner);
        if (call != null) {
            call.begin(startNanos);
            pass(call, byOwner);
        }
    }

    /**
     * Counts one more call and creates it. Fails it and returns null if there are too many calls, or the session
     * accepts none.
     */
    private @Nullable Call admit(
            int methodId, MessageBuffer request, long timeoutNanos, ResponseHandler handler, boolean byOwner) {
        int length = request.messageBytes();
        boolean metadata = request.metadataBytes() > 0;
        if (countBegun(byOwner) > capacity) {
            callEnded();
            request.close();
            handler.onFailure(new RdmaBackpressureException("the session to " + info().peer() + " has " + capacity
                    + " calls in flight or waiting, the limit of rdma.client.max-in-flight and rdma.client.max-queued:"
                    + " make fewer concurrent calls, or raise rdma.client.max-queued"));
            return null;
        }
        if (!mayStartCalls()) {
            callEnded();
            request.close();
            handler.onFailure(notSent());
            return null;
        }
        Call call = takeCall(handler).of(methodId, request.take(), length, timeoutNanos, handler);
        call.metadata = metadata;
        return call;
    }

    /** Passes a call to the engine. */
    private void pass(Call call, boolean byOwner) {
        if (!suits(call.request(), call.length)) {
            call.beginBy(context.clock());
            moveAndSubmit(call);
        } else if (byOwner) {
            calls.startNow(call);
        } else {
            call.beginBy(context.clock());
            context.submit(call);
        }
    }

    private Call takeCall(ResponseHandler handler) {
        Call own = handler instanceof PreparedCall prepared ? prepared.tryTakeOwn() : null;
        if (own != null) {
            return own;
        }
        return context.isOwnedHere() ? calls.loopCalls().take(this) : pool().take();
    }

    private CallPool pool() {
        CallPool known = pool;
        return known != null ? known : makePool();
    }

    private synchronized CallPool makePool() {
        CallPool known = pool;
        if (known == null) {
            known = new CallPool(this, capacity);
            pool = known;
        }
        return known;
    }

    /**
     * Moves the request to registered memory, which may register memory and so does not run on the thread that runs the
     * event loop.
     */
    private void moveAndSubmit(Call call) {
        if (context.isOwnedHere()) {
            moving.add(call);
            context.runBlocking(() -> {
                RdmaRpcException problem = move(call);
                context.submit(_ -> onMoved(call, problem));
            });
            return;
        }
        RdmaRpcException problem = move(call);
        if (problem != null) {
            end(call, problem);
            return;
        }
        context.submit(call);
    }

    private void onMoved(Call call, @Nullable RdmaRpcException problem) {
        moving.remove(call);
        if (problem == null && !call.hasEnded()) {
            context.submit(call);
            return;
        }
        if (problem == null) {
            call.request().free();
            call.recycle();
        } else {
            end(call, problem);
        }
    }

    /** Returns the handler's call if its request is being moved, otherwise null. */
    @Nullable
    Call moving(ResponseHandler handler) {
        for (int i = 0; i < moving.size(); i++) {
            if (moving.get(i).isFor(handler)) {
                return moving.get(i);
            }
        }
        return null;
    }

    /** Returns the number of calls that have begun but not reached the engine yet. Engine thread. */
    int callsInTransit() {
        int known = backlog == null ? 0 : backlog.size();
        for (ClientSlot slot : slots) {
            known += slot != null && isInProgress(slot.call) ? 1 : 0;
        }
        for (Call call : moving) {
            known += isInProgress(call) ? 1 : 0;
        }
        return outstanding() - known;
    }

    /** Returns whether a call has a slot or waits for one, which will end it. Engine thread. */
    boolean holds(Call call) {
        for (ClientSlot slot : slots) {
            if (slot != null && slot.call == call) {
                return true;
            }
        }
        return backlog != null && backlog.contains(call);
    }

    private static boolean isInProgress(@Nullable Call call) {
        return call != null && !call.hasEnded();
    }

    private static void end(Call call, RdmaRpcException problem) {
        call.fail(problem);
        call.recycle();
    }

    private @Nullable RdmaRpcException move(Call call) {
        try {
            call.moveTo(moveToSendable(call.request(), call.length));
            return null;
        } catch (RuntimeException | Error e) {
            return moveFailure("the request", e);
        }
    }

    @Override
    public RpcStream openStream(int methodId, int credits, long timeoutNanos, StreamReceiver receiver) {
        StreamLimits.checkCredits(credits);
        checkOpen();
        MessageBuffer opening = allocate(StreamOpening.CALL_BYTES);
        long deadline = context.clock().nanoTime() + timeoutNanos;
        EngineStream stream =
                streams.add(id -> new EngineStream(parts.streams(), context, this, id, credits, deadline, receiver));
        if (stream == null) {
            opening.close();
            throw new RdmaBackpressureException("the session to " + info().peer() + " has " + StreamTable.STREAMS
                    + " open streams, which is the limit: close some before opening others");
        }
        context.submit(_ -> open(stream, methodId, opening, timeoutNanos));
        return stream;
    }

    private void open(EngineStream stream, int methodId, MessageBuffer opening, long timeoutNanos) {
        try {
            begin(stream, methodId, opening, timeoutNanos);
        } catch (Throwable e) {
            stream.lost(new RdmaRpcException(
                    RpcStatus.INTERNAL, "cannot open the stream because of an internal failure: " + e, e));
            throw e;
        }
    }

    /** Begins the call on the engine thread, which grants the first credits as entries of the receive ring. */
    private void begin(EngineStream stream, int methodId, MessageBuffer opening, long timeoutNanos) {
        int credits = parts.streams().add(stream);
        new StreamOpening(stream.id(), credits, TimeUnit.NANOSECONDS.toMicros(timeoutNanos))
                .writeCall(opening.segment());
        opening.length(StreamOpening.CALL_BYTES);
        call(methodId, opening, timeoutNanos, new StreamOpenCall(stream, context));
    }

    @Override
    public void cancel(ResponseHandler handler) {
        context.submit(new CancelCommand(this, handler, context.clock().nanoTime()));
    }

    private void checkOpen() {
        if (!mayStartCalls()) {
            throw notSent();
        }
    }

    public RdmaUnavailableException unavailable() {
        return unavailable(null);
    }

    @Override
    public boolean takesCalls() {
        return !replaced && mayStartCalls();
    }

    /** Returns whether a call can start, also if another session has replaced this one. */
    boolean mayStartCalls() {
        return !serverStopping && isOpen();
    }

    /**
     * Marks that another session has replaced this one, so that callers stop using it. Calls of threads that have not
     * noticed it still run. Thread-safe.
     */
    public void markReplaced() {
        replaced = true;
    }

    /**
     * Marks that the server is stopping, so that no further call starts. Thread-safe. Returns false if it was marked
     * before.
     */
    public boolean markServerStopping() {
        return SERVER_STOPPING.compareAndSet(this, false, true);
    }

    /** Returns the exception for a call that was not sent. */
    RdmaNotExecutedException notSent() {
        return isOpen()
                ? notRun("the request was not sent")
                : new RdmaNotExecutedException("the session to " + info().peer() + " has ended (" + closeReason()
                        + "). The request was not sent, and the call has not run: retry it");
    }

    /** Returns the exception for a call that the server does not run. */
    RdmaNotExecutedException notRun(String how) {
        return new RdmaNotExecutedException(info().peer() + " is stopping and has not run the call: " + how
                + ". Retry it later, or at another server");
    }

    void recycle(Call call) {
        pool().put(call);
    }

    /** Recycles a call of {@link LoopCalls}, unless it has ended on a thread that does not run the loop. */
    void recycleOfLoop(Call call) {
        if (context.isOwnedHere()) {
            calls.loopCalls().put(call);
        }
    }

    /** Returns whether calls wait for a slot. Engine thread, like all methods of the backlog. */
    public boolean hasBacklog() {
        return backlog != null && !backlog.isEmpty();
    }

    /** Returns the backlog, which is created when the first call has to wait. */
    public ArrayDeque<Call> backlog() {
        ArrayDeque<Call> waiting = backlog;
        if (waiting == null) {
            waiting = new ArrayDeque<>();
            backlog = waiting;
        }
        return waiting;
    }

    /** Records the cancellation of a call that may not have reached the engine yet. */
    void cancelledEarly(ResponseHandler handler, long atNanos) {
        if (earlyCancels == null) {
            earlyCancels = new EarlyCancels();
        }
        earlyCancels.add(handler, atNanos, callsInTransit());
    }

    /** Returns whether there are cancellations of calls that may not have reached the engine yet. */
    boolean hasEarlyCancels() {
        return earlyCancels != null && !earlyCancels.isEmpty();
    }

    /** Returns whether a call that now reaches the engine was cancelled before. */
    boolean wasCancelledEarly(Call call) {
        return earlyCancels != null && earlyCancels.take(call);
    }

    /**
     * Returns the time since the last call began. Thread-safe.
     *
     * @return nanoseconds since the last call began; 0 while a call is in progress or a stream is open
     */
    public long idleNanos() {
        return outstanding() > 0 || streams.isInUse() ? 0 : context.clock().nanoTime() - (long) USED_AT.getOpaque(this);
    }

    /** Records the start of a call. Thread-safe. */
    void usedAt(long nanos) {
        USED_AT.setOpaque(this, nanos);
    }

    @Override
    public boolean isClient() {
        return true;
    }

    @Override
    protected void onDue(long nowNanos) {
        try {
            calls.onTimer(this, nowNanos);
        } catch (Throwable e) {
            // The session must not wait for deadlines that cannot be checked any more.
            terminate("an internal failure of its timer: " + e);
            throw e;
        }
    }

    @Override
    public void endCalls(long nowNanos) {
        calls.failAll(this, nowNanos);
    }

    @Override
    public RoundTrips times() {
        return roundTrips;
    }

    @Override
    public boolean isQueuedForCredit() {
        return queuedForCredit;
    }

    @Override
    public void queuedForCredit(boolean queued) {
        queuedForCredit = queued;
    }

    @Override
    public void onCredit(long nowNanos) {
        calls.startWaiting(this, nowNanos);
    }

    @Override
    public int callsInFlight() {
        return outstanding();
    }

    @Override
    public int openStreams() {
        return streams.open();
    }

    @Override
    public RoundTripStatistics roundTrips() {
        return roundTrips.statistics();
    }

    /** Records the response to a call that was sent more than once. */
    void respondedAfterRetransmit(long requestIndex, long nanos) {
        roundTrips.atMost(nanos);
        retransmittedIndex = requestIndex;
        retransmittedNanos = nanos;
    }

    /**
     * Records a further response to a call that has ended. Both sends have arrived, so the first response belonged to
     * the first send.
     */
    void respondedTwice(long requestIndex) {
        if (requestIndex == retransmittedIndex) {
            retransmittedIndex = NONE;
            roundTrips.measured(retransmittedNanos);
        }
    }

    /**
     * Returns the number of calls in flight or waiting. Thread-safe.
     *
     * @return a number of calls
     */
    public int outstanding() {
        // Read first, so that a call that ends meanwhile is still counted.
        int over = ended;
        return begun - over;
    }

    /** Counts one more call; returns the new number. */
    private int countBegun(boolean byOwner) {
        if (byOwner || context.isOwnedHere()) {
            int fewer = ended - 1;
            ENDED.setRelease(this, fewer);
            return begun - fewer;
        }
        return (int) BEGUN.getAndAdd(this, 1) + 1 - ended;
    }

    void callEnded() {
        if (context.isOwnedHere()) {
            ENDED.setRelease(this, ended + 1);
        } else {
            BEGUN.getAndAdd(this, -1);
        }
    }

    /** Returns whether users are notified later, with {@link #notifyLater}. */
    boolean notifiesLater() {
        return context.notifiesLater();
    }

    void notifyLater(Runnable end) {
        context.notifyLater(end);
    }

    ClientCalls calls() {
        return calls;
    }

    /**
     * Returns the slot that {@link #slotTaken} takes; the caller ensures that one is free. It is the slot freed last,
     * which is in the cache.
     */
    ClientSlot nextFreeSlot() {
        return slot(firstFree);
    }

    void slotTaken(ClientSlot slot) {
        activeSlots++;
        firstFree = slot.nextFree;
    }

    void slotFreed(ClientSlot slot) {
        activeSlots--;
        slot.nextFree = firstFree;
        firstFree = slotIndex(slot.requestIndex, slots.length);
    }

    ClientSlot slotOf(long requestIndex) {
        return slot(slotIndex(requestIndex, slots.length));
    }

    /** Returns the slot at an index, and creates it at its first use. */
    ClientSlot slot(int index) {
        ClientSlot slot = slots[index];
        return slot != null ? slot : makeSlot(index);
    }

    private ClientSlot makeSlot(int index) {
        ClientSlot made = new ClientSlot(index);
        slots[index] = made;
        return made;
    }
}
