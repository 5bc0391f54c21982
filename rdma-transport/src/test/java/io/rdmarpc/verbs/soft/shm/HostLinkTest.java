package io.rdmarpc.verbs.soft.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.concurrent.AdvancedClock;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.ffi.Reply;
import io.rdmarpc.verbs.soft.ffi.Epoll;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.link.PacketRoom;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two links in one process. */
@Timeout(60)
class HostLinkTest {

    private static final Inet4Address FIRST = Inet4Address.ofLiteral("127.0.0.1");
    private static final Inet4Address SECOND = Inet4Address.ofLiteral("127.0.0.2");
    private static final int FIRST_IP = 0x7F00_0001;
    private static final int SECOND_IP = 0x7F00_0002;
    private static final int RING = SharedMemoryOptions.SMALLEST_RING_BYTES;

    private SharedDirectory directory;
    private HostLink a;
    private HostLink b;
    private LinkAddress toB;
    private final PacketBuffer packet = new PacketBuffer();
    private final List<String> received = new ArrayList<>();
    private final AdvancedClock clock = new AdvancedClock();

    /** Returns whether anonymous memory is passed. */
    boolean passesMemory() {
        return NativeAccess.isGranted();
    }

    @BeforeEach
    void open() throws IOException {
        directory = SharedDirectory.create(passesMemory());
        a = open(0);
        b = open(0);
        toB = LinkAddress.of(SECOND_IP, b.port());
        packet.length(100);
    }

    private HostLink open(int port) throws IOException {
        return directory.around(UdpLink.open(List.of(FIRST, SECOND), port), RING, clock::nanoTime, FIRST, SECOND);
    }

    @AfterEach
    void close() throws IOException {
        a.close();
        b.close();
        directory.close();
    }

    private int poll(PacketLink link) {
        a.flush();
        b.flush();
        return link.poll(
                64,
                (index, _, sourceLow, sourcePort, found) -> received.add("%d %x %d %d %b"
                        .formatted(index, (int) sourceLow, sourcePort, found.length(), found.hasIcrc())));
    }

    private void awaitPackets(PacketLink link, int count) {
        while (received.size() < count) {
            poll(link);
        }
    }

    private String fromA(boolean byUdp) {
        return "1 7f000001 %d 100 %b".formatted(a.port(), byUdp);
    }

    @Test
    void shouldCarryPacketsThroughMemoryWithTheAddressesOfBothEnds() {
        assertThat(a.isIntact(toB)).isTrue();
        assertThat(a.send(0, toB, packet)).isTrue();
        assertThat(poll(b)).isEqualTo(1);
        assertThat(received).containsExactly(fromA(false));
        assertThat(a.counters().sent()).isEqualTo(1);
        assertThat(b.counters().received()).isEqualTo(1);
        assertThat(packet.length()).isEqualTo(100);
    }

    @Test
    void whenAnotherPeerConnectsThenItsRingIsReadAlongsideTheOthers() throws IOException {
        assertThat(a.send(0, toB, packet)).isTrue();
        assertThat(poll(b)).isEqualTo(1);
        try (HostLink c = open(0)) {
            assertThat(c.send(0, toB, packet)).isTrue();
            for (int polls = 0; received.size() < 2 && polls < 100; polls++) {
                poll(b);
            }
        }
        assertThat(received).hasSize(2);
        assertThat(b.counters().received()).isEqualTo(2);
    }

    @Test
    void whenAPacketIsWrittenIntoRoomThenItArrivesWhenItIsSent() {
        assumeTrue(passesMemory(), "callers do not write into a file");
        PacketRoom room = Objects.requireNonNull(a.room(0, toB, 100));
        assertThat(poll(b)).isZero();
        room.memory().asSlice(room.at(), 100).fill((byte) 7);
        room.send();
        awaitPackets(b, 1);
        assertThat(received).containsExactly(fromA(false));
        assertThat(a.counters().sent()).isEqualTo(1);
    }

    @Test
    void whenRoomIsNotUsedThenTheNextPacketUsesIt() {
        assumeTrue(passesMemory(), "callers do not write into a file");
        assertThat(a.room(0, toB, 200)).isNotNull();
        a.send(0, toB, packet);
        Objects.requireNonNull(a.room(0, toB, 100)).send();
        awaitPackets(b, 2);
        assertThat(received).containsExactly(fromA(false), fromA(false));
    }

    @Test
    void whenRingIsFullThenThereIsNoRoom() {
        assumeTrue(passesMemory(), "callers do not write into a file");
        a.send(0, toB, packet);
        int packets = 1;
        for (PacketRoom room = a.room(0, toB, 4000); room != null; room = a.room(0, toB, 4000)) {
            room.send();
            packets++;
        }
        awaitPackets(b, packets);
        assertThat(a.room(0, toB, 4000)).isNotNull();
    }

    @Test
    void whenThePeerHasNoInboxThenThereIsNoRoom() throws IOException {
        try (UdpLink other = UdpLink.open(List.of(SECOND), 0)) {
            assertThat(a.room(0, LinkAddress.of(SECOND_IP, other.port()), 100)).isNull();
        }
    }

    @Test
    void shouldUseOneRingForAllAddressesOfAPeer() {
        a.send(0, toB, packet);
        a.send(1, LinkAddress.of(FIRST_IP, b.port()), packet);
        a.send(1, LinkAddress.of(FIRST_IP, b.port()), packet);
        awaitPackets(b, 3);
        assertThat(received).endsWith("0 7f000002 %d 100 false".formatted(a.port()));
        assertThat(b.counters().rings()).isEqualTo(1);
    }

    @Test
    void shouldReachItselfThroughMemory() {
        a.send(0, LinkAddress.of(SECOND_IP, a.port()), packet);
        assertThat(poll(a)).isEqualTo(1);
        assertThat(received).containsExactly(fromA(false));
    }

    @Test
    void whenThePeerHasNoInboxThenPacketsUseUdp() throws IOException {
        try (UdpLink other = UdpLink.open(List.of(SECOND), 0)) {
            LinkAddress toOther = LinkAddress.of(SECOND_IP, other.port());
            assertThat(a.isIntact(toOther)).isFalse();
            a.send(0, toOther, packet);
            awaitPackets(other, 1);
            assertThat(received).containsExactly("0 7f000001 %d 100 true".formatted(a.port()));
        }
    }

    @Test
    void shouldReceiveOverUdpWhileOthersSendThroughMemory() throws IOException {
        try (UdpLink other = UdpLink.open(List.of(FIRST), 0)) {
            other.send(0, toB, packet);
            other.flush();
            while (received.stream().noneMatch(line -> line.endsWith("true"))) {
                a.send(0, toB, packet);
                poll(b);
            }
            assertThat(received).contains("1 7f000001 %d 100 true".formatted(other.port()));
        }
    }

    @Test
    void whenPeerClosesThenPacketsUseUdpAndReachItsSuccessorThroughMemory() throws IOException {
        a.send(0, toB, packet);
        int port = b.port();
        b.close();
        assertThat(a.isIntact(toB)).isFalse();
        b = open(port);
        while (!a.isIntact(toB)) {
            Thread.onSpinWait();
        }
        a.send(0, toB, packet);
        assertThat(poll(b)).isEqualTo(1);
        assertThat(received).containsExactly(fromA(false));
    }

    @Test
    void whenFullThenRejectsForAWhileAndDropsLaterPackets() {
        int taken = 0;
        while (a.send(0, toB, packet)) {
            taken++;
        }
        assertThat(taken).isBetween(RING / 112 - 2, RING / 112);
        while (!a.send(0, toB, packet)) {
            Thread.onSpinWait();
        }
        assertThat(a.counters().lost()).isEqualTo(1);
        awaitPackets(b, taken);
        assertThat(a.send(0, toB, packet)).isTrue();
        assertThat(poll(b)).isEqualTo(1);
    }

    @Test
    void whenRecordIsInvalidThenRingIsAbandonedAndPacketsUseUdp() throws IOException {
        a.send(0, toB, packet);
        poll(b);
        ring().set(ValueLayout.JAVA_LONG, ShmRingLayout.HEADER_BYTES + 112, ShmRingLayout.firstWord(8, 77, 0));
        assertThat(poll(b)).isZero();
        assertThat(b.counters().brokenRings()).isEqualTo(1);
        assertThat(a.isIntact(toB)).isFalse();
        assertThat(a.counters().brokenRings()).isEqualTo(1);
        a.send(0, toB, packet);
        awaitPackets(b, 2);
        assertThat(received).containsExactly(fromA(false), fromA(true));
    }

    @Test
    void whenSenderLeavesAGapThenItsRingIsAbandonedAndPacketsUseUdp() throws IOException {
        a.send(0, toB, packet);
        poll(b);
        a.send(0, toB, packet);
        ring().set(ValueLayout.JAVA_LONG, ShmRingLayout.HEADER_BYTES + 112, 0);
        while (b.counters().brokenRings() == 0) {
            clock.advance(Duration.ofMillis(100));
            poll(a);
            poll(b);
        }
        assertThat(a.isIntact(toB)).isFalse();
        a.send(0, toB, packet);
        awaitPackets(b, 2);
        assertThat(received).containsExactly(fromA(false), fromA(true));
    }

    private MemorySegment ring() {
        return Objects.requireNonNull(a.ringTo(toB));
    }

    @Test
    void whenPeerSleepsThenOneBellWakesItAndIsNotPassedOn() {
        wakeB();
        assertThat(a.counters().bellsRung()).isEqualTo(1);
        assertThat(received).hasSize(4).allMatch(line -> line.endsWith("false"));
    }

    /** The route for which the ring was opened is released by then. */
    @Test
    void whenTheFirstRouteToAPeerIsReleasedThenTheNextOneStillWakesIt() {
        LinkAddress first = a.resolve(0, Gid.of(SECOND), b.port(), 0, 0);
        a.send(0, first, packet);
        a.release(first);
        wakeB();
        assertThat(a.counters().bellsRung()).isEqualTo(1);
    }

    private void wakeB() {
        a.send(0, toB, packet);
        a.flush();
        poll(b);
        assertThat(a.hasPassedState(toB)).isTrue();
        assertThat(b.prepareSleep()).isTrue();
        a.send(0, toB, packet);
        a.send(0, toB, packet);
        a.flush();
        a.flush();
        a.send(0, toB, packet);
        a.flush();
        b.endSleep();
        long expected = passesMemory() ? 0 : 1;
        for (int polls = 0;
                polls < 1_000_000 && (b.counters().bellsReceived() < expected || received.size() < 4);
                polls++) {
            poll(b);
        }
        assertThat(b.counters().bellsReceived()).as("woken by datagrams").isEqualTo(expected);
    }

    @Test
    void whenPeerHasNotRespondedThenItIsNotifiedOfEachBatchUntilItHas() {
        assumeTrue(passesMemory(), "without passed memory the state is a file");
        a.send(0, toB, packet);
        assertThat(b.prepareSleep()).isTrue();
        a.flush();
        b.endSleep();
        awaitPackets(b, 1);
        assertThat(a.hasPassedState(toB)).isTrue();
        assertThat(a.counters().bellsRung())
                .as("bells of a peer that is known to sleep")
                .isZero();
        assertThat(b.counters().bellsReceived()).isZero();
    }

    @Test
    void whenPeerClosesBeforeItHasOpenedTheRingThenPacketsUseUdp() {
        assertThat(a.send(0, toB, packet)).isTrue();
        b.close();
        assertThat(a.isIntact(toB)).isFalse();
        assertThat(a.counters().brokenRings()).isZero();
    }

    @Test
    void whenPeerSleepsAgainThenItIsWokenByItsBell() {
        assumeTrue(passesMemory(), "memory is passed with native access");
        wakeB();
        try (Epoll sleep = Epoll.open("test")) {
            sleep.watchEdges(b.bells()[0]);
            assertThat(b.prepareSleep()).isTrue();
            a.send(0, toB, packet);
            a.flush();
            sleep.await();
        }
        b.endSleep();
        assertThat(a.counters().bellsRung()).isEqualTo(2);
    }

    @Test
    void whenABellIsShutDownThenThePeerIsWokenByADatagram() {
        assumeTrue(passesMemory(), "memory is passed with native access");
        wakeB();
        Reply _ = LibC.cold("shutdown", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32))
                .call(b.bells()[0], 2);
        assertThat(b.prepareSleep()).isTrue();
        a.send(0, toB, packet);
        a.flush();
        b.endSleep();
        for (int polls = 0; polls < 1_000_000 && b.counters().bellsReceived() == 0; polls++) {
            poll(b);
        }
        assertThat(b.counters().bellsReceived()).as("woken by datagrams").isOne();
    }

    @Test
    void whenAPacketHasArrivedThenDoesNotSleep() {
        a.send(0, toB, packet);
        poll(b);
        a.send(0, toB, packet);
        assertThat(b.prepareSleep()).isFalse();
        b.endSleep();
        poll(b);
        assertThat(b.prepareSleep()).isTrue();
        b.endSleep();
        a.send(0, toB, packet);
        assertThat(b.prepareSleep()).isFalse();
    }

    @Test
    void whenRingIsOpenThenNoProcessCanShortenIt() throws IOException {
        a.send(0, toB, packet);
        poll(b);
        assertThat(directory.files()).noneMatch(file -> file.toString().contains("ring-"));
    }

    @Test
    void whenPeerIsAwakeThenNoBellRings() {
        a.send(0, toB, packet);
        a.flush();
        assertThat(a.counters().bellsRung()).isZero();
    }

    @Test
    void whenClosedThenNoFilesAreLeft() throws IOException {
        a.send(0, toB, packet);
        b.send(0, LinkAddress.of(FIRST_IP, a.port()), packet);
        a.close();
        b.close();
        assertThat(directory.files()).isEmpty();
        assertThat(a.send(0, toB, packet)).isTrue();
        assertThat(a.poll(8, (_, _, _, _, _) -> {})).isZero();
        a.close();
    }

    @Test
    void whenSharedMemoryIsUnavailableOrOffThenAllPacketsUseUdp() throws IOException {
        try (UdpLink udp = UdpLink.open(List.of(FIRST), 0)) {
            assertThat(HostLink.around(udp, List.of(FIRST), new SharedMemoryOptions(false, RING)))
                    .isSameAs(udp);
            assertThat(HostLink.around(
                            udp,
                            List.of(FIRST),
                            SharedMemoryOptions.DEFAULT,
                            directory.path().resolve("none")))
                    .isSameAs(udp);
        }
    }
}
