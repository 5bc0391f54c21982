package io.rdmarpc.rpc.engine.session;

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
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.ReadDescriptor;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.error.RdmaException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * What both ends of a session have: its numbers, the way to the peer, memory for it.
 *
 * <p>With thousands of sessions that take turns, a call finds nothing of its session in the cache. So what each call and
 * each packet look at stands in the session itself, although others know it too: every object more is a miss.
 */
public abstract class EngineSession implements MessageAllocator {

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
    private final SessionInfo info;
    public final EngineContext context;
    private final SlabPool slab;
    private final Transmitter transmitter;
    private final LendingPool lending;
    private final MessageOrigin origin;
    /** From the time when the engine has it. Engine thread only. */
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

    /** Which slot a request has. Most windows are powers of two, which takes no division. */
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

    /**
     * Describes the session.
     *
     * @return what was negotiated
     */
    public final SessionInfo info() {
        return info;
    }

    /**
     * Tells whether calls can start.
     *
     * @return false once it has ended
     */
    public final boolean isOpen() {
        return open;
    }

    /**
     * Marks the end: no call starts from now on. The first reason stays.
     *
     * @param reason why, in words for callers
     * @return false when it had ended before
     */
    public final boolean markClosed(String reason) {
        if (open) {
            closeReason = reason;
        }
        return OPEN.compareAndSet(this, true, false);
    }

    /** The session cannot go on; its control side will remove it. */
    public final void breakOff(String reason) {
        if (markClosed(reason)) {
            host.broken(reason);
        }
    }

    @Override
    public final MessageBuffer allocate(int capacityBytes) {
        return MessageBuffer.of(takeBlock(capacityBytes), 0);
    }

    /**
     * Memory for a message, without a handle. Any thread; one that turns the loop must not register memory, so when there
     * is none it gets some that the NIC does not know, and {@link #suits} says no to it.
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
            // What has no memory was not sent.
            throw isOpen()
                    ? e
                    : new RdmaNotExecutedException(
                            "the session to " + info.peer() + " has ended: " + closeReason
                                    + ". There is no memory of it any more, and what was to be written there was not sent",
                            e);
        }
    }

    /** What is freed from now on may still be on its way to the peer, which would see another message there. */
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

    /** Makes an own handle of the caller's hold at least so many bytes; one that does already is left as it is. */
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
                "the session to " + info.peer() + " has ended: " + closeReason
                        + ". The call may or may not have run; call again if that does no harm",
                cause);
    }

    public final void checkLength(int bytes) {
        if (bytes > maxMessageBytes()) {
            throw new RdmaMessageTooLargeException("a message of " + bytes + " bytes to " + info.peer()
                    + " is over the " + maxMessageBytes()
                    + " bytes both sides agreed on: raise rdma.max-message-size on both, or send less at a time");
        }
    }

    /** Tells whether a message travels in one packet. */
    public final boolean fitsPacket(int bytes) {
        return bytes <= maxPacketPayload();
    }

    /** Tells whether a message lies in memory of the kind its length asks for, at this session's NIC; most do. */
    public final boolean suits(RegisteredBlock block, int length) {
        boolean inPlace = fitsPacket(length) ? slab.suits(block) : lending.owns(block);
        return inPlace && length <= maxMessageBytes();
    }

    /**
     * Moves a message to memory of the kind its length asks for, unless it is there already. What is lent must be this
     * session's own: in a block of another one the peer could read what was meant for somebody else. Takes the block over,
     * also when it throws. Registers memory when there is none, so a thread that turns the loop only calls it when the
     * block {@linkplain #suits suits}.
     */
    public final RegisteredBlock settle(RegisteredBlock block, int length) {
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

    /** Why {@link #settle} threw, whatever that was, for whoever waits for the message's end. */
    public final RdmaRpcException unsettled(String what, Throwable why) {
        if (why instanceof RdmaRpcException known) {
            return known;
        }
        if (!isOpen()) {
            return unavailable(why);
        }
        return why instanceof RdmaException || why instanceof OutOfMemoryError
                ? new RdmaBackpressureException("no memory for " + what, why)
                : new RdmaRpcException(
                        RpcStatus.INTERNAL, what + " could not be moved to memory that can be sent: " + why, why);
    }

    /** Checks where a packet says it comes from. */
    public final boolean isPeer(int sourceQpn) {
        return sourceQpn == peerQpn;
    }

    public static int largePacketBytes(int headerBytes) {
        return headerBytes + ReadDescriptor.BYTES;
    }

    /** Returns whether this is the calling end of the session. */
    public abstract boolean isClient();

    /** Ends the calls of a session that was removed. Engine thread. */
    public abstract void endCalls(long nowNanos);

    /** Round trips with the peer. Engine thread. */
    public abstract RoundTrips times();

    public final MessageOrigin origin() {
        return origin;
    }

    public final void source(LargeSource joined) {
        source = joined;
    }

    /** Where its large messages come from; the engine has the session. */
    public final LargeSource source() {
        LargeSource joined = source;
        if (joined == null) {
            throw new IllegalStateException("a session fetches nothing before its engine has it");
        }
        return joined;
    }

    public final RcLink rcLink() {
        return rcLink;
    }
}
