package io.rdmarpc.verbs.soft.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.concurrent.AdvancedClock;
import io.rdmarpc.verbs.soft.ChildJvm;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A sender that is killed between the first and the last store of a record. */
@Timeout(120)
@Tag("processes")
class KilledSenderTest {

    private static final Inet4Address LOOPBACK = Inet4Address.ofLiteral("127.0.0.1");
    private static final int LOOPBACK_IP = 0x7F00_0001;
    private static final int PACKETS = 5;
    private static final int LENGTH = 100;
    private static final int TIMES = 3;

    /** Sends some packets, begins another one, and waits to be killed. */
    static final class Sender {

        private Sender() {}

        /**
         * Runs the process.
         *
         * @param args the directory and the receiver's port
         */
        public static void main(String[] args) throws IOException, InterruptedException {
            SharedDirectory directory = SharedDirectory.at(args[0]);
            HostLink link = directory.around(UdpLink.open(List.of(LOOPBACK), 0), LOOPBACK);
            PacketBuffer packet = new PacketBuffer();
            packet.length(LENGTH);
            LinkAddress receiver = LinkAddress.of(LOOPBACK_IP, Integer.parseInt(args[1]));
            for (int i = 0; i < PACKETS; i++) {
                link.send(0, receiver, packet);
            }
            beginRecord(Objects.requireNonNull(link.ringTo(receiver)));
            System.out.println(link.port());
            Thread.sleep(60_000);
        }

        /** Writes a record without its first word, as a sender does before its last store. */
        private static void beginRecord(MemorySegment ring) {
            long at = ShmRingLayout.HEADER_BYTES + (long) PACKETS * ShmRingLayout.recordBytes(LENGTH);
            ring.asSlice(at + ShmRingLayout.RECORD_HEADER_BYTES, LENGTH / 2).fill((byte) 0xFF);
        }
    }

    private static final Duration POLL_INTERVAL = Duration.ofMillis(10);

    private final AdvancedClock clock = new AdvancedClock();
    private int received;

    private void pollUntilReceived(HostLink link, int count) {
        while (received < count) {
            link.poll(64, (_, _, _, _, packet) -> {
                received++;
                assertThat(packet.length()).isEqualTo(LENGTH);
            });
        }
    }

    @Test
    void shouldReadCompleteRecordsAndReleaseTheRing() throws IOException {
        try (SharedDirectory directory = SharedDirectory.create()) {
            HostLink link = directory.around(UdpLink.open(List.of(LOOPBACK), 0), clock::nanoTime, LOOPBACK);
            for (int time = 1; time <= TIMES; time++) {
                received = 0;
                try (ChildJvm sender =
                        ChildJvm.start(Sender.class, directory.path().toString(), Integer.toString(link.port()))) {
                    String port = sender.line();
                    assertThat(port).containsOnlyDigits();
                }
                pollUntilReceived(link, PACKETS);
                while (link.counters().lostPeers() < time) {
                    clock.advance(POLL_INTERVAL);
                    assertThat(link.poll(64, (_, _, _, _, _) -> {})).isZero();
                }
                assertThat(directory.files().stream().filter(Files::isDirectory))
                        .hasSize(2);
            }
            link.close();
            assertThat(directory.files()).isEmpty();
        }
    }

    @Test
    void whenOwnerSleepsThenItStillDetectsDeadPeers() throws IOException {
        try (SharedDirectory directory = SharedDirectory.create();
                HostLink link = directory.around(UdpLink.open(List.of(LOOPBACK), 0), clock::nanoTime, LOOPBACK)) {
            assertThat(link.longestSleepNanos()).as("there are no peers").isEqualTo(Long.MAX_VALUE);
            try (ChildJvm sender =
                    ChildJvm.start(Sender.class, directory.path().toString(), Integer.toString(link.port()))) {
                assertThat(sender.line()).containsOnlyDigits();
                pollUntilReceived(link, PACKETS);
            }
            while (link.counters().lostPeers() == 0) {
                sleepAndPoll(link);
            }
            assertThat(directory.files().stream().filter(Files::isDirectory)).hasSize(2);
        }
    }

    /** Sleeps as long as the link allows and polls once after that, as an owner does. */
    private void sleepAndPoll(HostLink link) {
        assertThat(link.prepareSleep()).isTrue();
        long nanos = link.longestSleepNanos();
        assertThat(nanos).isLessThan(10_000_000_000L);
        clock.advance(Duration.ofNanos(nanos));
        link.endSleep();
        assertThat(link.poll(64, (_, _, _, _, _) -> {})).isZero();
    }
}
