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
 * Two links that know each other, as of two processes of one host. They stay until the JVM ends.
 *
 * @param ownerLink the link that owns memory, and receives
 * @param peerLink the link that sends
 * @param toOwner where the owner is for the peer
 * @param packet what the peer sends
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
            while (!peer.isAnsweredBy(made.toOwner)) {
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

    /** Allocates memory of the owner's that the peer can map. */
    MemorySegment lend(long bytes) {
        try {
            return owner().allocate(Arena.global(), bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Grants the peer a key of such memory. */
    long grant(MemorySegment lent, int key) {
        LinkAddress toPeer = LinkAddress.of(LOOPBACK_IP, peerLink.port());
        return owner().grant(toPeer, Objects.requireNonNull(owner().place(lent)).pages(), key);
    }

    /** Returns such memory as the peer has mapped it. */
    MemorySegment mapped(MemorySegment lent) {
        int pages = Objects.requireNonNull(owner().place(lent)).pages();
        return Objects.requireNonNull(peer().pages(toOwner, pages));
    }

    /** Has the peer send a packet, and wake the owner if it must. */
    void send() {
        boolean _ = peerLink.send(0, toOwner, packet);
        peerLink.flush();
    }

    /** Has the owner take all packets. */
    void receiveAll() {
        while (ownerLink.poll(Integer.MAX_VALUE, (_, _, _, _, _) -> {}) > 0) {
            Thread.onSpinWait();
        }
    }
}
