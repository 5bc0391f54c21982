package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.StopPoint;
import io.rdmarpc.verbs.soft.samehost.MappedWrite;
import io.rdmarpc.verbs.soft.shm.SharedDirectory;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * {@code kill -9} of a process that READs and WRITEs through shared memory, and is the target of the same. The
 * requests of this process fail in bounded time with the right status, traffic with other peers continues, and no files
 * or mappings remain. More kills: {@code -Drdma.test.kills=200}.
 */
@Timeout(3600)
@Tag("processes")
class KilledPeerTest {

    private static final int KILLS = Integer.getInteger("rdma.test.kills", 8);
    private static final int BYTES = 1 << 20;
    private static final int PSN = 1;
    private static final int TIMEOUT_EXPONENT = 14;
    private static final long LONGEST_FAILURE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int MAX_REACHES = 80;

    /** The moment at which the other process dies. */
    private enum Moment {
        BY_CHANCE,
        BETWEEN_THE_STORES_OF_ITS_RECORD,
        BETWEEN_THE_STORES_OF_OUR_RECORD,
        DURING_ITS_COPY,
        DURING_OUR_COPY
    }

    /** The moments of eight kills. */
    private static final Moment[] MOMENTS = {
        Moment.BY_CHANCE,
        Moment.BETWEEN_THE_STORES_OF_ITS_RECORD,
        Moment.DURING_ITS_COPY,
        Moment.BETWEEN_THE_STORES_OF_OUR_RECORD,
        Moment.BY_CHANCE,
        Moment.BETWEEN_THE_STORES_OF_ITS_RECORD,
        Moment.DURING_OUR_COPY,
        Moment.BY_CHANCE
    };

    private final long seed = TestSeed.next();
    private final SplittableRandom random = new SplittableRandom(seed);
    private final Map<Moment, Integer> done = new EnumMap<>(Moment.class);
    private SharedDirectory directory;
    private TestNode node;
    private TestNode witness;
    private QueuePair toWitness;
    private Memory own;
    private Memory ofWitness;
    private long longestNanos;
    private long sinceNanos;
    private boolean killed;
    private int started;

    /** The memory of one process: one half that peers READ, WRITE and map, one half for its own requests. */
    private record Memory(MemoryRegion lent, MemoryRegion local) {

        static Memory of(TestNode node) {
            MemoryRegion lent = node.domain.registerMemory(
                    node.context.allocateLendable(node.arena, BYTES),
                    EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE));
            Pair.fill(lent.segment(), 3);
            return new Memory(lent, node.register(BYTES, AccessFlag.LOCAL_WRITE));
        }
    }

    /** The remote end of a connection. */
    private record Remote(int port, int qpn, TestNode.Remote memory) {

        static Remote parse(String[] words) {
            return new Remote(
                    Integer.parseInt(words[0]),
                    Integer.parseInt(words[1]),
                    new TestNode.Remote(Long.parseLong(words[2]), Integer.parseInt(words[3])));
        }
    }

    private static String[] words(TestNode node, QueuePair qp, Memory memory) {
        return new String[] {
            Integer.toString(node.port()),
            Integer.toString(qp.number()),
            Long.toString(memory.lent().address()),
            Integer.toString(memory.lent().rkey())
        };
    }

    private static void connect(TestNode node, QueuePair qp, Remote to) {
        node.timeoutExponent = TIMEOUT_EXPONENT;
        qp.modify(node.toInit(node.remoteAccess));
        qp.modify(node.toRtr(node, to.qpn(), PSN)
                .addressVector(AddressHandleAttributes.to(Gid.of(TestNode.LOOPBACK), to.port(), 0, 1)));
        qp.modify(node.toRts(PSN));
    }

    /** Posts a READ, a large WRITE or a small WRITE, in rotation. */
    private static void post(TestNode node, QueuePair qp, Memory from, TestNode.Remote to, int round) {
        switch (round % 3) {
            case 0 -> node.read(qp, round, from.local(), 0, BYTES, to.address(), to.rkey());
            case 1 -> node.message(qp, round, SendOpcode.RDMA_WRITE, from.local(), 0, BYTES, to);
            default -> node.message(qp, round, SendOpcode.RDMA_WRITE, from.local(), 0, 64, to);
        }
    }

    // ---- the other process ----

    /** Exchanges requests until it is killed; prints a line when it has reached the moment of its kill. */
    static final class Peer {

        private Peer() {}

        /**
         * Runs the process.
         *
         * @param args the directory, the stop point or an empty text, the number of passes before it stops, and the
         * remote end
         */
        public static void main(String[] args) throws IOException {
            TestNode node = TestNode.overSharedMemory(SharedDirectory.at(args[0]), 0);
            Memory memory = Memory.of(node);
            QueuePair qp = node.create(QueuePairType.RC);
            Remote to = Remote.parse(Arrays.copyOfRange(args, 3, 7));
            connect(node, qp, to);
            if (!args[1].isEmpty()) {
                stopAt(StopPoint.valueOf(args[1]), Integer.parseInt(args[2]));
            }
            System.out.println(String.join(" ", words(node, qp, memory)));
            for (int round = 0; ProcessHandle.current().parent().isPresent(); round++) {
                post(node, qp, memory, to.memory(), round);
                while (node.next() == null) {
                    Thread.onSpinWait();
                }
            }
        }

        private static void stopAt(StopPoint point, int reaches) {
            int[] left = {reaches};
            point.hook(() -> {
                if (--left[0] <= 0) {
                    System.out.println("stopped");
                    sleepForLong();
                }
            });
        }

        private static void sleepForLong() {
            try {
                Thread.sleep(TimeUnit.HOURS.toMillis(1));
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }
    }

    // ---- this process ----

    @BeforeEach
    void open() throws IOException {
        directory = SharedDirectory.create();
        node = TestNode.overSharedMemory(directory, 0);
        witness = TestNode.overSharedMemory(directory, 0);
        own = Memory.of(node);
        ofWitness = Memory.of(witness);
        toWitness = node.create(QueuePairType.RC);
        TestNode.connect(node, toWitness, witness, witness.create(QueuePairType.RC));
    }

    @AfterEach
    void close() throws IOException {
        forgetStopPoints();
        node.close();
        witness.close();
        directory.close();
    }

    private static void forgetStopPoints() {
        for (StopPoint point : StopPoint.values()) {
            point.hook(null);
        }
    }

    @Test
    void whenPeersAreKilledThenOperationsFailOthersContinueAndNothingIsLeft() throws IOException {
        System.out.println("KilledPeerTest -Drdma.test.kills=" + KILLS);
        for (int i = 0; i < KILLS; i++) {
            Moment moment = momentOf(i);
            do {
                killAt(moment);
                started++;
                exchangeWithWitness();
                awaitLoss(started);
                assertOnlyTheLivingHaveFiles();
            } while (!killed);
            done.merge(moment, 1, Integer::sum);
        }
        System.out.println(String.format(
                Locale.ROOT, "KilledPeerTest kills: %s, longest until failure %,d us", done, longestNanos / 1000));
        leaveNothing();
    }

    /** Its first READ is copied, in pieces, before its first WRITE. */
    @Test
    void whenPeerDiesWhileItCopiesIntoMemoryThenTheMemoryIsRevokedAtOnce() throws IOException {
        assumeTrue(NativeAccess.isGranted(), "memory is passed with native access");
        QueuePair qp = node.create(QueuePairType.RC);
        int inItsWrite = BYTES / MappedWrite.PIECE_BYTES + 3;
        try (ChildJvm child = start(qp, StopPoint.IN_COPY.name(), inItsWrite)) {
            connect(node, qp, Remote.parse(child.line().split(" ", -1)));
            while (!child.hasLine()) {
                node.progress();
            }
            child.kill();
        }
        own.lent().close();
        assertThat(node.shared().overduePins()).as("waited for the dead peer").isZero();
        exchangeWithWitness();
    }

    /** The peer is frozen, as by a debugger. The memory is kept as long as the peer could continue. */
    @Test
    void whenPeerStopsWhileItCopiesIntoMemoryThenTheMemoryIsKeptUntilThePeerIsDead() throws IOException {
        assumeTrue(NativeAccess.isGranted(), "memory is passed with native access");
        QueuePair qp = node.create(QueuePairType.RC);
        int inItsWrite = BYTES / MappedWrite.PIECE_BYTES + 3;
        try (ChildJvm child = start(qp, StopPoint.IN_COPY.name(), inItsWrite)) {
            connect(node, qp, Remote.parse(child.line().split(" ", -1)));
            while (!child.hasLine()) {
                node.progress();
            }
            assertThat(closeFails()).isTrue();
            exchangeWithWitness();
            assertThat(closeFails()).isTrue();
            child.kill();
        }
        pollUntil("the dead peer is found", () -> !closeFails());
        assertThat(node.shared().overduePins()).isOne();
    }

    private boolean closeFails() {
        try {
            own.lent().close();
            return false;
        } catch (RdmaVerbsException e) {
            assertThat(e.errno()).isEqualTo(Errno.EBUSY);
            return true;
        }
    }

    private ChildJvm start(QueuePair qp, String stop, int reaches) throws IOException {
        String[] self = words(node, qp, own);
        return ChildJvm.start(
                Peer.class,
                directory.path().toString(),
                stop,
                Integer.toString(reaches),
                self[0],
                self[1],
                self[2],
                self[3]);
    }

    private void killAt(Moment moment) throws IOException {
        QueuePair qp = node.create(QueuePairType.RC);
        int reaches = random.nextInt(1, MAX_REACHES);
        String stop = stopOf(moment);
        try (ChildJvm child = start(qp, stop, reaches)) {
            Remote to = Remote.parse(child.line().split(" ", -1));
            connect(node, qp, to);
            killed = false;
            sinceNanos = System.nanoTime();
            prepare(moment, child, reaches);
            runUntilFailure(qp, to, stop, child, System.nanoTime() + random.nextLong(50_000_000));
        } finally {
            forgetStopPoints();
        }
        qp.close();
    }

    /** Returns the moment of a kill; without native access there are no copies. */
    private static Moment momentOf(int kill) {
        Moment moment = MOMENTS[kill % MOMENTS.length];
        boolean inCopy = moment == Moment.DURING_ITS_COPY || moment == Moment.DURING_OUR_COPY;
        return inCopy && !NativeAccess.isGranted() ? Moment.BY_CHANCE : moment;
    }

    private static String stopOf(Moment moment) {
        return switch (moment) {
            case BETWEEN_THE_STORES_OF_ITS_RECORD -> StopPoint.IN_RECORD.name();
            case DURING_ITS_COPY -> StopPoint.IN_COPY.name();
            default -> "";
        };
    }

    private void prepare(Moment moment, ChildJvm child, int reaches) {
        if (moment == Moment.BETWEEN_THE_STORES_OF_OUR_RECORD) {
            killAt(StopPoint.IN_RECORD, child, reaches);
        } else if (moment == Moment.DURING_OUR_COPY) {
            killAt(StopPoint.IN_COPY, child, reaches);
        }
    }

    private void killAt(StopPoint point, ChildJvm child, int reaches) {
        int[] left = {reaches};
        point.hook(() -> {
            if (--left[0] == 0) {
                kill(child);
                point.hook(null);
            }
        });
    }

    private void kill(ChildJvm child) {
        killed = true;
        child.kill();
        sinceNanos = System.nanoTime();
    }

    /**
     * Runs operations until one fails as with a silent peer. A peer that is too busy to respond may look the same
     * before its moment has come; the operation is then repeated.
     */
    private void runUntilFailure(QueuePair qp, Remote to, String stop, ChildJvm child, long killNanos)
            throws IOException {
        TestNode.Completion completion;
        for (int round = 0; ; round++) {
            post(node, qp, own, to.memory(), round);
            do {
                boolean now = stop.isEmpty() ? System.nanoTime() - killNanos > 0 : child.hasLine();
                if (now && !killed) {
                    kill(child);
                }
                completion = node.next();
                assertThat(System.nanoTime() - sinceNanos)
                        .as("seed %d: fails in time", seed)
                        .isLessThan(LONGEST_FAILURE_NANOS);
            } while (completion == null);
            if (completion.status() != CompletionStatus.SUCCESS) {
                assertThat(completion.status()).isEqualTo(CompletionStatus.RETRY_EXC_ERR);
                longestNanos = Math.max(longestNanos, System.nanoTime() - sinceNanos);
                return;
            }
        }
    }

    private void exchangeWithWitness() {
        long throughMemory = node.shared().sent();
        Pair.fill(own.local().segment(), random.nextLong());
        node.message(
                toWitness, 1, SendOpcode.RDMA_WRITE, own.local(), 0, BYTES, TestNode.Remote.of(ofWitness.lent(), 0));
        pollUntil("the witness responds", () -> isSuccess(node.next()));
        assertThat(ofWitness.lent().segment().mismatch(own.local().segment())).isEqualTo(-1);
        assertThat(node.shared().sent()).isGreaterThan(throughMemory);
    }

    private static boolean isSuccess(TestNode.Completion completion) {
        if (completion != null) {
            assertThat(completion.status()).isEqualTo(CompletionStatus.SUCCESS);
        }
        return completion != null;
    }

    private void awaitLoss(int peers) {
        pollUntil("the dead peers are found", () -> {
            node.progress();
            return node.shared().lostPeers() >= peers;
        });
    }

    private void pollUntil(String what, BooleanSupplier condition) {
        long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            witness.progress();
            assertThat(System.nanoTime() - start).as("seed %d: %s", seed, what).isLessThan(LONGEST_FAILURE_NANOS);
        }
    }

    private void assertOnlyTheLivingHaveFiles() throws IOException {
        assertThat(directory.files().stream().filter(Files::isDirectory))
                .as("the base and two inboxes")
                .hasSize(3);
    }

    private void leaveNothing() throws IOException {
        node.close();
        witness.close();
        node = TestNode.overSharedMemory(directory, 0);
        witness = TestNode.overSharedMemory(directory, 0);
        node.context.close();
        witness.context.close();
        assertThat(directory.files()).isEmpty();
    }
}
