package io.rdmarpc.transport;

import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ipc.IpcQueuePair;
import io.rdmarpc.verbs.ipc.ShmDatagramChannel;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;

/**
 * Datagrams of one engine: a UD queue pair, its receive ring, batched posts. One engine thread uses it; opening and
 * closing happen on a control thread while no engine runs.
 */
public final class UdTransport implements AutoCloseable {

    private static final int MAX_AUTO_INLINE = 256;

    /** While peers of this host send through shared memory and the queue pair receives nothing, its completions are polled less often. */
    private static final int POLLS_PER_LOOK = 8;

    private final NicContext nic;
    private final UdConfig config;
    private final int qkey;
    private final Arena arena = Arena.ofShared();
    private final WorkCompletions completions;
    private final int pollBatch;
    private @Nullable CompletionQueue sendCq;
    private @Nullable CompletionQueue receiveCq;
    private @Nullable QueuePair qp;
    private @Nullable ReceiveRing ring;
    private @Nullable DatagramSendQueue sendQueue;
    private @Nullable IpcDatagrams ipc;
    private boolean handsArrivals;
    private int pollsSinceLook;
    private int packetsLeft;
    private long receiveErrors;
    private boolean receiveFailed;
    private final HeldClosing closing = new HeldClosing(this::closeNow);

    private UdTransport(NicContext nic, UdConfig config) {
        this.nic = nic;
        this.config = config;
        this.pollBatch = config.pollBatch();
        this.completions = WorkCompletions.allocate(arena, pollBatch);
        // The top bit stays 0: with it set the NIC would send its own key instead (IBA 10.2.4).
        this.qkey = new SecureRandom().nextInt(1, Integer.MAX_VALUE);
    }

    /**
     * Opens the transport: the queue pair is ready to send and its ring is posted.
     *
     * @param nic the NIC, which must outlive the transport
     * @param config sizes
     * @return the transport, to be closed by the caller
     * @throws RdmaConfigurationException when a size is over the device's limit
     */
    public static UdTransport open(NicContext nic, UdConfig config) {
        return open(nic, config, nic.completionChannel());
    }

    /**
     * Opens the transport on a channel of its thread's own.
     *
     * @param nic the NIC, which must outlive the transport
     * @param config sizes
     * @param channel where it tells of completions, must outlive the transport; null for none
     * @return the transport, to be closed by the caller
     * @throws RdmaConfigurationException when a size is over the device's limit
     */
    public static UdTransport open(NicContext nic, UdConfig config, @Nullable CompletionChannel channel) {
        UdLimits.check(nic, config);
        UdTransport transport = new UdTransport(nic, config);
        try {
            transport.createQueues(channel);
            return transport;
        } catch (RuntimeException | Error e) {
            transport.close();
            throw e;
        }
    }

    private void createQueues(@Nullable CompletionChannel channel) {
        sendCq = nic.createCompletionQueue(config.sendDepth(), channel);
        receiveCq = nic.createCompletionQueue(config.receiveDepth(), channel);
        int inline = config.inlineBytes() == UdConfig.AUTO_INLINE ? MAX_AUTO_INLINE : config.inlineBytes();
        qp = createQueuePair(sendCq, receiveCq, inline);
        IpcQueuePair extension = IpcQueuePair.of(qp);
        ShmDatagramChannel shared = extension.datagramChannel();
        ring = new ReceiveRing(
                nic.context(),
                nic.protectionDomain(),
                config.receiveDepth(),
                IpcDatagrams.spareReceives(shared),
                nic.pathMtu().bytes(),
                config.postBatch());
        ipc = new IpcDatagrams(shared, ring, pollBatch);
        sendQueue = new DatagramSendQueue(
                qp, extension, sendCq, config, qp.capabilities().maxInlineBytes(), arena);
        initialize(qp);
        ring.fill(qp);
        makeReady(qp);
    }

    private void initialize(QueuePair queuePair) {
        queuePair.modify(new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .pkeyIndex(0)
                .portNumber(nic.portNumber())
                .qkey(qkey));
    }

    private static void makeReady(QueuePair queuePair) {
        queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTR));
        queuePair.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(0));
    }

    /**
     * Tells whether the queue pair has failed: a receive was flushed, or a send ended with an error (IBA 10.3.1: a datagram
     * queue pair leaves RTS then). Engine thread.
     *
     * @return true until {@link #restart}
     */
    public boolean hasFailed() {
        return receiveFailed || sendQueue().failedCompletions() > 0;
    }

    /**
     * Brings a failed queue pair back to RTS, its number and key unchanged. Blocks, so it is for a control thread; the
     * engine thread neither posts nor polls until it has called {@link #restart}.
     *
     * @throws io.rdmarpc.verbs.error.RdmaException when the device refuses; may be tried again
     */
    public void recover() {
        QueuePair failed = queuePair();
        failed.modify(new QueuePairAttributes().state(QueuePairState.RESET));
        initialize(failed);
        makeReady(failed);
    }

    /**
     * Starts anew after {@link #recover}: drops completions of the old life, counts all sends as complete, posts
     * again the entries that the queue pair had. Engine thread.
     */
    public void restart() {
        CompletionQueue received = receiveCq;
        while (received != null && received.poll(completions, pollBatch) > 0) {
            // Dropped: their entries are posted again.
        }
        sendQueue().restart();
        ring().restart(queuePair());
        receiveFailed = false;
    }

    /** Asks for inline room and takes less where the device has less: rxe and some NICs refuse instead of granting less. */
    private QueuePair createQueuePair(CompletionQueue send, CompletionQueue receive, int inlineBytes) {
        int inline = inlineBytes;
        while (true) {
            QueuePairCapabilities capabilities =
                    new QueuePairCapabilities(config.sendDepth(), config.receiveDepth(), 1, 1, inline);
            try {
                return nic.protectionDomain()
                        .createQueuePair(
                                new QueuePairConfig(QueuePairType.UD, send, receive, capabilities, false).unchecked());
            } catch (RdmaVerbsException e) {
                if (inline == 0 || config.inlineBytes() != UdConfig.AUTO_INLINE) {
                    throw e;
                }
                inline = inline <= 32 ? 0 : inline / 2;
            }
        }
    }

    /**
     * Describes this end for peers.
     *
     * @param from the GID that packets to the peer are sent from
     * @return the endpoint, with the secret QKEY
     */
    public UdEndpoint endpoint(GidEntry from) {
        return new UdEndpoint(from.gid(), nic.port().lid(), queuePair().number(), qkey);
    }

    /**
     * Asks for an event on the NIC's channel when the next packet has arrived or was sent. Poll once more before waiting
     * for it.
     *
     * @return 0 or an error number
     */
    public int arm() {
        pollsSinceLook = POLLS_PER_LOOK;
        int errno = arm(receiveCq);
        return errno != 0 ? errno : arm(sendCq);
    }

    private static int arm(@Nullable CompletionQueue cq) {
        return cq == null ? Errno.EINVAL : cq.requestNotification(false);
    }

    /**
     * Takes received packets.
     *
     * @param handler takes each packet and with it the ring entry
     * @return how many were taken
     */
    public int poll(PacketHandler handler) {
        IpcDatagrams used = ipc;
        if (used == null || !used.isInUse()) {
            return pollQueue(handler);
        }
        int count = pollShared(used, handler);
        if (++pollsSinceLook >= POLLS_PER_LOOK) {
            count += pollQueue(handler);
        }
        return count;
    }

    /**
     * Tells how often {@link #pollAgain} is worth its time.
     *
     * @return 0 when no peer of this host sends to here through shared memory, or so many that a single look at all of them takes long
     */
    public int furtherLooks() {
        return ipc().furtherLooks();
    }

    /**
     * Takes packets that have come since the last {@link #poll} and of which one can know at little cost.
     *
     * @param handler takes each packet and with it the ring entry
     * @return how many were taken
     */
    public int pollAgain(PacketHandler handler) {
        return pollShared(ipc(), handler);
    }

    private int pollShared(IpcDatagrams from, PacketHandler handler) {
        int found = 0;
        int count;
        try {
            found = from.poll();
        } finally {
            // Packets that came before a path failed are handed over all the same: no other owner frees their entries.
            count = handAll(from.arrivals(), handler);
        }
        if (found > count) {
            // Some took posted receives: they are in the queue.
            pollsSinceLook = POLLS_PER_LOOK;
        }
        return count;
    }

    private int handAll(ShmArrivals into, PacketHandler handler) {
        int count = into.count();
        if (count == 0) {
            return 0;
        }
        handsArrivals = true;
        try {
            for (int i = 0; i < count; i++) {
                packetsLeft = count - 1 - i;
                into.hand(i, handler);
            }
        } finally {
            handsArrivals = false;
            into.clear();
        }
        return count;
    }

    private int pollQueue(PacketHandler handler) {
        CompletionQueue cq = receiveCq;
        if (cq == null) {
            return 0;
        }
        int count = cq.poll(completions, pollBatch);
        // Where something was there is more.
        pollsSinceLook = count > 0 ? POLLS_PER_LOOK : 0;
        for (int i = 0; i < count; i++) {
            if (completions.status(i) == CompletionStatus.SUCCESS) {
                ring().taken((int) completions.wrId(i));
                packetsLeft = count - 1 - i;
                handler.onPacket(
                        (int) completions.wrId(i),
                        completions.byteLength(i) - ReceiveRing.GRH_BYTES,
                        completions.sourceQp(i));
            } else {
                // The queue pair is in error: its entries must not be posted again, the rest of the batch still counts.
                receiveErrors++;
                receiveFailed = true;
            }
        }
        return Math.max(0, count);
    }

    /**
     * Tells a {@link PacketHandler} how many packets it will be given in this poll after the one it has.
     *
     * @return 0 for the last one
     */
    public int packetsLeft() {
        return packetsLeft;
    }

    /**
     * Gives a ring entry back; it is posted again at the latest at {@link #flush}, unless {@link #wantReceives} wants fewer.
     *
     * @param entry an entry that {@link PacketHandler} was given
     */
    public void release(int entry) {
        ring().release(queuePair(), entry);
    }

    /**
     * Says for how many packets there must be room in the queue pair from now on; without this, for as many as it
     * takes. Fewer entries that are used again and again are warmer, for the CPU and for a NIC that writes to its cache.
     *
     * @param packets the most that can arrive between two turns
     */
    public void wantReceives(int packets) {
        ring().want(packets);
    }

    /**
     * Returns how many entries of the ring are neither in the queue pair nor with readers.
     *
     * @return those that are posted when more is wanted
     */
    public int reservedReceives() {
        return ring().reserved();
    }

    /**
     * Returns how many entries the ring has, those included that are never posted.
     *
     * @return the largest entry is one less
     */
    public int ringEntries() {
        return ring().entries();
    }

    /**
     * Returns the receive ring.
     *
     * @return a read-only view of all entries
     */
    public MemorySegment ringMemory() {
        return ring().memory();
    }

    /**
     * Returns where the payload of an entry starts.
     *
     * @param entry a ring entry
     * @return byte offset in {@link #ringMemory()}, a multiple of 64
     */
    public long payloadOffset(int entry) {
        return ring().payloadOffset(entry);
    }

    /**
     * Checks the source of the packet that a {@link PacketHandler} has just been given.
     *
     * @param entry the ring entry that holds it
     * @param gidHigh the first 8 bytes of the GID it must have come from, big-endian
     * @param gidLow the last 8 bytes
     * @return true when it did
     */
    public boolean cameFrom(int entry, long gidHigh, long gidLow) {
        return handsArrivals ? ipc().arrivals().isFrom(gidHigh, gidLow) : ring().cameFrom(entry, gidHigh, gidLow);
    }

    /**
     * Adds a datagram to the current postlist, or sends it at once through memory that is shared with the peer.
     *
     * @param addressHandle the way to the peer
     * @param peer its endpoint
     * @param address first byte, header included
     * @param length bytes, at most the path MTU
     * @param lkey key of that memory, which must stay untouched until {@link #completedSends()} reaches {@link
     *     #lastSend()} as it is after this call
     * @return false when the send queue is full: back-pressure, not an error
     */
    public boolean send(long addressHandle, UdEndpoint peer, long address, int length, int lkey) {
        return ipc().send(addressHandle, peer, address, length, lkey)
                || sendQueue().send(addressHandle, peer.qpn(), peer.qkey(), address, length, lkey);
    }

    /** Posts what is pending, sends and receives. */
    public void flush() {
        flushSends();
        ring().flush(queuePair());
    }

    /**
     * Posts what is pending, but receives only when they are many: for a turn that others will follow, the first idle one of
     * which is to {@link #flush}. A large ring is short of a 32nd part of itself, or of a postlist, meanwhile.
     */
    public void flushInHaste() {
        flushSends();
        ring().flushMany(queuePair());
    }

    /** Posts what is to be sent. */
    public void flushSends() {
        ipc().flush();
        sendQueue().flush();
    }

    /**
     * Takes send completions.
     *
     * @return how many
     */
    public int pollSends() {
        return sendQueue().poll();
    }

    /**
     * Tells whether sends are under way whose completions nobody will announce: then {@link #pollSends} finds out.
     *
     * @return true until they have left
     */
    public boolean mustPollSends() {
        return sendQueue().mustLook();
    }

    /**
     * Returns the number of the last datagram added; they count from 1.
     *
     * @return its number
     */
    public long lastSend() {
        return sendQueue().lastNumber();
    }

    /**
     * Returns up to which number datagrams have left: nothing refers to their memory any more.
     *
     * @return the number
     */
    public long completedSends() {
        return sendQueue().completedNumber();
    }

    /**
     * Returns how many receives the queue pair takes.
     *
     * @return packets that can arrive before the engine looks
     */
    public int receiveDepth() {
        return config.receiveDepth();
    }

    /**
     * Returns the longest packet that is sent inline.
     *
     * @return bytes, header included
     */
    public int maxInlineBytes() {
        return queuePair().capabilities().maxInlineBytes();
    }

    /**
     * Returns how many sends and receives failed.
     *
     * @return the count; above 0 the queue pair is likely in error
     */
    public long errors() {
        return receiveErrors + sendQueue().failures() + ring().postFailures();
    }

    private QueuePair queuePair() {
        return opened(qp);
    }

    private IpcDatagrams ipc() {
        return opened(ipc);
    }

    private ReceiveRing ring() {
        return opened(ring);
    }

    private DatagramSendQueue sendQueue() {
        return opened(sendQueue);
    }

    private static <T> T opened(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("the UD transport is closed");
        }
        return part;
    }

    /** Puts off closing until {@link #release}: for whoever could not stop a thread that may still use this. Any thread. */
    public void hold() {
        closing.hold();
    }

    /** Ends a {@link #hold}. Any thread. */
    public void release() {
        closing.release();
    }

    @Override
    public void close() {
        closing.close();
    }

    private void closeNow() {
        HeldClosing.closeAll(qp, ring, sendCq, receiveCq, arena);
    }
}
