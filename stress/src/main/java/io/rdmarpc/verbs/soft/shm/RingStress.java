package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.stress.Meeting;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.shm.layout.RingReader;
import io.rdmarpc.verbs.soft.shm.layout.RingWriter;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.Z_Result;

/** A ring in shared memory: {@link RingWriter} and {@link RingReader}. */
public final class RingStress {

    private static final int PORT = 4791;
    private static final List<Gid> SOURCES = List.of(new Gid(0, 1), new Gid(0, 2));

    private RingStress() {}

    private static MemorySegment ring(int capacity) {
        return Arena.global().allocate(ShmRingLayout.HEADER_BYTES + capacity, ShmRingLayout.LINE_BYTES);
    }

    /**
     * A few dozen records of many lengths pass through a ring that holds few of them: it fills, empties and wraps
     * around.
     */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "each record is complete and arrives once, in order")
    @Outcome(expect = Expect.FORBIDDEN, desc = "records are missing or torn, or the ring is invalid")
    @State
    public static class WholeRecords {

        private static final int CAPACITY = 1024;
        private static final int RECORDS = 40;
        private static final int LONGEST = 200;

        /** A ring that is full for this long is considered stuck. */
        private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(2);

        /** One ring for all states: the actors synchronize before and after each. */
        private static final MemorySegment RING = ring(CAPACITY);

        private static final MemorySegment PACKET = Arena.global().allocate(PacketBuffer.CAPACITY, Long.BYTES);
        private static final PacketBuffer RECEIVED = PacketBuffer.withoutIcrc();

        private final int seed = ThreadLocalRandom.current().nextInt();
        private final Meeting start = new Meeting();
        private final Meeting end = new Meeting();
        private volatile boolean written;
        private volatile boolean stopped;

        /** Returns the length of a record: 1 to {@link #LONGEST} bytes. */
        private int length(int number) {
            return 1 + Integer.remainderUnsigned(((seed + number) * 0x9E37_79B9) >>> 7, LONGEST);
        }

        /** The sender. */
        @Actor
        public void writer() {
            RING.fill((byte) 0);
            RingWriter writer = new RingWriter(RING);
            start.await();
            long since = System.nanoTime();
            for (int i = 0; i < RECORDS && !stopped; i++) {
                int length = length(i);
                PACKET.asSlice(0, length).fill((byte) (i + 1));
                while (!writer.write(i & 1, i & 1, PACKET, length)
                        && !stopped
                        && System.nanoTime() - since < LOST_NANOS) {
                    Thread.onSpinWait();
                }
            }
            written = true;
            end.awaitWithoutPause();
        }

        /** The receiver. */
        @Actor
        public void reader(III_Result r) {
            RingReader reader = new RingReader(RING, PORT, SOURCES, 2);
            Records records = new Records();
            start.await();
            boolean all;
            int taken;
            do {
                all = written;
                taken = reader.poll(RECORDS, records, RECEIVED);
            } while (taken > 0 || (taken == 0 && !all));
            stopped = true;
            r.r1 = RECORDS - records.count;
            r.r2 = records.wrong;
            r.r3 = taken;
            end.awaitWithoutPause();
        }

        /** Handles every second record in place. */
        private final class Records implements LinkPacketHandler {

            private int count;
            private int wrong;

            @Override
            public boolean receivesInPlace(int localIndex, long sourceHigh, long sourceLow, long address, int length) {
                if ((count & 1) != 0) {
                    return false;
                }
                check(localIndex, sourceLow, length);
                for (int i = 0; i < length; i++) {
                    checkByte(RING.get(ValueLayout.JAVA_BYTE, address - RING.address() + i));
                }
                count++;
                return true;
            }

            @Override
            public void onPacket(int localIndex, long sourceHigh, long sourceLow, int sourcePort, PacketBuffer packet) {
                packet.makeWhole();
                check(localIndex, sourceLow, packet.length());
                for (int i = 0; i < packet.length(); i++) {
                    checkByte(packet.bytes().get(i));
                }
                count++;
            }

            private void check(int localIndex, long sourceLow, int length) {
                boolean right = length == length(count) && localIndex == (count & 1) && sourceLow == 1 + (count & 1);
                wrong += right ? 0 : 1;
            }

            private void checkByte(byte found) {
                wrong += found == (byte) (count + 1) ? 0 : 1;
            }
        }
    }

    /** A thread checks whether a ring is stalled while its reader reads all records. */
    @JCStressTest
    @Outcome(id = "false", expect = Expect.ACCEPTABLE, desc = "a ring that is read is not stalled")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a working ring would be abandoned")
    @State
    public static class NotStalledWhileRead {

        private static final int CAPACITY = 64;
        private static final int RECORDS = 20;
        private static final int LENGTH = 16;
        private static final MemorySegment PACKET = Arena.global().allocate(LENGTH, Long.BYTES);
        private static final MemorySegment RING = ring(CAPACITY);
        private static final PacketBuffer RECEIVED = PacketBuffer.withoutIcrc();

        private final Meeting start = new Meeting();
        private final Meeting end = new Meeting();
        private RingReader reader = new RingReader(RING, PORT, SOURCES, 2);
        private volatile boolean done;

        /** The sender and the reader. */
        @Actor
        public void readsWhatItWrites() {
            RING.fill((byte) 0);
            RingWriter writer = new RingWriter(RING);
            reader = new RingReader(RING, PORT, SOURCES, 2);
            start.await();
            for (int i = 0; i < RECORDS; i++) {
                boolean _ = writer.write(0, 0, PACKET, LENGTH);
                writer.publishTail();
                int _ = reader.poll(RECORDS, (_, _, _, _, _) -> {}, RECEIVED);
            }
            done = true;
            end.awaitWithoutPause();
        }

        /** The thread that checks rings. */
        @Actor
        public void looks(Z_Result r) {
            start.await();
            while (!done) {
                r.r1 |= reader.isStalled();
            }
            end.awaitWithoutPause();
        }
    }
}
