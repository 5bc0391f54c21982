package io.rdmarpc.verbs.soft.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.concurrent.AdvancedClock;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.soft.ffi.DescriptorSocket;
import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.shm.layout.InboxState;
import io.rdmarpc.verbs.soft.shm.layout.SharedFile;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Rings of a peer that changes passed memory, passes too much of it, or passes memory that it can shorten. */
@Timeout(60)
class HostileRingTest {

    private static final Inet4Address ADDRESS = Inet4Address.ofLiteral("127.0.0.1");
    private static final int IP = 0x7F00_0001;
    private static final int RING = SharedMemoryOptions.SMALLEST_RING_BYTES;
    private static final long INBOUND = 8L * RING;
    private static final String HOSTILE = "00000000000000aa-00000000000000bb";
    private static final int CHANGES = 200_000;
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final AdvancedClock clock = new AdvancedClock();
    private final List<MemFd> made = new ArrayList<>();
    private final PacketBuffer packet = new PacketBuffer();
    private SharedDirectory directory;
    private HostLink reader;
    private DescriptorSocket socket;
    private Path inbox;
    private int received;

    @BeforeEach
    void open() throws IOException {
        assumeTrue(NativeAccess.isGranted(), "memory is passed with native access");
        directory = SharedDirectory.create();
        reader = directory.around(
                UdpLink.open(List.of(ADDRESS), 0),
                new SharedMemoryOptions(true, RING, INBOUND),
                clock::nanoTime,
                ADDRESS);
        inbox = findInbox();
        socket = DescriptorSocket.bind(directory.path().resolve("hostile"));
        packet.length(100);
    }

    @AfterEach
    void close() throws IOException {
        if (directory != null) {
            made.forEach(MemFd::close);
            socket.close();
            reader.close();
            directory.close();
        }
    }

    /** Makes the reader check its inbox, which it does once a second. */
    private void look() {
        clock.advance(LOOK);
        for (int i = 0; i < 64; i++) {
            received += reader.poll(64, (_, _, _, _, _) -> {});
        }
    }

    private void handOver(int descriptor) throws IOException {
        MemorySegment message = socket.message();
        message.fill((byte) 0);
        message.set(ValueLayout.JAVA_INT, 0, Handover.MAGIC);
        message.set(ValueLayout.JAVA_INT, 4, Handover.RING);
        message.set(ValueLayout.JAVA_LONG, 16, 0xaa);
        message.set(ValueLayout.JAVA_LONG, 24, 0xbb);
        assertThat(socket.send(inbox.resolve(Handover.FILE), descriptor)).isTrue();
    }

    private Path findInbox() throws IOException {
        return directory.files().stream()
                .filter(file -> file.endsWith(Handover.FILE))
                .findFirst()
                .orElseThrow()
                .getParent();
    }

    private MemorySegment handOverRing(int capacity, Arena arena) throws IOException {
        MemFd memory = MemFd.create("hostile", ShmRingLayout.HEADER_BYTES + (long) capacity);
        made.add(memory);
        MemorySegment ring = memory.map(arena, () -> {});
        OutboundRing.writeHeader(ring, new OutboundRing.Sender(HOSTILE, 4791, List.of(new byte[16])), capacity, 0);
        handOver(memory.descriptor());
        return ring;
    }

    private static int rejection(MemorySegment ring) {
        return ring.get(ValueLayout.JAVA_INT, ShmRingLayout.ABANDONED);
    }

    private void assertReceivesFromARegularPeer() throws IOException {
        int before = received;
        try (HostLink regular = directory.around(UdpLink.open(List.of(ADDRESS), 0), RING, clock::nanoTime, ADDRESS)) {
            assertThat(regular.send(0, LinkAddress.of(IP, reader.port()), packet))
                    .isTrue();
            regular.flush();
            look();
            assertThat(received).isEqualTo(before + 1);
            assertThat(regular.counters().sent()).as("through memory").isOne();
        }
    }

    @Test
    void whenTheHeaderChangesBetweenCheckAndUseThenTheCheckedValuesAreUsed() throws Exception {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment ring = arena.allocate(ShmRingLayout.HEADER_BYTES + (long) RING, 64);
            OutboundRing.writeHeader(ring, new OutboundRing.Sender(HOSTILE, 4791, List.of(new byte[16])), RING, 0);
            Thread changer = Thread.ofPlatform().start(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    ring.set(ValueLayout.JAVA_INT, ShmRingLayout.ADDRESSES, -1);
                    ring.set(ValueLayout.JAVA_INT, ShmRingLayout.TARGET_QPN, -1);
                    ring.set(ValueLayout.JAVA_INT, ShmRingLayout.ADDRESSES, 1);
                    ring.set(ValueLayout.JAVA_INT, ShmRingLayout.TARGET_QPN, 7);
                }
            });
            int valid = 0;
            for (int i = 0; i < CHANGES; i++) {
                RingHeader header = RingHeader.read(ring);
                if (header != null) {
                    valid++;
                    assertThat(header.sources()).hasSize(1);
                    assertThat(header.targetQpn()).isIn(0, 7);
                }
            }
            changer.interrupt();
            changer.join();
            assertThat(valid).isBetween(1, CHANGES);
        }
    }

    @Test
    void whenMemoryCouldBeShortenedThenItIsNotMapped() throws IOException {
        handOver(UnsealedMemory.create());
        look();
        assertThat(reader.counters().rejectedHandovers()).isOne();
        assertThat(reader.counters().rings()).isZero();
        assertReceivesFromARegularPeer();
    }

    @Test
    void whenAFileIsPutIntoAnInboxForMemoryThenItIsNotOpened() throws IOException {
        Path file = inbox.resolve("ring-x");
        try (SharedFile ring = SharedFile.create(file, ShmRingLayout.HEADER_BYTES + (long) RING)) {
            OutboundRing.writeHeader(
                    ring.memory(), new OutboundRing.Sender(HOSTILE, 4791, List.of(new byte[16])), RING, 0);
            look();
            assertThat(reader.counters().rings()).isZero();
            assertThat(file).exists();
        }
        Files.delete(file);
    }

    @Test
    void whenARingIsTooLargeThenItIsRejectedAndItsSenderIsNotified() throws IOException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment ring = handOverRing((int) (INBOUND / 2), arena);
            look();
            assertThat(reader.counters().rejectedRings()).isOne();
            assertThat(rejection(ring)).isEqualTo(ShmRingLayout.NO_ROOM);
        }
        assertReceivesFromARegularPeer();
    }

    /**
     * The process of this test is one peer, which may use half; the other half is for other peers, see {@link
     * io.rdmarpc.verbs.soft.shm.budget.RingBudgetTest}.
     */
    @Test
    void whenAPeerExceedsItsRingLimitThenFurtherRingsAreRejectedUntilItCloses() throws IOException {
        int most = (int) (INBOUND / RING / 2);
        try (Arena arena = Arena.ofShared()) {
            List<MemorySegment> rings = new ArrayList<>();
            for (int i = 0; i < most + 3; i++) {
                rings.add(handOverRing(RING, arena));
            }
            look();
            for (int i = 0; i < rings.size(); i++) {
                assertThat(rejection(rings.get(i))).isEqualTo(i < most ? 0 : ShmRingLayout.NO_ROOM);
            }
        }
        assertThat(reader.counters().rings()).isEqualTo(most);
        assertThat(reader.counters().rejectedRings()).isEqualTo(3);
        look();
        look();
        // Its inbox does not exist, so it counts as dead, and its budget is free again.
        assertThat(reader.counters().lostPeers()).isPositive();
        assertReceivesFromARegularPeer();
    }

    @Test
    void whenASenderAnnouncesDescriptorsEndlesslyThenEachPollHandlesOne() throws IOException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment ring = handOverRing(RING, arena);
            for (long at = ShmRingLayout.HEADER_BYTES; at < ring.byteSize(); at += Long.BYTES) {
                ring.set(ValueLayout.JAVA_LONG, at, ShmRingLayout.firstWord(ShmRingLayout.LOOK, 0, 0));
            }
            look();
            assertThat(ring.get(ValueLayout.JAVA_LONG, ShmRingLayout.HEAD)).isBetween(8L, 8L * 200);
            assertReceivesFromARegularPeer();
        }
    }

    @Test
    void whenAnotherProcessRespondsForAPeerThenItsStateIsNotAccepted() throws IOException {
        try (HostLink regular = directory.around(UdpLink.open(List.of(ADDRESS), 0), RING, clock::nanoTime, ADDRESS);
                MemFd state = MemFd.create("hostile", InboxState.BYTES)) {
            LinkAddress toReader = LinkAddress.of(IP, reader.port());
            assertThat(regular.send(0, toReader, packet)).isTrue();
            Path regularInbox = directory.files().stream()
                    .filter(file -> file.endsWith(Handover.FILE) && !file.startsWith(inbox))
                    .findFirst()
                    .orElseThrow();
            String name = inbox.getFileName().toString();
            MemorySegment message = socket.message();
            message.fill((byte) 0);
            message.set(ValueLayout.JAVA_INT, 0, Handover.MAGIC);
            message.set(ValueLayout.JAVA_INT, 4, Handover.STATE);
            message.set(ValueLayout.JAVA_INT, 12, 1);
            message.set(ValueLayout.JAVA_LONG, 16, Long.parseUnsignedLong(name.substring(0, 16), 16));
            message.set(ValueLayout.JAVA_LONG, 24, Long.parseUnsignedLong(name.substring(17), 16));
            assertThat(socket.send(regularInbox, state.descriptor())).isTrue();
            assertThat(regular.hasPassedState(toReader)).isFalse();
            assertThat(regular.counters().rejectedHandovers()).isOne();
        }
    }
}
