package io.rdmarpc.verbs.soft.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.concurrent.AdvancedClock;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.ffi.NativeWords;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.ShmPathListener;
import io.rdmarpc.verbs.soft.link.ShmPathReader;
import io.rdmarpc.verbs.soft.link.ShmPathWriter;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.net.Inet4Address;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A path between two links in one process, without the queue pairs at its ends. */
@Timeout(60)
class ShmPathTest {

    private static final Inet4Address ADDRESS = Inet4Address.ofLiteral("127.0.0.1");
    private static final int IP = 0x7F00_0001;
    private static final int RING = SharedMemoryOptions.DEFAULT_RING_BYTES;
    private static final int QUEUE_PAIR = 0x12_3456;

    /** Longer than the interval between checks for quiet rings. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    private static final int POLLS_PER_LOOK = 64;

    private final AdvancedClock clock = new AdvancedClock();
    private final Taker taker = new Taker();
    private final PacketBuffer packet = new PacketBuffer();
    private final List<Integer> received = new ArrayList<>();
    private SharedDirectory directory;
    private HostLink a;
    private HostLink b;
    private LinkAddress toB;

    /** Stores the paths that it receives. */
    private static final class Taker implements ShmPathListener {

        private final List<ShmPathReader> taken = new ArrayList<>();
        private final List<ShmPathReader> lost = new ArrayList<>();
        private boolean rejects;
        private boolean awaits;

        @Override
        public boolean take(int queuePair, ShmPathReader path) {
            assertThat(queuePair).isEqualTo(QUEUE_PAIR);
            return !rejects && taken.add(path);
        }

        @Override
        public void lose(ShmPathReader path) {
            lost.add(path);
        }

        @Override
        public boolean isAwaited() {
            return awaits;
        }
    }

    @BeforeEach
    void open() throws IOException {
        assumeTrue(NativeAccess.isGranted(), "paths need native access");
        directory = SharedDirectory.create();
        a = directory.around(UdpLink.open(List.of(ADDRESS), 0), RING, ADDRESS);
        b = directory.around(UdpLink.open(List.of(ADDRESS), 0), RING, clock::nanoTime, ADDRESS);
        assertThat(b.acceptPaths(taker)).isTrue();
        toB = LinkAddress.of(IP, b.port());
        packet.length(100);
        assertThat(a.send(0, toB, packet)).isTrue();
        assertThat(poll()).isOne();
    }

    @AfterEach
    void close() throws IOException {
        if (directory != null) {
            a.close();
            b.close();
            directory.close();
        }
    }

    private int poll() {
        return b.poll(64, (_, _, _, _, found) -> received.add(found.length()));
    }

    private ShmPathWriter openPath() {
        return Objects.requireNonNull(a.openPath(0, toB, QUEUE_PAIR));
    }

    private ShmPathReader awaitPath() {
        while (taken() == 0) {
            poll();
        }
        return taker.taken.getFirst();
    }

    private int taken() {
        return taker.taken.size();
    }

    private static long write(ShmPathWriter path, int length) {
        long at = path.claim(length);
        assertThat(at).isNotZero();
        for (int i = 0; i < length; i += Long.BYTES) {
            NativeWords.setLong(at + i, i);
        }
        path.commit();
        return at;
    }

    private int read(ShmPathReader path) {
        int count = 0;
        for (int length = path.first(16); length > 0; length = path.next()) {
            path.handTo((index, _, sourceLow, sourcePort, found) -> {
                assertThat(index).isZero();
                assertThat((int) sourceLow).isEqualTo(IP);
                assertThat(sourcePort).isEqualTo(a.port());
                received.add(-found.length());
            });
            count++;
        }
        path.finish();
        return count;
    }

    @Test
    void shouldCarryPacketsWithoutTheLink() {
        ShmPathWriter path = openPath();
        write(path, 64);
        ShmPathReader reader = awaitPath();
        write(path, 128);
        assertThat(reader.hasNext()).isTrue();
        assertThat(read(reader) + read(reader)).isEqualTo(2);
        assertThat(received).containsExactly(100, -64, -128);
        assertThat(reader.hasNext()).isFalse();
        assertThat(b.counters().paths()).isOne();
        assertThat(b.counters().rings()).as("the rings for all other packets").isOne();
    }

    @Test
    void whenNoQueuePairAcceptsAPathThenItsPacketsArriveThroughTheLink() {
        taker.rejects = true;
        write(openPath(), 64);
        while (received.size() < 2) {
            poll();
        }
        assertThat(received).containsExactly(100, 64);
        assertThat(b.counters().paths()).isZero();
    }

    @Test
    void whenThereIsNoRingToAPeerThenThereIsNoPath() {
        assertThat(a.openPath(0, LinkAddress.of(IP, 9), QUEUE_PAIR)).isNull();
    }

    @Test
    void whenASenderWritesGarbageThenItsPathIsAbandoned() {
        ShmPathWriter path = openPath();
        long at = write(path, 64);
        ShmPathReader reader = awaitPath();
        NativeWords.setLong(at - ShmRingLayout.RECORD_HEADER_BYTES, 0x7FFF_FFFFL);
        assertThat(read(reader)).isZero();
        assertThat(reader.hasNext()).isFalse();
        assertThat(path.mustWake()).isFalse();
        assertThat(path.isUsable()).isFalse();
        awaitLoss();
        assertThat(taker.lost).containsExactly(reader);
        assertThat(b.counters().brokenRings()).isOne();
    }

    @Test
    void whenASenderClosesItsPathThenTheReaderClosesItOnceAllWasRead() {
        ShmPathWriter path = openPath();
        write(path, 64);
        ShmPathReader reader = awaitPath();
        path.close();
        assertThat(path.isUsable()).isFalse();
        // Two checks for quiet rings: the first one only records the position.
        lookForQuiet();
        lookForQuiet();
        lookForQuiet();
        assertThat(taker.lost).as("while a packet is there").isEmpty();
        assertThat(read(reader)).isOne();
        awaitLoss();
        assertThat(taker.lost).containsExactly(reader);
        assertThat(b.counters().brokenRings()).isZero();
        reader.close();
    }

    @Test
    void whenTheReaderClosesItsPathThenTheSenderSeesIt() {
        ShmPathWriter path = openPath();
        write(path, 64);
        awaitPath().close();
        assertThat(path.isUsable()).isTrue();
        assertThat(path.mustWake()).isFalse();
        assertThat(path.isUsable()).isFalse();
    }

    @Test
    void whenThePeerIsClosedThenTheSenderSeesIt() {
        ShmPathWriter path = openPath();
        write(path, 64);
        b.close();
        assertThat(path.mustWake()).isFalse();
        assertThat(path.isUsable()).isFalse();
    }

    @Test
    void whenAwaitedPacketsAreInAPathThenTheLinkDoesNotSleep() {
        assertThat(b.prepareSleep()).isTrue();
        b.endSleep();
        taker.awaits = true;
        assertThat(b.prepareSleep()).isFalse();
        b.endSleep();
    }

    @Test
    void whenThePeerSleepsThenItIsWokenOnce() {
        ShmPathWriter path = openPath();
        write(path, 64);
        awaitPath();
        assertThat(path.mustWake()).as("it is awake").isFalse();
        assertThat(b.prepareSleep()).isTrue();
        write(path, 64);
        assertThat(path.mustWake()).isTrue();
        assertThat(path.mustWake()).isFalse();
        path.wake();
        assertThat(a.counters().bellsRung()).isOne();
        b.endSleep();
    }

    /**
     * Makes the link check for quiet rings, which it does once a second; polls often enough for it to read its clock.
     */
    private void lookForQuiet() {
        clock.advance(LOOK);
        for (int i = 0; i < POLLS_PER_LOOK; i++) {
            poll();
        }
    }

    private void awaitLoss() {
        while (taker.lost.isEmpty()) {
            lookForQuiet();
        }
    }
}
