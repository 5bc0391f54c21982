package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.DescriptorSocket;
import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.shm.budget.HostLinkCounters;
import io.rdmarpc.verbs.soft.shm.budget.PageBudget;
import io.rdmarpc.verbs.soft.shm.budget.RingBudget;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * Both ends of a ring and of a key table, each with separate mappings as in two processes. Never closed.
 *
 * @param outbound the peer's end of the ring, which has the table
 * @param inbound the owner's end of the ring
 * @param granted the owner's end of the table
 */
record PinnedPair(OutboundRing outbound, InboundRing inbound, GrantedKeys granted) {

    private static final String PEER = "0000000000000001-0000000000000001";
    private static final int PORT = 4791;
    private static final int LOOPBACK = 0x7F00_0001;
    private static final int RING_BYTES = SharedMemoryOptions.SMALLEST_RING_BYTES;

    static PinnedPair open() {
        try (StressDirectory directory = StressDirectory.create()) {
            return open(directory);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static PinnedPair open(StressDirectory directory) throws IOException {
        HostLinkCounters counters = new HostLinkCounters();
        Path toOwner = Files.createDirectory(directory.path().resolve("owner"));
        Path toPeer = Files.createDirectory(directory.path().resolve("table"));
        Path ofPeer = Files.createDirectory(directory.path().resolve("peer"));
        OutboundRing.Sender sender =
                new OutboundRing.Sender(PEER, PORT, List.of(new byte[ShmRingLayout.ADDRESS_BYTES]));
        try (Handover handover = Handover.open(ofPeer, PEER, counters);
                DescriptorSocket owner = DescriptorSocket.bind(toOwner.resolve(Handover.FILE));
                DescriptorSocket peer = DescriptorSocket.bind(toPeer.resolve(Handover.FILE));
                RingSource source = new RingSource(sender, RING_BYTES, handover)) {
            OutboundRing outbound = OutboundRing.create(toOwner, source, LinkAddress.of(LOOPBACK, PORT));
            RingBudget budget = new RingBudget(SharedMemoryOptions.DEFAULT_INBOUND_BYTES, counters);
            Handover.Ring ring = new Handover.Ring(received(owner), PEER, 0, 0);
            InboundRing inbound = Objects.requireNonNull(InboundRing.open(ring, 1, budget));
            GrantedKeys granted = GrantedKeys.create();
            if (!granted.handOver(handover, toPeer)) {
                throw new IOException("the key table was not passed");
            }
            try (MemFd table = received(peer)) {
                if (!outbound.pages()
                        .add(
                                Handover.KEYS,
                                table,
                                Objects.requireNonNull(new PageBudget().take(PEER, table.bytes())))) {
                    throw new IOException("the key table was not mapped");
                }
            }
            return new PinnedPair(outbound, inbound, granted);
        }
    }

    private static MemFd received(DescriptorSocket socket) throws IOException {
        if (!socket.receive()) {
            throw new IOException("no descriptor was passed");
        }
        return MemFd.received(socket.takeDescriptor());
    }
}
