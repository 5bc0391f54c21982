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
 * Datagrams of one engine: a UD queue pair, its receive ring, batched posts. One engine thread uses it. A control
 * thread opens and closes it while no engine runs.
 */
public final class UdTransport implements AutoCloseable {

    private static final int MAX_AUTO_INLINE = 256;

    /**
     * Number of polls of shared memory per poll of the completion queue. It applies while peers of this host use shared
     * memory and the queue pair receives no packet.
     */
    private static final int POLLS_PER_QUEUE_POLL = 8;

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
    private boolean deliversArrivals;
    private int pollsSinceQueuePoll;
    private int packetsLeft;
    private long receiveErrors;
    private boolean receiveFailed;
    private final HeldClosing closing = new HeldClosing(this::closeNow);

    private UdTransport(NicContext nic, UdConfig config) {
        this.nic = nic;
        this.config = config;
        this.pollBatch = config.pollBatch();
        this.completions = WorkCompletions.allocate(arena, pollBatch);
        // The top bit is 0: with the bit set, the NIC would send its own key instead (IBA 10.2.4).
        this.qkey = new SecureRandom().nextInt(1, Integer.MAX_VALUE);
    }

    /**
     * Opens the transport: the queue pair is ready to send and its ring is posted.
     *
     * @param nic the NIC, which must outlive the transport
     * @param config sizes
     * @return the transport, to be closed by the caller
     * @throws RdmaConfigurationException if a size is above the device's limit
     */
    public static UdTransport open(NicContext nic, UdConfig config) {
        return open(nic, config, nic.completionChannel());
    }

    /**
     * Opens the transport on a completion channel for its engine's thread.
     *
     * @param nic the NIC, which must outlive the transport
     * @param config sizes
     * @param channel reports its completions, must outlive the transport; null for none
     * @return the transport, to be closed by the caller
     * @throws RdmaConfigurationException if a size is above the device's limit
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
     * Returns whether the queue pair has failed: a receive was flushed, or a send ended with an error. A datagram queue
     * pair then leaves RTS (IBA 10.3.1). Engine thread.
     *
     * @return true until {@link #restart}
     */
    public boolean hasFailed() {
        return receiveFailed || sendQueue().failedCompletions() > 0;
    }

    /**
     * Returns a failed queue pair to RTS, with the same number and key. Blocks, so a control thread calls it. Until the
     * engine thread has called {@link #restart}, it neither posts nor polls.
     *
     * @throws io.rdmarpc.verbs.error.RdmaException if the device rejects a transition; the caller may retry
     */
    public void recover() {
        QueuePair failed = queuePair();
        failed.modify(new QueuePairAttributes().state(QueuePairState.RESET));
        initialize(failed);
        makeReady(failed);
    }

    /**
     * Restarts after {@link #recover}: drops earlier completions, counts all sends as complete, and posts again the
     * entries that the queue pair had. Engine thread.
     */
    public void restart() {
        CompletionQueue received = receiveCq;
        while (received != null && received.poll(completions, pollBatch) > 0) {
            // Drops the completions, because their entries are posted again.
        }
        sendQueue().restart();
        ring().restart(queuePair());
        receiveFailed = false;
    }

    /**
     * Creates the queue pair with the requested inline capacity. If the setting is automatic and the device has less,
     * requests less until it succeeds. The rxe driver and some NICs reject the request instead of granting less.
     */
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
     * Returns this end's description for peers.
     *
     * @param from the GID that packets to the peer are sent from
     * @return the endpoint, with the secret QKEY
     */
    public UdEndpoint endpoint(GidEntry from) {
        return new UdEndpoint(from.gid(), nic.port().lid(), queuePair().number(), qkey);
    }

    /**
     * Requests an event on the completion channel when the next packet has arrived or was sent. The caller polls once
     * more before it waits for the event.
     *
     * @return 0 or an error number
     */
    public int arm() {
        pollsSinceQueuePoll = POLLS_PER_QUEUE_POLL;
        int errno = arm(receiveCq);
        return errno != 0 ? errno : arm(sendCq);
    }

    private static int arm(@Nullable CompletionQueue cq) {
        return cq == null ? Errno.EINVAL : cq.requestNotification(false);
    }

    /**
     * Receives packets.
     *
     * @param handler receives each packet and owns its ring entry then
     * @return number of packets
     */
    public int poll(PacketHandler handler) {
        IpcDatagrams used = ipc;
        if (used == null || !used.isInUse()) {
            return pollQueue(handler);
        }
        int count = pollShared(used, handler);
        if (++pollsSinceQueuePoll >= POLLS_PER_QUEUE_POLL) {
            count += pollQueue(handler);
        }
        return count;
    }

    /**
     * Returns how many calls of {@link #pollAgain} are worthwhile.
     *
     * @return 0 if no peer of this host sends through shared memory, or if a poll is too long because many do
     */
    public int furtherPolls() {
        return ipc().furtherPolls();
    }

    /**
     * Receives packets that have arrived through shared memory since the last {@link #poll}. Cheaper than a full poll.
     *
     * @param handler receives each packet and owns its ring entry then
     * @return number of packets
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
            // Packets that arrived before a path failed are also delivered, because no other code releases their
            // entries.
            count = deliverAll(from.arrivals(), handler);
        }
        if (found > count) {
            // Some packets used posted receives and are in the queue.
            pollsSinceQueuePoll = POLLS_PER_QUEUE_POLL;
        }
        return count;
    }

    private int deliverAll(ShmArrivals into, PacketHandler handler) {
        int count = into.count();
        if (count == 0) {
            return 0;
        }
        deliversArrivals = true;
        try {
            for (int i = 0; i < count; i++) {
                packetsLeft = count - 1 - i;
                into.deliver(i, handler);
            }
        } finally {
            deliversArrivals = false;
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
        // After a poll that found packets, the queue probably has more.
        pollsSinceQueuePoll = count > 0 ? POLLS_PER_QUEUE_POLL : 0;
        for (int i = 0; i < count; i++) {
            if (completions.status(i) == CompletionStatus.SUCCESS) {
                ring().onReceived((int) completions.wrId(i));
                packetsLeft = count - 1 - i;
                handler.onPacket(
                        (int) completions.wrId(i),
                        completions.byteLength(i) - ReceiveRing.GRH_BYTES,
                        completions.sourceQp(i));
            } else {
                // The queue pair is in the error state. Its entries must not be posted again; the rest of the batch is
                // still valid.
                receiveErrors++;
                receiveFailed = true;
            }
        }
        return Math.max(0, count);
    }

    /**
     * Returns, for a {@link PacketHandler}, the number of packets of this poll that follow the current one.
     *
     * @return 0 for the last packet
     */
    public int packetsLeft() {
        return packetsLeft;
    }

    /**
     * Releases a ring entry. It is posted again by the next {@link #flush} at the latest, unless {@link #wantReceives}
     * has set a lower target.
     *
     * @param entry an entry that a {@link PacketHandler} received
     */
    public void release(int entry) {
        ring().release(queuePair(), entry);
    }

    /**
     * Sets the number of receives that the queue pair should have from now on. The default is as many as it accepts. A
     * small set of entries that is reused stays in the cache, for the CPU and for a NIC that writes to its cache.
     *
     * @param packets maximum number of packets that can arrive between two duty cycles
     */
    public void wantReceives(int packets) {
        ring().setTarget(packets);
    }

    /**
     * Returns how many entries of the ring are neither in the queue pair nor with readers.
     *
     * @return number of entries that are posted when the target rises
     */
    public int reservedReceives() {
        return ring().reserved();
    }

    /**
     * Returns the number of ring entries, including those that are never posted.
     *
     * @return one more than the largest entry
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
     * Returns the offset of an entry's payload.
     *
     * @param entry a ring entry
     * @return byte offset in {@link #ringMemory()}, a multiple of 64
     */
    public long payloadOffset(int entry) {
        return ring().payloadOffset(entry);
    }

    /**
     * Returns whether the packet that a {@link PacketHandler} is handling came from a GID.
     *
     * @param entry the ring entry that holds it
     * @param gidHigh the first 8 bytes of the expected GID, big-endian
     * @param gidLow the last 8 bytes
     * @return true if it came from that GID
     */
    public boolean cameFrom(int entry, long gidHigh, long gidLow) {
        return deliversArrivals ? ipc().arrivals().isFrom(gidHigh, gidLow) : ring().cameFrom(entry, gidHigh, gidLow);
    }

    /**
     * Adds a datagram to the current postlist, or sends it at once through memory that is shared with the peer.
     *
     * @param addressHandle the route to the peer
     * @param peer the peer's endpoint
     * @param address address of the first byte, header included
     * @param length number of bytes, at most the path MTU
     * @param lkey key of that memory, which must not change until {@link #completedSends()} reaches the value that
     *     {@link #lastSend()} has after this call
     * @return false if the send queue is full, which is back-pressure and not an error
     */
    public boolean send(long addressHandle, UdEndpoint peer, long address, int length, int lkey) {
        return ipc().send(addressHandle, peer, address, length, lkey)
                || sendQueue().send(addressHandle, peer.qpn(), peer.qkey(), address, length, lkey);
    }

    /** Posts all pending sends and receives. */
    public void flush() {
        flushSends();
        ring().flush(queuePair());
    }

    /**
     * Posts all pending sends, but the receives only if they are many. For a busy duty cycle, which others follow. The
     * first idle cycle calls {@link #flush}. Meanwhile, a large ring lacks at most a 32nd part of its entries, or a
     * postlist.
     */
    public void flushLazily() {
        flushSends();
        ring().flushMany(queuePair());
    }

    /** Posts the pending sends. */
    public void flushSends() {
        ipc().flush();
        sendQueue().flush();
    }

    /**
     * Processes send completions.
     *
     * @return their number
     */
    public int pollSends() {
        return sendQueue().poll();
    }

    /**
     * Returns whether sends are in progress whose completions cause no event, so that the caller has to use {@link
     * #pollSends}.
     *
     * @return true until those sends have left
     */
    public boolean mustPollSends() {
        return sendQueue().needsPolling();
    }

    /**
     * Returns the number of the last datagram that was added; numbers start at 1.
     *
     * @return the number
     */
    public long lastSend() {
        return sendQueue().lastNumber();
    }

    /**
     * Returns the number up to which datagrams have left. The NIC no longer uses their memory.
     *
     * @return the number
     */
    public long completedSends() {
        return sendQueue().completedNumber();
    }

    /**
     * Returns how many receives the queue pair accepts.
     *
     * @return number of packets that can arrive between two polls
     */
    public int receiveDepth() {
        return config.receiveDepth();
    }

    /**
     * Returns the maximum length of a packet that is sent inline.
     *
     * @return number of bytes, header included
     */
    public int maxInlineBytes() {
        return queuePair().capabilities().maxInlineBytes();
    }

    /**
     * Returns how many sends and receives failed.
     *
     * @return a count; above 0, the queue pair is probably in the error state
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

    /**
     * Defers closing until {@link #release}. A caller uses it if a thread that may still use this object did not stop.
     * Thread-safe.
     */
    public void hold() {
        closing.hold();
    }

    /** Ends a {@link #hold}. Thread-safe. */
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
