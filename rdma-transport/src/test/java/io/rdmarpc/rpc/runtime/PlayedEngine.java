package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.engine.Packet;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcConnection;
import io.rdmarpc.transport.RcEndpoint;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.transport.UdTransport;
import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The data path of a peer that a test controls: datagrams and memory on its own software RNIC, valid or invalid. A
 * thread of its own drives the RNIC, so that it responds to READs; everything else runs on the test's thread.
 */
final class PlayedEngine implements AutoCloseable {

    private static final int LARGEST_DATAGRAM = 4096;

    private final Arena arena = Arena.ofShared();
    private final NicContext nic;
    private final UdTransport ud;
    private final RcTransport rc;
    private final MemorySegment outgoing = arena.allocate(LARGEST_DATAGRAM, 64);
    private final MemoryRegion outgoingRegion;
    private final ProtectionDomain lendingDomain;
    private final Map<UdEndpoint, AddressHandle> ways = new HashMap<>();
    private final Deque<Packet> arrived = new ArrayDeque<>();
    private final List<Runnable> closings = new ArrayList<>();

    PlayedEngine(SoftLink link) {
        nic = NicContext.open(Runtimes.nic(link.options("soft.progress=thread")));
        ud = UdTransport.open(nic, UdConfig.DEFAULTS);
        rc = RcTransport.open(nic, RcConfig.DEFAULTS);
        lendingDomain = nic.allocateProtectionDomain();
        outgoingRegion = nic.protectionDomain().registerMemory(outgoing);
    }

    UdEndpoint endpoint() {
        return ud.endpoint(nic.gid());
    }

    /** Allocates memory that a peer may READ, filled with bytes. */
    MemoryRegion lend(byte[] bytes) {
        MemorySegment memory = arena.allocate(bytes.length, 64);
        MemorySegment.copy(bytes, 0, memory, ValueLayout.JAVA_BYTE, 0, bytes.length);
        MemoryRegion region = lendingDomain.registerMemory(memory, Set.of(AccessFlag.REMOTE_READ));
        closings.add(region::close);
        return region;
    }

    /** Prepares the first half of a reliable connection. */
    RcConnection prepare() {
        RcConnection connection = rc.prepare(nic.gid(), lendingDomain);
        closings.add(connection::close);
        return connection;
    }

    /** The result of an RDMA READ: the bytes, or null with the status of the failure. */
    @SuppressWarnings("ArrayRecordComponent") // only compared without bytes
    record Fetched(int status, byte @Nullable [] bytes) {}

    /** READs memory of the peer. */
    Fetched read(RcConnection connection, long address, int rkey, int length) {
        MemorySegment into = arena.allocate(length, 64);
        MemoryRegion region = nic.protectionDomain().registerMemory(into, Set.of(AccessFlag.LOCAL_WRITE));
        closings.add(region::close);
        int[] status = {-1};
        rc.read(connection, region.address(), region.lkey(), address, rkey, length, end -> status[0] = end);
        Runtimes.await("the READ to end", () -> {
            rc.postReads();
            rc.poll();
            return status[0] >= 0;
        });
        boolean done = status[0] == CompletionStatus.SUCCESS;
        return new Fetched(status[0], done ? into.toArray(ValueLayout.JAVA_BYTE) : null);
    }

    static void complete(RcConnection connection, RcEndpoint peer) {
        connection.complete(peer, PathMtu.MTU_1024);
    }

    void send(UdEndpoint to, Packet packet) {
        send(to, packet.bytes(), 1);
    }

    /** Sends the same datagram a number of times and waits until all are sent. */
    void send(UdEndpoint to, byte[] datagram, int times) {
        MemorySegment.copy(datagram, 0, outgoing, ValueLayout.JAVA_BYTE, 0, datagram.length);
        long way = ways.computeIfAbsent(to, target -> nic.createAddressHandle(nic.gid(), target.gid(), target.lid()))
                .handle();
        for (int i = 0; i < times; i++) {
            if (!ud.send(way, to, outgoing.address(), datagram.length, outgoingRegion.lkey())) {
                awaitSends();
                assertThat(ud.send(way, to, outgoing.address(), datagram.length, outgoingRegion.lkey()))
                        .as("a free entry in an empty send queue")
                        .isTrue();
            }
        }
        awaitSends();
    }

    private void awaitSends() {
        ud.flush();
        Runtimes.await("datagrams to be sent", () -> {
            ud.pollSends();
            return ud.completedSends() == ud.lastSend();
        });
    }

    /** Returns the next datagram that arrives. */
    Packet receive() {
        Runtimes.await("a datagram", () -> {
            ud.poll(this::take);
            ud.flush();
            return !arrived.isEmpty();
        });
        return arrived.removeFirst();
    }

    /** Returns the next datagram of a type; others are dropped. */
    Packet receive(int type) {
        Packet packet = receive();
        while (packet.type() != type) {
            packet = receive();
        }
        return packet;
    }

    private void take(int entry, int length, int sourceQpn) {
        byte[] datagram =
                ud.ringMemory().asSlice(ud.payloadOffset(entry), length).toArray(ValueLayout.JAVA_BYTE);
        ud.release(entry);
        arrived.add(Packet.of(datagram));
    }

    @Override
    public void close() {
        closings.reversed().forEach(Runnable::run);
        ways.values().forEach(AddressHandle::close);
        outgoingRegion.close();
        lendingDomain.close();
        rc.close();
        ud.close();
        nic.close();
        arena.close();
    }
}
