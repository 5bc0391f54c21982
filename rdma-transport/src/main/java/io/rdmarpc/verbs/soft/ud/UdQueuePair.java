package io.rdmarpc.verbs.soft.ud;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairMask;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ffi.NativeWords;
import io.rdmarpc.verbs.ipc.ShmDatagramChannel;
import io.rdmarpc.verbs.soft.domain.AddressHandleTable;
import io.rdmarpc.verbs.soft.domain.SoftAddressHandle;
import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.PacketRoom;
import io.rdmarpc.verbs.soft.link.ShmPathReader;
import io.rdmarpc.verbs.soft.port.LocalGidTable;
import io.rdmarpc.verbs.soft.port.Route;
import io.rdmarpc.verbs.soft.qp.QueuePairParts;
import io.rdmarpc.verbs.soft.qp.ReceiveWqe;
import io.rdmarpc.verbs.soft.qp.RouteHeader;
import io.rdmarpc.verbs.soft.qp.SendWqe;
import io.rdmarpc.verbs.soft.qp.SoftQueuePair;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.soft.rnic.PacketSender;
import io.rdmarpc.verbs.soft.wire.Bth;
import io.rdmarpc.verbs.soft.wire.Deth;
import io.rdmarpc.verbs.soft.wire.Icrc;
import io.rdmarpc.verbs.soft.wire.ImmDt;
import io.rdmarpc.verbs.soft.wire.Opcode;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import io.rdmarpc.verbs.soft.wire.Psn;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Unreliable datagrams (InfiniBand Architecture Specification vol. 1, 9.8.3). A datagram is normally sent before the
 * post returns. It waits in the queue only if the link is full. A datagram that fits no posted receive is dropped and
 * counted, so that no unknown sender can stop the queue pair.
 */
public final class UdQueuePair extends SoftQueuePair {

    static final int HEADER_BYTES = Bth.BYTES + Deth.BYTES;
    private static final int SENDS_PER_RUN = 16;

    /** Minimum bytes of a datagram packet, including the room for the ICRC. */
    public static final int SHORTEST = HEADER_BYTES + Icrc.BYTES;

    private final AddressHandleTable addressHandles;
    private final @Nullable LinkPacketHandler datagramFallback;
    private final PacketSender packetSender = rnic().sender();
    private final LocalGidTable gids = rnic().gids();
    private final RouteHeader routeHeader = new RouteHeader();
    private final ByteBuffer headers = ByteBuffer.allocateDirect(HEADER_BYTES + ImmDt.BYTES);
    private final MemorySegment headerMemory = MemorySegment.ofBuffer(headers);
    /** Written under the lock; the shared-memory channel reads it without. */
    private volatile int qkey;

    private int sendPsn;
    private @Nullable UdShmChannel channel;

    /**
     * Creates a datagram queue pair.
     *
     * @param addressHandles the address handles of all protection domains
     * @param datagramFallback handler of packets that the shared-memory channel cannot accept, or null if there can be
     * no channel
     */
    public UdQueuePair(
            QueuePairParts parts, AddressHandleTable addressHandles, @Nullable LinkPacketHandler datagramFallback) {
        super(parts);
        this.addressHandles = addressHandles;
        this.datagramFallback = datagramFallback;
    }

    @Override
    protected void apply(QueuePairAttributes attributes) {
        if (attributes.has(QueuePairMask.QKEY)) {
            qkey = attributes.qkey();
        }
        if (attributes.has(QueuePairMask.SQ_PSN)) {
            sendPsn = attributes.sendPsn();
        }
    }

    /**
     * {@inheritDoc} A message longer than the path MTU fails at once with EMSGSIZE; hardware may complete it with
     * LOC_LEN_ERR.
     */
    @Override
    protected int postSend(SendRequests requests, int index, SendWqe into) {
        if (into.opcode != SendOpcode.SEND && into.opcode != SendOpcode.SEND_WITH_IMM) {
            return Errno.EOPNOTSUPP;
        }
        SoftAddressHandle handle = addressHandles.find(requests.addressHandle(index));
        if (handle == null || handle.domain() != domain()) {
            return Errno.EINVAL;
        }
        if (into.length > handle.route().source().mtu().bytes()) {
            return Errno.EMSGSIZE;
        }
        into.setAddressHandle(handle);
        into.remoteQpn = requests.remoteQpn(index);
        into.remoteQkey = requests.remoteQkey(index);
        boolean overtakesNone = overtakesNone();
        sendQueue().push();
        if (!overtakesNone) {
            schedule();
        } else if (!sendFirst()) {
            waitForRoom(requests, index, into);
        }
        return 0;
    }

    /** {@inheritDoc} A datagram is complete once it is sent. */
    @Override
    public boolean reportsSendProgress() {
        return true;
    }

    /**
     * {@inheritDoc} This applies to a datagram to a peer on this host with one scatter/gather entry, in memory that
     * cannot be freed before its region. It is copied once, from the memory of the work request into the peer's ring.
     */
    @Override
    protected boolean sendsAtOnce(SendRequests requests, int index, boolean signaled) {
        if (!NativeWords.isGranted() || !sendQueue().isEmpty()) {
            return false;
        }
        long address = requests.sgeAddress(index, 0);
        int length = requests.sgeLength(index, 0);
        SoftAddressHandle handle = addressHandles.find(requests.addressHandle(index));
        SoftMemoryRegion region = domain().local(requests.sgeLkey(index, 0), address, length, 0);
        if (handle == null
                || handle.domain() != domain()
                || length <= 0
                || length > handle.mtuBytes()
                || (requests.isInline(index) && length > capabilities().maxInlineBytes())
                || region == null
                || !region.lasts()) {
            return false;
        }
        PacketRoom room = packetSender.room(handle.route(), HEADER_BYTES + length);
        if (room == null) {
            return false;
        }
        long to = room.memory().address() + room.at();
        writeHeaders(to, requests.remoteQpn(index), requests.remoteQkey(index), length, sendPsn);
        NativeWords.copy(region.nativeAddress(address), to + HEADER_BYTES, length);
        packetSender.send(room);
        sendPsn = Psn.plus(sendPsn, 1);
        if (signaled) {
            completeSend(requests.wrId(index), CompletionStatus.SUCCESS, CompletionOpcode.SEND, 0, length);
        }
        return true;
    }

    /** Writes the headers of a plain datagram to an address. */
    void writeHeaders(long to, int remoteQpn, int remoteQkey, int length, int psn) {
        int key = keyFor(remoteQkey);
        long first = Bth.firstWord(Opcode.UD_SEND_ONLY, Bth.padCountFor(length), remoteQpn);
        NativeWords.setLong(to, Long.reverseBytes(first));
        NativeWords.setLong(
                to + Long.BYTES, Long.reverseBytes((long) psn << Integer.SIZE | Integer.toUnsignedLong(key)));
        NativeWords.setInt(to + Deth.SOURCE_QP, Integer.reverseBytes(number()));
    }

    /** Returns the Q_Key to send: the queue pair's own if the top bit of the requested one is set (10.2.4). */
    int keyFor(int remoteQkey) {
        return remoteQkey < 0 ? qkey : remoteQkey;
    }

    private boolean overtakesNone() {
        return mayBegin() && sendQueue().isEmpty();
    }

    /** {@inheritDoc} Unregistered memory has to be copied as inline data. */
    @Override
    protected boolean sendsInPost(SendWqe wqe) {
        return overtakesNone() && wqe.isRegistered(domain());
    }

    private void waitForRoom(SendRequests requests, int index, SendWqe wqe) {
        if (wqe.isInlined()) {
            // The memory was readable before. If it no longer is, the send completes with an error.
            int _ = wqe.keep(domain(), requests, index);
        }
        schedule();
    }

    @Override
    protected boolean sendSome() {
        for (int i = 0; i < SENDS_PER_RUN && canSend(); i++) {
            if (!sendFirst()) {
                return true;
            }
        }
        return canSend();
    }

    private boolean canSend() {
        return mayBegin() && !sendQueue().isEmpty();
    }

    /** {@inheritDoc} A datagram is one packet, so it is never partly sent. */
    @Override
    protected boolean isDrained() {
        return true;
    }

    /** Sends the oldest datagram in the queue; false if the link is full. */
    private boolean sendFirst() {
        SendWqe wqe = sendQueue().first();
        Route route = Objects.requireNonNull(wqe.addressHandle).route();
        int header = HEADER_BYTES + (wqe.hasImmediate() ? ImmDt.BYTES : 0);
        PacketRoom room = packetSender.room(route, header + wqe.length);
        if (room != null) {
            return sendThere(wqe, room, header);
        }
        PacketBuffer packet = packetSender.start();
        writeHeaders(packet.bytes(), wqe);
        if (!wqe.gather(domain(), 0, wqe.length, packet, header)) {
            return fail(wqe);
        }
        if (!packetSender.send(route, header + wqe.length)) {
            return false;
        }
        return sent(wqe);
    }

    /** Sends to a peer on this host; the payload is copied once, into the peer's ring. */
    private boolean sendThere(SendWqe wqe, PacketRoom room, int header) {
        writeHeaders(headers, wqe);
        if (!wqe.gather(domain(), 0, wqe.length, room.memory(), room.at() + header)) {
            return fail(wqe);
        }
        MemorySegment.copy(headerMemory, 0, room.memory(), room.at(), header);
        packetSender.send(room);
        return sent(wqe);
    }

    private boolean fail(SendWqe wqe) {
        sendQueue().pop();
        completeSend(wqe.wrId, CompletionStatus.LOC_PROT_ERR, CompletionOpcode.SEND, 0, 0);
        enterSendError();
        return true;
    }

    private boolean sent(SendWqe wqe) {
        sendPsn = Psn.plus(sendPsn, 1);
        sendQueue().pop();
        if (wqe.signaled) {
            completeSend(wqe.wrId, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 0, wqe.length);
        }
        return true;
    }

    private void writeHeaders(ByteBuffer bytes, SendWqe wqe) {
        int opcode = wqe.hasImmediate() ? Opcode.UD_SEND_ONLY_IMMEDIATE : Opcode.UD_SEND_ONLY;
        int key = keyFor(wqe.remoteQkey);
        Bth.write(bytes, opcode, Bth.padCountFor(wqe.length), wqe.remoteQpn, sendPsn, false);
        if (wqe.solicited) {
            Bth.markSolicited(bytes);
        }
        Deth.write(bytes, key, number());
        if (wqe.hasImmediate()) {
            ImmDt.write(bytes, HEADER_BYTES, wqe.immediate);
        }
    }

    @Override
    public void onPacket(int localIndex, long sourceHigh, long sourceLow, PacketBuffer packet) {
        int opcode = Bth.opcode(packet.bytes());
        int header = HEADER_BYTES + (opcode == Opcode.UD_SEND_ONLY_IMMEDIATE ? ImmDt.BYTES : 0);
        int payload = packet.length() - header - Icrc.BYTES - Bth.padCount(packet.bytes());
        if (opcode != Opcode.UD_SEND_ONLY && opcode != Opcode.UD_SEND_ONLY_IMMEDIATE) {
            drop(DropReason.WRONG_OPCODE);
        } else if (payload < 0) {
            drop(DropReason.MALFORMED);
        } else if (!isReceiving()) {
            drop(DropReason.WRONG_STATE);
        } else if (Deth.qkey(packet.bytes()) != qkey) {
            drop(DropReason.WRONG_QKEY);
        } else if (!hasNextReceive()) {
            drop(DropReason.NO_RECEIVE);
        } else if (RouteHeader.BYTES + payload > nextReceiveLength()) {
            drop(DropReason.RECEIVE_TOO_SHORT);
        } else {
            Gid own = gids.get(localIndex).gid();
            routeHeader.write(packet.trafficClass(), packet.length(), sourceHigh, sourceLow, own);
            receive(packet, header, payload);
        }
    }

    /**
     * Receives a datagram in place; otherwise returns false. The oldest receive must have one scatter/gather entry, in
     * memory that cannot be freed before its region.
     */
    public boolean receivesInPlace(
            int localIndex, long sourceHigh, long sourceLow, long first, long address, int length) {
        int payload = length - SHORTEST - Bth.padCount(first);
        if (length % 4 != 0
                || payload < 0
                || !isFor(first, Integer.reverseBytes(NativeWords.getInt(address + Deth.QKEY)))) {
            return false;
        }
        ReceiveWqe receive = nextOwnReceive();
        if (receive == null || receive.sgeCount() != 1 || RouteHeader.BYTES + payload > receive.length()) {
            return false;
        }
        long to = receive.address();
        SoftMemoryRegion region =
                domain().local(receive.lkey(), to, RouteHeader.BYTES + payload, AccessFlag.LOCAL_WRITE.bit());
        if (region == null || !region.lasts()) {
            return false;
        }
        routeHeader.write(0, length, sourceHigh, sourceLow, gids.get(localIndex).gid());
        long at = region.nativeAddress(to);
        NativeWords.copy(routeHeader.memory().address(), at, RouteHeader.BYTES);
        NativeWords.copy(address + HEADER_BYTES, at + RouteHeader.BYTES, payload);
        completeInPlace(
                receive,
                RouteHeader.BYTES + payload,
                Integer.reverseBytes(NativeWords.getInt(address + Deth.SOURCE_QP)) & 0xFF_FFFF,
                Bth.isSolicited(first));
        return true;
    }

    /** Fills the oldest receive with 40 bytes of route header and then the payload (11.4.1.2). */
    private void receive(PacketBuffer packet, int header, int payload) {
        takeReceive();
        if (!receive()
                .scatterDatagram(domain(), routeHeader.memory(), payload, packet.payload(), packet.payloadAt(header))) {
            failReceive(CompletionStatus.LOC_PROT_ERR);
            enterError();
            return;
        }
        boolean immediate = header > HEADER_BYTES;
        completeReceive(
                CompletionOpcode.RECV,
                RouteHeader.BYTES + payload,
                immediate ? ImmDt.value(packet.bytes(), HEADER_BYTES) : 0,
                WorkCompletions.FLAG_GRH | (immediate ? WorkCompletions.FLAG_WITH_IMM : 0),
                Deth.sourceQp(packet.bytes()),
                Bth.isSolicited(packet.bytes()));
    }

    // ---- shared-memory channel ----

    @Override
    public @Nullable ShmDatagramChannel datagramChannel() {
        rnic().lock();
        try {
            if (channel == null && datagramFallback != null) {
                channel = new UdShmChannel(this, addressHandles, datagramFallback);
            }
            return channel;
        } finally {
            rnic().unlock();
        }
    }

    /**
     * Returns whether a packet is a plain datagram for this queue pair, given the first eight bytes of its header and
     * its Q_Key.
     */
    boolean isFor(long first, int key) {
        return Bth.isPlain(first, Opcode.UD_SEND_ONLY)
                && Bth.destinationQp(first) == number()
                && key == qkey
                && isReceiving();
    }

    boolean addPath(ShmPathReader path) {
        if (channel == null) {
            return false;
        }
        channel.add(path);
        return true;
    }

    void losePath(ShmPathReader path) {
        if (channel != null) {
            channel.lose(path);
        }
    }

    /** Returns whether a path has a packet and the completion queue is armed. */
    boolean awaitsShmDatagram() {
        return receiveCq().isArmed() && channel != null && channel.hasNext();
    }

    void notifyOfShmDatagram() {
        receiveCq().addOtherEvent();
    }

    @Override
    protected void releaseResources() {
        if (channel != null) {
            channel.close();
        }
    }

    private void drop(DropReason reason) {
        rnic().counters().countDrop(reason);
    }

    @Override
    protected void forget() {
        // A datagram is one packet, so no message is in progress.
    }
}
