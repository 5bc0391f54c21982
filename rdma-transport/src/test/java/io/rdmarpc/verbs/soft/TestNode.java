package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.link.fault.FaultyLink;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.port.LocalGidTable;
import io.rdmarpc.verbs.soft.rnic.SoftRnicCounters;
import io.rdmarpc.verbs.soft.shm.HostLink;
import io.rdmarpc.verbs.soft.shm.SharedDirectory;
import io.rdmarpc.verbs.soft.shm.budget.HostLinkCounters;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.ArrayDeque;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/** One end of a test: an open RNIC at 127.0.0.1 with a protection domain and a completion queue. */
final class TestNode implements AutoCloseable {

    static final Inet4Address LOOPBACK = Inet4Address.ofLiteral("127.0.0.1");
    static final int LOOPBACK_IP = 0x7F00_0001;
    static final int QKEY = 0x1234_5678;

    private static UnaryOperator<PacketLink> wrapper = UnaryOperator.identity();
    private static boolean sharesAll;

    final SoftContext context;
    final ProtectionDomain domain;
    final CompletionQueue cq;
    final Arena arena = Arena.ofShared();
    final SendRequests sends = SendRequests.allocate(arena, 64, 4);
    final ReceiveRequests receives = ReceiveRequests.allocate(arena, 64);
    private final WorkCompletions completions = WorkCompletions.allocate(arena, 16);
    private final Queue<Completion> taken = new ArrayDeque<>();
    private HostLinkCounters shared;
    int timeoutExponent = 14;
    int retryCount = 7;
    int maxReads = 16;
    int rnrTimer = 12;
    int rnrRetry = 7;
    int remoteAccess = AccessFlag.REMOTE_READ.bit() | AccessFlag.REMOTE_WRITE.bit() | AccessFlag.REMOTE_ATOMIC.bit();
    PathMtu mtu = PathMtu.MTU_4096;
    int trafficClass;
    private final InetAddress address;

    /** A completion that stays valid after the next poll. */
    record Completion(
            long wrId,
            int status,
            int opcode,
            int vendorError,
            int byteLength,
            int qpn,
            int sourceQp,
            int flags,
            int immediate) {}

    TestNode(PacketLink link, LongSupplier clock) {
        this(LOOPBACK, link, clock);
    }

    private TestNode(InetAddress address, PacketLink link, LongSupplier clock) {
        this.address = address;
        context = new SoftContext(new SoftRnic(LocalGidTable.of(List.of(address)), link, clock));
        domain = context.allocateProtectionDomain();
        cq = context.createCompletionQueue(4096);
    }

    static TestNode inMemory(MemoryNetwork network, int port, LinkFaults faults, FakeClock clock) {
        PacketLink link = wrapper.apply(network.link(LOOPBACK_IP, port));
        // Packets in shared memory have no ICRC and are never corrupted.
        LinkFaults possible = link instanceof HostLink ? faults.withoutCorruption() : faults;
        return new TestNode(new FaultyLink(link, possible, clock), clock);
    }

    /** Wraps the links of all in-memory nodes that are created later. */
    static void wrapLinks(UnaryOperator<PacketLink> by) {
        wrapper = by;
    }

    /** Makes all memory of all nodes mappable by peers. */
    static void shareAll(boolean lend) {
        sharesAll = lend;
    }

    static TestNode overUdp(LinkFaults faults) throws IOException {
        PacketLink link = UdpLink.open(List.of(LOOPBACK), 0);
        return new TestNode(new FaultyLink(link, faults, System::nanoTime), System::nanoTime);
    }

    static TestNode overUdp(InetAddress address) throws IOException {
        return new TestNode(address, UdpLink.open(List.of(address), 0), System::nanoTime);
    }

    static TestNode overSharedMemory(SharedDirectory directory, int port) throws IOException {
        return overSharedMemory(directory, port, LinkFaults.NONE);
    }

    static TestNode overSharedMemory(SharedDirectory directory, int port, LinkFaults faults) throws IOException {
        HostLink link = directory.around(UdpLink.open(List.of(LOOPBACK), port), LOOPBACK);
        TestNode node = new TestNode(new FaultyLink(link, faults, System::nanoTime), System::nanoTime);
        node.shared = link.counters();
        return node;
    }

    /** Opens a node over shared memory without a wrapper around the link, so that it has paths. */
    static TestNode withShmChannel(SharedDirectory directory) throws IOException {
        HostLink link = directory.around(UdpLink.open(List.of(LOOPBACK), 0), LOOPBACK);
        TestNode node = new TestNode(link, System::nanoTime);
        node.shared = link.counters();
        return node;
    }

    /** Returns the counters of the shared-memory link. */
    HostLinkCounters shared() {
        return Objects.requireNonNull(shared);
    }

    SoftRnicCounters counters() {
        return context.rnic().counters();
    }

    int port() {
        return context.rnic().port();
    }

    MemoryRegion register(long bytes, AccessFlag... access) {
        EnumSet<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        flags.addAll(List.of(access));
        MemorySegment memory = sharesAll
                ? context.allocateLendable(arena, Math.max(1, bytes))
                : arena.allocate(Math.max(1, bytes), 64);
        return domain.registerMemory(memory, flags);
    }

    QueuePair create(QueuePairType type) {
        return create(type, 32);
    }

    QueuePair create(QueuePairType type, int depth) {
        QueuePairCapabilities capabilities = new QueuePairCapabilities(depth, depth, 4, 1, 0);
        // Without checks, to test the RNIC itself.
        return domain.createQueuePair(new QueuePairConfig(type, cq, cq, capabilities, false).unchecked());
    }

    QueuePair createSharing(QueuePairType type, SharedReceiveQueue queue) {
        QueuePairCapabilities capabilities = new QueuePairCapabilities(32, 0, 4, 0, 0);
        return domain.createQueuePair(
                new QueuePairConfig(type, cq, cq, capabilities, false).withSharedReceiveQueue(queue));
    }

    AddressHandleAttributes routeTo(TestNode peer) {
        return new AddressHandleAttributes(
                Gid.of(peer.address), peer.port(), 0, AddressHandleAttributes.DEFAULT_HOP_LIMIT, trafficClass, 0, 1);
    }

    AddressHandle handleTo(TestNode peer) {
        return domain.createAddressHandle(routeTo(peer));
    }

    QueuePair datagrams() {
        QueuePair qp = create(QueuePairType.UD);
        toSend(qp);
        return qp;
    }

    void toSend(QueuePair qp) {
        qp.modify(new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .pkeyIndex(0)
                .portNumber(1)
                .qkey(QKEY));
        qp.modify(new QueuePairAttributes().state(QueuePairState.RTR));
        qp.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(0));
    }

    /** Connects two queue pairs; first PSNs are just below the wrap. */
    static void connect(TestNode a, QueuePair qpOfA, TestNode b, QueuePair qpOfB) {
        int psnOfA = 0xFF_FFF0;
        int psnOfB = 0xFF_FF80;
        a.connect(qpOfA, b, qpOfB.number(), psnOfA, psnOfB);
        b.connect(qpOfB, a, qpOfA.number(), psnOfB, psnOfA);
    }

    void connect(QueuePair qp, TestNode peer, int peerQpn, int sendPsn, int receivePsn) {
        qp.modify(toInit(remoteAccess));
        if (qp.type() == QueuePairType.UC) {
            qp.modify(new QueuePairAttributes()
                    .state(QueuePairState.RTR)
                    .addressVector(routeTo(peer))
                    .pathMtu(mtu)
                    .destinationQpn(peerQpn)
                    .receivePsn(receivePsn));
            qp.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(sendPsn));
        } else {
            qp.modify(toRtr(peer, peerQpn, receivePsn));
            qp.modify(toRts(sendPsn));
        }
    }

    QueuePairAttributes toInit(int access) {
        return new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .pkeyIndex(0)
                .portNumber(1)
                .accessFlags(access);
    }

    QueuePairAttributes toRtr(TestNode peer, int peerQpn, int receivePsn) {
        return new QueuePairAttributes()
                .state(QueuePairState.RTR)
                .addressVector(routeTo(peer))
                .pathMtu(mtu)
                .destinationQpn(peerQpn)
                .receivePsn(receivePsn)
                .maxDestReadAtomic(16)
                .minRnrTimer(rnrTimer);
    }

    QueuePairAttributes toRts(int sendPsn) {
        return new QueuePairAttributes()
                .state(QueuePairState.RTS)
                .timeout(timeoutExponent)
                .retryCount(retryCount)
                .rnrRetry(rnrRetry)
                .sendPsn(sendPsn)
                .maxReadAtomic(maxReads);
    }

    int read(QueuePair qp, long wrId, MemoryRegion into, long offset, int length, long remoteAddress, int rkey) {
        sends.set(0, wrId, SendOpcode.RDMA_READ, SendFlags.SIGNALED, 1);
        sends.setSge(0, 0, into.address() + offset, length, into.lkey());
        sends.setRemote(0, remoteAddress, rkey);
        sends.chain(0, 1);
        return qp.postSend(sends, 0);
    }

    /** Posts a SEND or WRITE, with immediate data if the opcode has any. */
    int message(QueuePair qp, long wrId, int opcode, MemoryRegion from, long offset, int length, Remote to) {
        sends.set(0, wrId, opcode, SendFlags.SIGNALED, 1);
        sends.setSge(0, 0, from.address() + offset, length, from.lkey());
        sends.setRemote(0, to.address(), to.rkey());
        sends.setImmediate(0, immediateOf(wrId));
        sends.chain(0, 1);
        return qp.postSend(sends, 0);
    }

    /** The target of a WRITE. */
    record Remote(long address, int rkey) {
        static final Remote NONE = new Remote(0, 0);

        static Remote of(MemoryRegion region, long offset) {
            return new Remote(region.address() + offset, region.rkey());
        }
    }

    static int immediateOf(long wrId) {
        return (int) (wrId * 0x9E37_79B1) ^ 0x8000_0001;
    }

    int fetchAndAdd(QueuePair qp, long wrId, MemoryRegion into, long offset, Remote at, long add) {
        sends.set(0, wrId, SendOpcode.ATOMIC_FETCH_AND_ADD, SendFlags.SIGNALED, 1);
        sends.setSge(0, 0, into.address() + offset, 8, into.lkey());
        sends.setFetchAndAdd(0, at.address(), at.rkey(), add);
        sends.chain(0, 1);
        return qp.postSend(sends, 0);
    }

    int compareAndSwap(QueuePair qp, long wrId, MemoryRegion into, long offset, Remote at, long compare, long swap) {
        sends.set(0, wrId, SendOpcode.ATOMIC_CMP_AND_SWP, SendFlags.SIGNALED, 1);
        sends.setSge(0, 0, into.address() + offset, 8, into.lkey());
        sends.setCompareAndSwap(0, at.address(), at.rkey(), compare, swap);
        sends.chain(0, 1);
        return qp.postSend(sends, 0);
    }

    int send(QueuePair qp, long wrId, MemoryRegion from, int length, AddressHandle to, int qpn, int qkey) {
        sends.set(0, wrId, SendOpcode.SEND, SendFlags.SIGNALED, 1);
        sends.setSge(0, 0, from.address(), length, from.lkey());
        sends.setDatagram(0, to.handle(), qpn, qkey);
        sends.chain(0, 1);
        return qp.postSend(sends, 0);
    }

    int receive(QueuePair qp, long wrId, MemoryRegion into, long offset, int length) {
        receives.set(0, wrId, into.address() + offset, length, into.lkey());
        receives.chain(0, 1);
        return qp.postReceive(receives, 0);
    }

    /** Polls this end once and keeps the completions. */
    void progress() {
        int count = cq.poll(completions, completions.capacity());
        for (int i = 0; i < count; i++) {
            taken.add(new Completion(
                    completions.wrId(i),
                    completions.status(i),
                    completions.opcode(i),
                    completions.vendorError(i),
                    completions.byteLength(i),
                    completions.qpNumber(i),
                    completions.sourceQp(i),
                    completions.flags(i),
                    completions.immediate(i)));
        }
    }

    /** Returns the next completion, or null if there is none yet. */
    Completion next() {
        progress();
        return taken.poll();
    }

    @Override
    public void close() {
        context.close();
        arena.close();
    }
}
