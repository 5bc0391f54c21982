package io.rdmarpc.rpc.engine.session;

import io.rdmarpc.concurrent.WheelTimer;
import io.rdmarpc.memory.LendingPool;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.memory.ScratchBlock;
import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.SessionInfo;
import io.rdmarpc.rpc.engine.context.EngineContext;
import io.rdmarpc.rpc.engine.packet.PeerPath;
import io.rdmarpc.rpc.engine.packet.Transmitter;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.MessageAllocator;
import io.rdmarpc.rpc.message.MessageOrigin;
import io.rdmarpc.rpc.wire.FailureText;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.ReadDescriptor;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.error.RdmaException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The common part of both ends of a session: its numbers, the path to the peer, and the memory for messages to it.
 *
 * <p>With thousands of alternating sessions, a call finds none of its session's data in the cache. The fields that each
 * call and each packet read are therefore copied into the session itself, because every further object would cost a
 * cache miss.
 */
public abstract class EngineSession extends WheelTimer implements MessageAllocator {

    private static final VarHandle OPEN = openHandle();

    public final int id;
    public final int peerId;
    public final long cookie;
    public final long peerGidHigh;
    public final long peerGidLow;
    private final int peerQpn;
    private final int maxMessageBytes;
    public final PeerPath path;
    public final StreamTable streams = new StreamTable();
    private final RcLink rcLink;
    public final SessionHost host;
    private final int mtuBytes;
    private final boolean sendsDetails;
    private final SessionInfo info;
    public final EngineContext context;
    private final SlabPool slab;
    private final Transmitter transmitter;
    private final LendingPool lending;
    private final MessageOrigin origin;
    /** Set when the session joins its engine. Engine thread only. */
    private @Nullable LargeSource source;

    private volatile boolean open = true;
    private volatile String closeReason = "";

    public EngineSession(
            SessionTerms terms, SessionHost host, EngineContext context, SlabPool slab, Transmitter transmitter) {
        this.context = context;
        this.slab = slab;
        this.transmitter = transmitter;
        this.id = terms.id();
        this.peerId = terms.peerId();
        this.cookie = terms.cookie();
        this.path = new PeerPath(
                terms.endpoint(), terms.addressHandle(), terms.info().pathMtuBytes());
        Gid gid = terms.endpoint().gid();
        this.peerGidHigh = gid.high();
        this.peerGidLow = gid.low();
        this.peerQpn = terms.endpoint().qpn();
        this.maxMessageBytes = terms.info().maxMessageBytes();
        this.host = host;
        this.rcLink = new RcLink(host);
        this.info = terms.info();
        this.mtuBytes = terms.info().pathMtuBytes();
        this.sendsDetails = terms.protocolVersion() >= FailureText.DETAILS_VERSION;
        this.lending = terms.lending();
        this.origin = terms.origin();
    }

    private static VarHandle openHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(EngineSession.class, "open", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Returns the slot of a request. Most windows are powers of two, which needs no division. */
    public static int slotIndex(long requestIndex, int window) {
        int mask = window - 1;
        return (window & mask) == 0 ? (int) requestIndex & mask : (int) Long.remainderUnsigned(requestIndex, window);
    }

    @Override
    public final int maxPacketPayload() {
        return mtuBytes - PacketHeader.BYTES - PacketHeader.DEADLINE_BYTES;
    }

    @Override
    public final int maxMessageBytes() {
        return maxMessageBytes;
    }

    /** Returns the maximum length of a failure with details, 0 if the peer cannot read details. */
    public final int maxDetailedFailureBytes() {
        return sendsDetails ? maxPacketPayload() : 0;
    }

    /**
     * Returns the session's negotiated properties.
     *
     * @return the properties
     */
    public final SessionInfo info() {
        return info;
    }

    /**
     * Returns whether calls can start.
     *
     * @return false after the session has ended
     */
    public final boolean isOpen() {
        return open;
    }

    /**
     * Marks the session as ended, so that no further call starts. The first reason is kept.
     *
     * @param reason the reason, for exception messages
     * @return false if the session had ended before
     */
    public final boolean markClosed(String reason) {
        if (open) {
            closeReason = reason;
        }
        return OPEN.compareAndSet(this, true, false);
    }

    /** Ends a session that has failed; its control side then removes it. */
    public final void terminate(String reason) {
        if (markClosed(reason)) {
            host.broken(reason);
        }
    }

    @Override
    public final MessageBuffer allocate(int capacityBytes) {
        return MessageBuffer.of(takeBlock(capacityBytes), 0);
    }

    /**
     * Returns memory for a message, without a handle. Thread-safe. The thread that runs the event loop must not
     * register memory. Without registered memory it gets an unregistered block, for which {@link #suits} returns false.
     */
    final RegisteredBlock takeBlock(int capacityBytes) {
        checkLength(capacityBytes);
        if (context.isOwnedHere()) {
            RegisteredBlock block = tryTakeBlock(capacityBytes);
            return block != null ? block : ScratchBlock.of(capacityBytes);
        }
        try {
            return fitsPacket(capacityBytes)
                    ? slab.takeBlock()
                    : lending.allocate(capacityBytes).take();
        } catch (RdmaException e) {
            // A message for which there was no memory was not sent.
            throw isOpen()
                    ? e
                    : new RdmaNotExecutedException(
                            "the session to " + info.peer() + " has ended (" + closeReason
                                    + "). The message was not sent: send it in another session",
                            e);
        }
    }

    /**
     * Prevents reuse of the memory that is freed from now on. The peer may still READ it, and would see another message
     * there.
     */
    public final void retireMemory() {
        lending.retire();
    }

    private @Nullable RegisteredBlock tryTakeBlock(int capacityBytes) {
        if (fitsPacket(capacityBytes)) {
            return transmitter.tryTakeFree();
        }
        MessageBuffer lendable = lending.tryAllocate(capacityBytes);
        if (lending.wantsTwin()) {
            context.runBlocking(lending::addTwin);
        }
        return lendable == null ? null : lendable.take();
    }

    /**
     * Ensures that a handle owned by the caller is open and holds at least that many bytes. A handle that already does
     * is left unchanged.
     */
    public final MessageBuffer open(@Nullable MessageBuffer handle, int capacityBytes) {
        if (handle == null) {
            return allocate(capacityBytes);
        }
        if (handle.isOpen()) {
            if (handle.capacity() >= capacityBytes) {
                return handle;
            }
            handle.close();
        }
        handle.reopen(takeBlock(capacityBytes));
        return handle;
    }

    public final String closeReason() {
        return closeReason;
    }

    public final RdmaUnavailableException unavailable(@Nullable Throwable cause) {
        return new RdmaUnavailableException(
                "the session to " + info.peer() + " has ended (" + closeReason
                        + "). The call may or may not have run: retry it only if it is idempotent",
                cause);
    }

    public final void checkLength(int bytes) {
        if (bytes > maxMessageBytes()) {
            throw new RdmaMessageTooLargeException("a message of " + bytes + " bytes to " + info.peer()
                    + " exceeds the " + maxMessageBytes()
                    + " bytes that both peers agreed on: raise rdma.max-message-size on both, or send smaller "
                    + "messages");
        }
    }

    /** Returns whether a message fits one packet. */
    public final boolean fitsPacket(int bytes) {
        return bytes <= maxPacketPayload();
    }

    /**
     * Returns whether a message is in memory of the kind that its length requires, at this session's NIC. This holds
     * for most messages.
     */
    public final boolean suits(RegisteredBlock block, int length) {
        boolean inPlace = fitsPacket(length) ? slab.suits(block) : lending.owns(block);
        return inPlace && length <= maxMessageBytes();
    }

    /**
     * Moves a message to memory of the kind that its length requires, unless it is already there. A lent block must
     * belong to this session: in a block of another session, the other peer could read the message. This method owns
     * the block, also if it throws. It registers memory if none is free, so the thread that runs the event loop calls
     * it only if the block {@linkplain #suits suits}.
     */
    public final RegisteredBlock moveToSendable(RegisteredBlock block, int length) {
        if (suits(block, length)) {
            return block;
        }
        try {
            checkLength(length);
            RegisteredBlock other = (fitsPacket(length) ? slab.allocate() : lending.allocate(length)).take();
            return copy(block, other, length);
        } finally {
            block.free();
        }
    }

    private static RegisteredBlock copy(RegisteredBlock from, RegisteredBlock to, int length) {
        boolean done = false;
        try {
            to.copyFrom(from.payload(), 0, 0, length);
            done = true;
            return to;
        } finally {
            if (!done) {
                to.free();
            }
        }
    }

    /** Returns the exception for a call or stream whose message {@link #moveToSendable} failed to move. */
    public final RdmaRpcException moveFailure(String what, Throwable why) {
        if (why instanceof RdmaRpcException known) {
            return known;
        }
        if (!isOpen()) {
            return unavailable(why);
        }
        return why instanceof RdmaException || why instanceof OutOfMemoryError
                ? new RdmaBackpressureException("no memory for " + what, why)
                : new RdmaRpcException(RpcStatus.INTERNAL, what + " cannot be moved to registered memory: " + why, why);
    }

    /** Returns whether a packet's source queue pair is the peer's. */
    public final boolean isPeer(int sourceQpn) {
        return sourceQpn == peerQpn;
    }

    public static int largePacketBytes(int headerBytes) {
        return headerBytes + ReadDescriptor.BYTES;
    }

    /** Returns whether this is the client's end of the session. */
    public abstract boolean isClient();

    /** Ends the calls of a removed session. Engine thread. */
    public abstract void endCalls(long nowNanos);

    /** Returns the measured round trips with the peer. Engine thread. */
    public abstract RoundTrips times();

    public final MessageOrigin origin() {
        return origin;
    }

    public final void source(LargeSource joined) {
        source = joined;
    }

    /** Returns the source of its large messages. The session must have joined its engine. */
    public final LargeSource source() {
        LargeSource joined = source;
        if (joined == null) {
            throw new IllegalStateException("a session cannot READ messages before it has joined its engine");
        }
        return joined;
    }

    public final RcLink rcLink() {
        return rcLink;
    }
}
