package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.util.List;
import java.util.Objects;

/**
 * Two connected links, as of two processes on one host. Never closed.
 *
 * @param ownerLink the link that owns memory and receives packets
 * @param peerLink the link that sends packets
 * @param toOwner the address of the owner
 * @param packet the packet that the peer sends
 */
record LinkPair(HostLink ownerLink, HostLink peerLink, LinkAddress toOwner, PacketBuffer packet) {

    private static final Inet4Address LOOPBACK = Inet4Address.ofLiteral("127.0.0.1");
    private static final int LOOPBACK_IP = 0x7F00_0001;
    private static final int PACKET_BYTES = 100;
    private static final SharedMemoryOptions OPTIONS =
            new SharedMemoryOptions(true, SharedMemoryOptions.SMALLEST_RING_BYTES);

    static LinkPair open() {
        try {
            StressDirectory directory = StressDirectory.create();
            HostLink owner = link(directory);
            HostLink peer = link(directory);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(owner, peer, directory)));
            PacketBuffer packet = new PacketBuffer();
            packet.length(PACKET_BYTES);
            LinkPair made = new LinkPair(owner, peer, LinkAddress.of(LOOPBACK_IP, owner.port()), packet);
            while (!peer.hasPassedState(made.toOwner)) {
                made.send();
                made.receiveAll();
            }
            return made;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static HostLink link(StressDirectory directory) throws IOException {
        UdpLink udp = UdpLink.open(List.of(LOOPBACK), 0);
        return HostLink.open(udp, List.of(LOOPBACK), OPTIONS, directory.path());
    }

    private static void close(HostLink owner, HostLink peer, StressDirectory directory) {
        peer.close();
        owner.close();
        try {
            directory.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    PeerMemory owner() {
        return Objects.requireNonNull(ownerLink.peerMemory());
    }

    PeerMemory peer() {
        return Objects.requireNonNull(peerLink.peerMemory());
    }

    /** Allocates memory of the owner that the peer can map. */
    MemorySegment allocateShared(long bytes) {
        try {
            return owner().allocate(Arena.global(), bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Grants the peer a key of memory from {@link #allocateShared}. */
    long grant(MemorySegment lent, int key) {
        LinkAddress toPeer = LinkAddress.of(LOOPBACK_IP, peerLink.port());
        return owner().grant(toPeer, Objects.requireNonNull(owner().place(lent)).pages(), key);
    }

    /** Returns memory from {@link #allocateShared} as the peer has mapped it. */
    MemorySegment mapped(MemorySegment lent) {
        int pages = Objects.requireNonNull(owner().place(lent)).pages();
        return Objects.requireNonNull(peer().pages(toOwner, pages));
    }

    /** Sends a packet from the peer, which wakes the owner if necessary. */
    void send() {
        boolean _ = peerLink.send(0, toOwner, packet);
        peerLink.flush();
    }

    /** Receives all packets at the owner. */
    void receiveAll() {
        while (ownerLink.poll(Integer.MAX_VALUE, (_, _, _, _, _) -> {}) > 0) {
            Thread.onSpinWait();
        }
    }
}
