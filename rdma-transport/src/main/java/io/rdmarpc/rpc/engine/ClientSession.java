package io.rdmarpc.rpc.engine;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.RdmaBackpressureException;
import io.rdmarpc.rpc.RdmaUnavailableException;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RoundTripStatistics;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcException;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.StreamReceiver;
import io.rdmarpc.rpc.TrafficConfig;
import io.rdmarpc.rpc.wire.StreamOpening;
import io.rdmarpc.verbs.RdmaException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The calling end of a session: a window of slots and a bounded backlog. {@link #call} is for any thread; slots and
 * backlog belong to the engine thread.
 */
public final class ClientSession extends EngineSession implements RpcSession {

    final ClientSlot[] slots;
    final ArrayDeque<Call> backlog = new ArrayDeque<>();
    private final EventLoop loop;
    private final int capacity;
    private final CallPool calls;
    private final AtomicInteger outstanding = new AtomicInteger();
    private volatile long usedAtNanos;
    final SessionTimer timer = new SessionTimer(this);
    final RoundTrips roundTrips;
    final ClientCredits credits;
    /** Null when sessions are as fast as they can be. */
    final @Nullable RateControl rate;

    /** Its next call waits for room in the own receive ring. */
    boolean waitsForCredit;
    /** When the last call ended. */
    long idleSinceNanos;
    /** When the first call of the backlog may run out of time. */
    long backlogDueNanos;

    int activeSlots;

    /**
     * Makes the calling end of a session; {@link EventLoop#add(ClientSession)} brings it to life.
     *
     * @param loop the engine
     * @param terms what was negotiated
     * @param host the control side
     */
    public ClientSession(EventLoop loop, SessionTerms terms, SessionHost host) {
        super(terms, loop.slab(), host);
        this.loop = loop;
        this.usedAtNanos = loop.clock().nanoTime();
        int window = terms.info().window();
        this.capacity = window + loop.config().backlog();
        this.calls = new CallPool(this, capacity);
        TrafficConfig traffic = loop.config().traffic();
        this.roundTrips = new RoundTrips(
                loop.config().retransmitTimeout().toNanos(),
                traffic.shortestTimeout().toNanos(),
                traffic.longestTimeout().toNanos());
        this.rate = traffic.congestionControl() ? new RateControl() : null;
        this.credits = new ClientCredits(loop.creditPool(), window);
        this.slots = new ClientSlot[window];
        for (int i = 0; i < window; i++) {
            slots[i] = new ClientSlot(i);
        }
    }

    @Override
    public RpcCall prepareCall(RpcCall.End end) {
        return new PreparedCall(this, loop, end);
    }

    @Override
    public void call(int methodId, MessageBuffer request, long timeoutNanos, ResponseHandler handler) {
        call(methodId, request, timeoutNanos, handler, Call.NO_ENTRY);
    }

    /** With a ring entry that the caller gives back at the same time; false when the call has failed on the spot. */
    boolean call(int methodId, MessageBuffer request, long timeoutNanos, ResponseHandler handler, int givenBack) {
        int length = request.messageBytes();
        boolean metadata = request.metadataBytes() > 0;
        if (outstanding.incrementAndGet() > capacity) {
            outstanding.decrementAndGet();
            request.close();
            handler.onFailure(new RdmaBackpressureException("the session to " + info().peer() + " has " + capacity
                    + " calls in flight or waiting, as many as rdma.window and rdma.backlog allow:"
                    + " call less at a time, or raise rdma.backlog"));
            return false;
        }
        RegisteredBlock block;
        try {
            checkOpen();
            block = settle(request);
        } catch (RpcException e) {
            outstanding.decrementAndGet();
            closeQuietly(request);
            handler.onFailure(e);
            return false;
        } catch (RdmaException e) {
            outstanding.decrementAndGet();
            closeQuietly(request);
            handler.onFailure(
                    isOpen() ? new RdmaBackpressureException("no memory for the request", e) : unavailable(e));
            return false;
        }
        long now = loop.clock().nanoTime();
        usedAtNanos = now;
        Call call = calls.take().of(methodId, block, length, timeoutNanos, now + timeoutNanos, handler);
        call.givenBack = givenBack;
        call.metadata = metadata;
        loop.submit(call);
        return true;
    }

    @Override
    public RpcStream openStream(int methodId, int credits, long timeoutNanos, StreamReceiver receiver) {
        EngineStream.checkCredits(credits);
        checkOpen();
        MessageBuffer opening = allocate(StreamOpening.CALL_BYTES);
        long deadline = loop.clock().nanoTime() + timeoutNanos;
        EngineStream stream =
                streams.add(id -> new EngineStream(loop.streams(), loop, this, id, credits, deadline, receiver));
        if (stream == null) {
            opening.close();
            throw new RdmaBackpressureException("the session to " + info().peer() + " has " + StreamTable.STREAMS
                    + " streams open, as many as it may: end some, or open them one after the other");
        }
        loop.submit(_ -> loop.streams().add(stream));
        new StreamOpening(stream.id(), credits, TimeUnit.NANOSECONDS.toMicros(timeoutNanos))
                .writeCall(opening.segment());
        opening.length(StreamOpening.CALL_BYTES);
        call(methodId, opening, timeoutNanos, new StreamOpenCall(stream, loop));
        return stream;
    }

    @Override
    public void cancel(ResponseHandler handler) {
        loop.submit(new CancelCommand(this, handler));
    }

    private void checkOpen() {
        if (!isOpen()) {
            throw unavailable();
        }
    }

    private static void closeQuietly(MessageBuffer request) {
        if (request.isOpen()) {
            request.close();
        }
    }

    RdmaUnavailableException unavailable() {
        return unavailable(null);
    }

    void recycle(Call call) {
        calls.put(call);
    }

    /**
     * Tells for how long nobody has called. Any thread.
     *
     * @return nanoseconds since the last call began, 0 while one is under way or a stream is open
     */
    public long idleNanos() {
        return outstanding.get() > 0 || streams.isInUse() ? 0 : loop.clock().nanoTime() - usedAtNanos;
    }

    @Override
    public RoundTripStatistics roundTrips() {
        return roundTrips.statistics();
    }

    /**
     * Counts calls in flight or waiting. Any thread.
     *
     * @return how many
     */
    public int outstanding() {
        return outstanding.get();
    }

    void callEnded() {
        outstanding.decrementAndGet();
    }

    void takeBack(int entry) {
        loop.receiveRing().takeBack(entry);
    }

    ClientRequests requests() {
        return loop.clientRequests();
    }

    ClientSlot slotOf(long requestIndex) {
        return slots[(int) Long.remainderUnsigned(requestIndex, slots.length)];
    }
}
