package io.rdmarpc.verbs.soft.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.concurrent.AdvancedClock;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.shm.layout.InboxState;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.Inet4Address;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Without native access rings and states are files. If another process shortens one, only that peer is affected. */
@Timeout(60)
class ShortenedFileTest {

    private static final Inet4Address ADDRESS = Inet4Address.ofLiteral("127.0.0.1");
    private static final int IP = 0x7F00_0001;
    private static final int RING = SharedMemoryOptions.SMALLEST_RING_BYTES;
    private static final int ROUNDS_TO_COMPILE = 20_000;
    private static final int MAX_POLLS = 100_000;

    private final AdvancedClock clock = new AdvancedClock();
    private final PacketBuffer packet = new PacketBuffer();
    private SharedDirectory directory;
    private HostLink a;
    private HostLink b;
    private HostLink other;
    private LinkAddress toB;
    private int received;

    @BeforeEach
    void open() throws IOException {
        directory = SharedDirectory.create(false);
        a = link();
        b = link();
        other = link();
        toB = LinkAddress.of(IP, b.port());
        packet.length(100);
    }

    private HostLink link() throws IOException {
        return directory.around(UdpLink.open(List.of(ADDRESS), 0), RING, clock::nanoTime, ADDRESS);
    }

    @AfterEach
    void close() throws IOException {
        a.close();
        b.close();
        other.close();
        directory.close();
    }

    private void poll() {
        clock.advance(Duration.ofMillis(1));
        received += b.poll(64, (_, _, _, _, _) -> {});
    }

    private void carry(HostLink from) {
        int before = received;
        assertThat(from.send(0, toB, packet)).isTrue();
        from.flush();
        for (int polls = 0; received == before; polls++) {
            assertThat(polls).as("polls without a packet").isLessThan(MAX_POLLS);
            poll();
        }
    }

    private static FileChannel writing(Path file) throws IOException {
        return FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private Path stateOf(HostLink link, List<Path> before) throws IOException {
        assertThat(link).isNotNull();
        return directory.files().stream()
                .filter(file -> file.endsWith(InboxState.FILE) && !before.contains(file))
                .findFirst()
                .orElseThrow();
    }

    /** Opens the file of link a, before link b takes it over. */
    private FileChannel ringOfA() throws IOException {
        assertThat(a.send(0, toB, packet)).isTrue();
        return writing(directory.files().stream()
                .filter(file -> file.getFileName().toString().startsWith(Inbox.RING_PREFIX))
                .findFirst()
                .orElseThrow());
    }

    @RepeatedTest(3)
    void whenARingIsShortenedThenItsPeerUsesUdpAndOthersStay() throws IOException {
        try (FileChannel ring = ringOfA()) {
            carry(other);
            while (received < 2) {
                poll();
            }
            // Compiled code reports a fault later than the interpreter does.
            for (int i = 0; i < ROUNDS_TO_COMPILE; i++) {
                carry(a);
            }
            ring.truncate(0);
            while (b.counters().brokenRings() == 0) {
                poll();
            }
            carry(other);
            assertThat(a.send(0, toB, packet)).as("dropped in the ring").isTrue();
            assertThat(a.isIntact(toB)).isFalse();
            carry(a);
            assertThat(a.counters().brokenRings()).isOne();
            assertThat(other.isIntact(toB)).isTrue();
            assertThat(b.counters().brokenRings()).isOne();
        }
    }

    @Test
    void whenARingIsShortenedUnderItsSenderThenTheSenderUsesUdp() throws IOException {
        try (FileChannel ring = ringOfA()) {
            ring.truncate(0);
            assertThat(a.send(0, toB, packet)).as("lost").isTrue();
            assertThat(a.isIntact(toB)).isFalse();
            carry(a);
        }
    }

    @Test
    void whenThePeersStateIsShortenedThenThePeerIsReachedOverUdp() throws IOException {
        List<Path> before = directory.files();
        try (HostLink victim = link();
                FileChannel state = writing(stateOf(victim, before))) {
            LinkAddress toVictim = LinkAddress.of(IP, victim.port());
            assertThat(a.send(0, toVictim, packet)).isTrue();
            a.flush();
            state.truncate(0);
            assertThat(a.isIntact(toVictim)).isFalse();
            assertThat(a.send(0, toVictim, packet)).isTrue();
            a.flush();
            carry(a);
            assertThat(a.isIntact(toB)).isTrue();
        }
    }

    @Test
    void whenTheLocalStateIsShortenedThenItIsRestoredAndPeersStillWakeThisProcess() throws IOException {
        List<Path> before = directory.files();
        try (HostLink victim = link();
                FileChannel state = writing(stateOf(victim, before))) {
            LinkAddress toVictim = LinkAddress.of(IP, victim.port());
            for (int i = 0; i < 3; i++) {
                state.truncate(0);
                assertThat(victim.prepareSleep()).isTrue();
                assertThat(state.size()).isEqualTo(InboxState.BYTES);
                victim.endSleep();
            }
            assertThat(victim.prepareSleep()).isTrue();
            assertThat(a.send(0, toVictim, packet)).isTrue();
            a.flush();
            assertThat(a.counters().bellsRung()).isOne();
            victim.endSleep();
            state.truncate(0);
        }
    }
}
