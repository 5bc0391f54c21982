package io.rdmarpc.verbs.soft.shm;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.shm.layout.RingReader;
import io.rdmarpc.verbs.soft.shm.layout.RingWriter;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RingTest {

    /** {@link ShmRingLayout#MARK} at its position in each first word. */
    private static final long MARK = 0x8000_0000_0000L;

    private static final int MANY = 2_000_000;
    private static final int CAPACITY = SharedMemoryOptions.SMALLEST_RING_BYTES;
    private static final Gid[] SOURCES = {ipv4(0x7F00_0001), ipv4(0x0A00_0002), ipv4(0x0A00_0003)};

    private final MemorySegment ring = Arena.ofAuto().allocate(ShmRingLayout.HEADER_BYTES + CAPACITY, 64);
    private final RingWriter writer = new RingWriter(ring);
    private final RingReader reader = new RingReader(ring, 4791, List.of(SOURCES), 2);
    private final MemorySegment packet = Arena.ofAuto().allocate(PacketBuffer.CAPACITY);
    private final PacketBuffer buffer = PacketBuffer.withoutIcrc();
    private final List<String> taken = new ArrayList<>();

    private static Gid ipv4(int address) {
        return new Gid(0, 0xFFFF_0000_0000L | address);
    }

    private boolean write(int length) {
        return writer.write(1, 1, packet, length);
    }

    private int poll(int max) {
        return reader.poll(
                max,
                (index, _, sourceLow, port, received) ->
                        taken.add("%d %x %d %d".formatted(index, (int) sourceLow, port, received.length())),
                buffer);
    }

    private String hex(int from, int to) {
        return HexFormat.of().formatHex(ring.asSlice(from, to - from).toArray(ValueLayout.JAVA_BYTE));
    }

    @Test
    void shouldWriteRecordsWithTheDocumentedLayout() {
        packet.copyFrom(MemorySegment.ofArray(new byte[] {0x64, 0x40, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}));
        ring.asSlice(ShmRingLayout.HEADER_BYTES).fill((byte) 0xEE);
        writer.write(2, 1, packet, 13);
        writer.write(0, 0, packet, 8);
        assertThat(hex(4096, 4096 + 24 + 16 + 8))
                .isEqualTo("0d000000" + "0280" + "0100" + "6440030405060708090a0b0c0d" + "eeeeee"
                        + "08000000" + "0080" + "0000" + "6440030405060708"
                        + "0000000000000000");
        assertThat(poll(9)).isEqualTo(2);
        assertThat(taken).containsExactly("1 a000003 4791 13", "0 7f000001 4791 8");
        assertThat(ring.get(ValueLayout.JAVA_LONG, 192)).isEqualTo(40);
    }

    @Test
    void shouldWriteTheHeaderWithTheDocumentedLayout() {
        OutboundRing.writeHeader(
                ring,
                new OutboundRing.Sender("0123456789abcdef-fedcba9876543210", 4791, List.of(new byte[16], new byte[] {
                    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16
                })),
                CAPACITY,
                0x0a0b0c);
        assertThat(hex(0, 40))
                .isEqualTo("33474e52" + "00000100" + "efcdab8967452301" + "1032547698badcfe" + "b712000000000000"
                        + "02000000" + "0c0b0a00");
        assertThat(hex(256 + 16, 256 + 32)).isEqualTo("0102030405060708090a0b0c0d0e0f10");
    }

    @Test
    void whenPacketsFollowAnEmptyPollThenOneIsReadAtOnceAndTheOthersByTheNextPoll() {
        assertThat(poll(9)).isZero();
        write(100);
        write(100);
        write(100);
        assertThat(poll(9)).isEqualTo(1);
        assertThat(poll(9)).isEqualTo(2);
        write(100);
        write(100);
        assertThat(poll(9)).isEqualTo(2);
    }

    @Test
    void whenNothingIsWantedThenNothingIsRead() {
        assertThat(poll(9)).isZero();
        write(100);
        assertThat(poll(0)).isZero();
        assertThat(poll(9)).isEqualTo(1);
    }

    @Test
    void whenSenderDiesBeforeTheLastStoreThenThereIsNoRecord() {
        write(100);
        long at = writer.claim(200);
        MemorySegment.copy(packet, 0, ring, at + 8, 200);
        assertThat(poll(9)).isEqualTo(1);
        assertThat(poll(9)).isZero();
        writer.commit(at, 1, 1, 200);
        assertThat(poll(9)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 72, 4096 + 64, PacketBuffer.CAPACITY})
    void whenFullThenAcceptsNoMoreUntilSomeWasRead(int length) {
        int count = 0;
        while (write(length)) {
            count++;
        }
        assertThat(count)
                .isBetween(
                        CAPACITY / ShmRingLayout.recordBytes(length) - 2, CAPACITY / ShmRingLayout.recordBytes(length));
        assertThat(poll(2)).isEqualTo(2);
        assertThat(write(length)).isTrue();
        assertThat(poll(1 << 20)).isEqualTo(count - 1);
        assertThat(poll(1)).isZero();
        assertThat(writer.isAbandoned()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 100, 1000, 4096})
    void whenTheNextRecordIsPrefetchedThenUnreadRecordsAreUnchanged(int length) {
        packet.fill((byte) 0x55);
        int count = 0;
        while (write(length)) {
            writer.fetchNext();
            count++;
        }
        for (int i = 0; i < count; i++) {
            assertThat(reader.poll(
                            1,
                            (_, _, _, _, received) -> {
                                received.makeWhole();
                                assertThat(received.length()).isEqualTo(length);
                                assertThat(received.memory().asSlice(0, length).mismatch(packet.asSlice(0, length)))
                                        .isEqualTo(-1);
                            },
                            buffer))
                    .isOne();
        }
        assertThat(poll(1)).isZero();
    }

    @Test
    void shouldKeepBytesAndOrderOverManyRoundsOfRandomLengths() {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        List<Integer> lengths = new ArrayList<>();
        List<Integer> received = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            int length = random.nextInt(4, PacketBuffer.CAPACITY);
            packet.fill((byte) length);
            packet.set(ValueLayout.JAVA_INT, 0, lengths.size());
            if (write(length)) {
                lengths.add(length);
            }
            reader.poll(
                    random.nextInt(3),
                    (_, _, _, _, found) -> {
                        found.makeWhole();
                        boolean right = found.memory().get(ValueLayout.JAVA_INT, 0) == received.size()
                                && IntStream.range(4, found.length())
                                        .allMatch(at -> found.bytes().get(at) == (byte) found.length());
                        received.add(right ? found.length() : -1);
                    },
                    buffer);
        }
        while (poll(1 << 20) > 0) {
            taken.forEach(line -> received.add(Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1))));
            taken.clear();
        }
        assertThat(received).as("seed %d", seed).isEqualTo(lengths);
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                MARK | 4225, // longer than any packet
                MARK, // length 0
                MARK | 0x3_0000_0010L, // unknown source address
                MARK | 0x2_0000_0000_0010L, // unknown target address
                16, // no mark
                0xFFFF_FFFFL, // SKIP at the start of the ring
                0xFFFF_FFFDL // negative length
            })
    void whenRecordIsInvalidThenNothingMoreIsRead(long word) {
        ring.set(ValueLayout.JAVA_LONG, ShmRingLayout.HEADER_BYTES, word);
        assertThat(poll(9)).isEqualTo(-1);
        assertThat(taken).isEmpty();
        assertThat(writer.isAbandoned()).isTrue();
    }

    @Test
    void whenPacketIsEmptyThenItsRecordIsInvalidAndIsFound() {
        write(0);
        write(100);
        assertThat(poll(9)).isEqualTo(-1);
    }

    @Test
    void whenARecordFollowsAGapThenTheReaderDetectsThatItIsStalled() {
        write(100);
        write(100);
        assertThat(poll(1)).isEqualTo(1);
        writer.publishTail();
        assertThat(reader.isStalled()).isFalse();
        ring.set(ValueLayout.JAVA_LONG, ShmRingLayout.HEADER_BYTES + ShmRingLayout.recordBytes(100), 0);
        assertThat(poll(9)).isZero();
        assertThat(reader.isStalled()).isTrue();
    }

    @Test
    void whenAllWasReadThenReaderIsNotStalled() {
        write(100);
        writer.publishTail();
        assertThat(poll(9)).isEqualTo(1);
        assertThat(reader.isStalled()).isFalse();
    }

    @Test
    void whenRecordExceedsTheEndThenNothingMoreIsRead() {
        while (writer.tail() < CAPACITY - 2048) {
            write(1016);
            poll(1);
        }
        write(1000);
        poll(1);
        ring.set(ValueLayout.JAVA_LONG, ShmRingLayout.HEADER_BYTES + writer.tail(), MARK | 3000);
        assertThat(poll(9)).isEqualTo(-1);
    }

    @ParameterizedTest
    @ValueSource(longs = {-8, 1 << 20})
    void whenReaderPublishesAnInvalidHeadThenSenderStops(long head) {
        ring.set(ValueLayout.JAVA_LONG, ShmRingLayout.HEAD, head);
        while (write(1000)) {
            assertThat(writer.tail()).isLessThanOrEqualTo(CAPACITY);
        }
        assertThat(writer.isAbandoned()).isTrue();
    }

    /** The user of a path reads it while another thread, which holds the lock, checks whether it is stalled. */
    @Test
    void whenItIsReadWhileAnotherThreadChecksThenItIsNotStalled() throws InterruptedException {
        AtomicBoolean stalled = new AtomicBoolean();
        Thread looker = Thread.ofPlatform().start(() -> {
            while (!Thread.currentThread().isInterrupted()) {
                stalled.compareAndSet(false, reader.isStalled());
            }
        });
        for (int i = 0; i < MANY; i++) {
            write(100);
            writer.publishTail();
            reader.poll(1, (_, _, _, _, _) -> {}, buffer);
        }
        looker.interrupt();
        looker.join();
        assertThat(stalled).isFalse();
    }
}
