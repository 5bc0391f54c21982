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
 * The calling end of a session: a window of slots and a bounded backlog. {@link #call} is for any thread; slots and
 * backlog belong to the engine thread.
 */
public final class ClientSession extends EngineSession implements RpcSession, CreditWaiter {

    private static final long NONE = -1;
    private static final VarHandle BEGUN = handle("begun", int.class);
    private static final VarHandle ENDED = handle("ended", int.class);
    private static final VarHandle LEAVING = handle("leaving", boolean.class);
    private static final VarHandle USED_AT = handle("usedAtNanos", long.class);

    public final ClientSlot[] slots;
    private @Nullable ArrayDeque<Call> backlog;
    private final ClientParts parts;
    private final ClientCalls calls;
    private final int capacity;
    private volatile @Nullable CallPool pool;
    /** Calls that other threads have begun, less those that have ended there; wraps around. */
    private volatile int begun;
    /** Calls that have ended in the loop, less those begun there. Whoever turns it writes this, so that it takes no atomic addition. */
    private volatile int ended;

    /** The server has said that it is stopping. */
    @SuppressWarnings("UnusedVariable") // written through LEAVING
    private volatile boolean leaving;

    private @Nullable EarlyCancels earlyCancels;
    /** Calls made on the loop whose requests are being moved elsewhere. */
    private final List<Call> moving = new ArrayList<>(0);

    @SuppressWarnings("UnusedVariable") // read through USED_AT
    private long usedAtNanos;

    final SessionTimer timer;
    final RoundTrips roundTrips;
    public final ClientCredits credits;
    /** Null when sessions are as fast as they can be. */
    public final @Nullable RateControl rate;

    /** Its next call waits for room in the own receive ring. */
    private boolean queuedForCredit;
    /** When the last call ended. */
    long idleSinceNanos;
    /** When the first call of the backlog may run out of time. */
    long backlogDueNanos;

    public int activeSlots;

    /** A stack that grows downwards: those from {@link #activeSlots} on are free; what is before them means nothing. */
    private final ClientSlot[] freeSlots;

    /** The last call that was sent again and answered; a second answer to it says that the first one was in time. */
    private long repeatedIndex = NONE;

    private long repeatedNanos;

    public ClientSession(SessionTerms terms, SessionHost host, EngineContext context, ClientParts parts) {
        super(terms, host, context, parts.slab(), parts.transmitter());
        this.parts = parts;
        this.calls = parts.calls();
        this.timer = new SessionTimer(this, calls);
        this.usedAtNanos = context.clock().nanoTime();
        int window = terms.info().window();
        this.capacity = window + context.config().maxQueued();
        TrafficConfig traffic = context.config().traffic();
        this.roundTrips = RoundTrips.of(context.config());
        this.rate = traffic.congestionControl() ? new RateControl() : null;
        this.credits = new ClientCredits(parts.credits(), window);
        this.slots = new ClientSlot[window];
        for (int i = 0; i < window; i++) {
            slots[i] = new ClientSlot(i);
        }
        this.freeSlots = slots.clone();
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

    /** Begins a call now. A caller that owns the loop starts it itself. */
    public void callNow(
            int methodId, MessageBuffer request, long timeoutNanos, ResponseHandler handler, boolean byOwner) {
        Call call = admit(methodId, request, timeoutNanos, handler, byOwner);
        if (call != null) {
            make(call, byOwner);
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
            make(call, byOwner);
        }
    }

    /** Counts one more call, unless there are too many or nobody takes them: then its end is told, and there is none. */
    private @Nullable Call admit(
            int methodId, MessageBuffer request, long timeoutNanos, ResponseHandler handler, boolean byOwner) {
        int length = request.messageBytes();
        boolean metadata = request.metadataBytes() > 0;
        if (countBegun(byOwner) > capacity) {
            callEnded();
            request.close();
            handler.onFailure(new RdmaBackpressureException("the session to " + info().peer() + " has " + capacity
                    + " calls in flight or waiting, as many as rdma.client.max-in-flight and rdma.client.max-queued allow:"
                    + " call less at a time, or raise rdma.client.max-queued"));
            return null;
        }
        if (!takesCalls()) {
            callEnded();
            request.close();
            handler.onFailure(notSent());
            return null;
        }
        Call call = takeCall(handler).of(methodId, request.take(), length, timeoutNanos, handler);
        call.metadata = metadata;
        return call;
    }

    /** Brings a call into the engine. */
    private void make(Call call, boolean byOwner) {
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
        return own != null ? own : pool().take();
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

    /** The request has to be moved, which may register memory: not where the loop is turned. */
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

    /** The call whose request is being moved elsewhere meanwhile, for whoever is told of its end; null when it is not. */
    @Nullable
    Call moving(ResponseHandler handler) {
        for (int i = 0; i < moving.size(); i++) {
            if (moving.get(i).isFor(handler)) {
                return moving.get(i);
            }
        }
        return null;
    }

    /** Counts calls that have begun and that the engine has not got yet. Engine thread. */
    int callsOnTheirWay() {
        int known = backlog == null ? 0 : backlog.size();
        for (ClientSlot slot : slots) {
            known += isUnderWay(slot.call) ? 1 : 0;
        }
        for (Call call : moving) {
            known += isUnderWay(call) ? 1 : 0;
        }
        return outstanding() - known;
    }

    /** Tells whether a call has a slot or waits for one: then its end comes by that. Engine thread. */
    boolean hasInHand(Call call) {
        for (ClientSlot slot : slots) {
            if (slot.call == call) {
                return true;
            }
        }
        return backlog != null && backlog.contains(call);
    }

    private static boolean isUnderWay(@Nullable Call call) {
        return call != null && !call.hasEnded();
    }

    private static void end(Call call, RdmaRpcException problem) {
        call.fail(problem);
        call.recycle();
    }

    private @Nullable RdmaRpcException move(Call call) {
        try {
            call.moveTo(settle(call.request(), call.length));
            return null;
        } catch (RuntimeException | Error e) {
            return unsettled("the request", e);
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
                    + " streams open, as many as it may: end some, or open them one after the other");
        }
        context.submit(_ -> open(stream, methodId, opening, timeoutNanos));
        return stream;
    }

    private void open(EngineStream stream, int methodId, MessageBuffer opening, long timeoutNanos) {
        try {
            begin(stream, methodId, opening, timeoutNanos);
        } catch (Throwable e) {
            stream.lost(new RdmaRpcException(RpcStatus.INTERNAL, "the engine failed on opening the stream: " + e, e));
            throw e;
        }
    }

    /** The first credits are entries of the receive ring, which the engine's thread gives. */
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
        if (!takesCalls()) {
            throw notSent();
        }
    }

    public RdmaUnavailableException unavailable() {
        return unavailable(null);
    }

    @Override
    public boolean takesCalls() {
        return !leaving && isOpen();
    }

    /** No call starts from now on: the server is stopping. Any thread; false when that was known. */
    public boolean markLeaving() {
        return LEAVING.compareAndSet(this, false, true);
    }

    /** Why a call that was not sent has failed. */
    RdmaNotExecutedException notSent() {
        return isOpen()
                ? notRun("it was not sent")
                : new RdmaNotExecutedException("the session to " + info().peer() + " has ended: " + closeReason()
                        + ". The call was not sent, and has not run");
    }

    /** Why a call has failed that the server does not run. */
    RdmaNotExecutedException notRun(String how) {
        return new RdmaNotExecutedException(
                info().peer() + " is stopping, and has not run the call: " + how + ". Call again, there or elsewhere");
    }

    void recycle(Call call) {
        pool().put(call);
    }

    /** Tells whether calls wait for a slot. Engine thread, as all about the backlog. */
    public boolean hasBacklog() {
        return backlog != null && !backlog.isEmpty();
    }

    /** Made when the first call has to wait. */
    public ArrayDeque<Call> backlog() {
        ArrayDeque<Call> waiting = backlog;
        if (waiting == null) {
            waiting = new ArrayDeque<>();
            backlog = waiting;
        }
        return waiting;
    }

    /** Somebody has given up a call that may still be on its way here. */
    void cancelledEarly(ResponseHandler handler, long atNanos) {
        if (earlyCancels == null) {
            earlyCancels = new EarlyCancels();
        }
        earlyCancels.add(handler, atNanos, callsOnTheirWay());
    }

    /** Tells whether calls were given up that may still be on their way here. */
    boolean hasEarlyCancels() {
        return earlyCancels != null && !earlyCancels.isEmpty();
    }

    /** Tells whether a call that has come now was given up before. */
    boolean wasCancelledEarly(Call call) {
        return earlyCancels != null && earlyCancels.take(call);
    }

    /**
     * Tells for how long nobody has called. Any thread.
     *
     * @return nanoseconds since the last call began, 0 while one is under way or a stream is open
     */
    public long idleNanos() {
        return outstanding() > 0 || streams.isInUse() ? 0 : context.clock().nanoTime() - (long) USED_AT.getOpaque(this);
    }

    /** Somebody has begun a call. Any thread. */
    void usedAt(long nanos) {
        USED_AT.setOpaque(this, nanos);
    }

    @Override
    public boolean isClient() {
        return true;
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

    /** A call that was sent more than once has been answered. */
    void answeredAfterRepeat(long requestIndex, long nanos) {
        roundTrips.atMost(nanos);
        repeatedIndex = requestIndex;
        repeatedNanos = nanos;
    }

    /** An answer to a call that has ended: both its sends have arrived, so the first answer was for the first. */
    void answeredTwice(long requestIndex) {
        if (requestIndex == repeatedIndex) {
            repeatedIndex = NONE;
            roundTrips.measured(repeatedNanos);
        }
    }

    /**
     * Counts calls in flight or waiting. Any thread.
     *
     * @return how many
     */
    public int outstanding() {
        // Read first: of a call that ends meanwhile it is better to say that it is still there.
        int over = ended;
        return begun - over;
    }

    /** One more; returns how many there are then. */
    private int countBegun(boolean byOwner) {
        if (byOwner) {
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

    /** Tells whether users are to be told later, by {@link #tellLater}. */
    boolean tellsLater() {
        return context.tellsLater();
    }

    void tellLater(Runnable end) {
        context.tellLater(end);
    }

    ClientCalls calls() {
        return calls;
    }

    /** The slot that {@link #slotTaken} takes; there is one. The last one that was freed, which is in the cache. */
    ClientSlot nextFreeSlot() {
        return freeSlots[activeSlots];
    }

    void slotTaken() {
        activeSlots++;
    }

    void slotFreed(ClientSlot slot) {
        activeSlots--;
        if (freeSlots[activeSlots] != slot) {
            freeSlots[activeSlots] = slot;
        }
    }

    ClientSlot slotOf(long requestIndex) {
        return slots[slotIndex(requestIndex, slots.length)];
    }
}
