package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.shm.SharedDirectory;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Reliable connections between two processes on one host through shared memory. */
@Timeout(120)
@Tag("processes")
class SharedMemoryProcessesTest {

    private static final int LENGTH = 4 << 20;
    private static final int PSN = 1;

    private SharedDirectory directory;
    private TestNode node;
    private MemoryRegion own;

    @BeforeEach
    void open() throws IOException {
        directory = SharedDirectory.create();
        node = TestNode.overSharedMemory(directory, 0);
        own = Pair.everythingAllowed(node, 2L * LENGTH);
        Pair.fill(own.segment().asSlice(0, LENGTH), 5);
    }

    @AfterEach
    void close() throws IOException {
        node.close();
        directory.close();
    }

    /** The other process: shares its memory, sends back received messages, and polls until it is killed. */
    static final class Target {

        private Target() {}

        /**
         * Runs the process.
         *
         * @param args the directory, the local port, the peer's port and queue pair
         */
        public static void main(String[] args) throws IOException {
            TestNode node = TestNode.overSharedMemory(SharedDirectory.at(args[0]), Integer.parseInt(args[1]));
            MemoryRegion memory = Pair.everythingAllowed(node, LENGTH);
            QueuePair qp = node.create(QueuePairType.RC);
            connect(node, qp, Integer.parseInt(args[2]), Integer.parseInt(args[3]));
            System.out.println(node.port() + " " + qp.number() + " " + memory.address() + " " + memory.rkey());
            while (ProcessHandle.current().parent().isPresent()) {
                for (int i = 0; i < 100_000; i++) {
                    node.progress();
                }
            }
        }
    }

    private static void connect(TestNode node, QueuePair qp, int port, int qpn) {
        qp.modify(node.toInit(node.remoteAccess));
        qp.modify(node.toRtr(node, qpn, PSN)
                .addressVector(AddressHandleAttributes.to(Gid.of(TestNode.LOOPBACK), port, 0, 1)));
        qp.modify(node.toRts(PSN));
    }

    /** A local queue pair and the memory of the connected process. */
    private record Connection(QueuePair qp, int port, TestNode.Remote memory) {}

    private ChildJvm start(int port, QueuePair qp) throws IOException {
        return ChildJvm.start(
                Target.class,
                directory.path().toString(),
                Integer.toString(port),
                Integer.toString(node.port()),
                Integer.toString(qp.number()));
    }

    private Connection connect(ChildJvm child, QueuePair qp) {
        String[] numbers = child.line().split(" ", -1);
        int port = Integer.parseInt(numbers[0]);
        connect(node, qp, port, Integer.parseInt(numbers[1]));
        return new Connection(qp, port, new TestNode.Remote(Long.parseLong(numbers[2]), Integer.parseInt(numbers[3])));
    }

    private void writeAndReadBack(Connection to) {
        own.segment().asSlice(LENGTH).fill((byte) 0);
        node.message(to.qp(), 1, SendOpcode.RDMA_WRITE, own, 0, LENGTH, to.memory());
        assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
        node.read(
                to.qp(),
                2,
                own,
                LENGTH,
                LENGTH,
                to.memory().address(),
                to.memory().rkey());
        assertThat(Pair.status(await())).isEqualTo("SUCCESS (0)");
        MemorySegment memory = own.segment();
        assertThat(memory.asSlice(0, LENGTH).mismatch(memory.asSlice(LENGTH))).isEqualTo(-1);
    }

    private TestNode.Completion await() {
        TestNode.Completion completion;
        do {
            completion = node.next();
        } while (completion == null);
        return completion;
    }

    private void pollUntil(BooleanSupplier done) {
        while (!done.getAsBoolean()) {
            node.progress();
        }
    }

    @Test
    void shouldWriteAndReadBackThroughMemory() throws IOException {
        QueuePair qp = node.create(QueuePairType.RC);
        try (ChildJvm child = start(0, qp)) {
            Connection connection = connect(child, qp);
            writeAndReadBack(connection);
            writeAndReadBack(connection);
            assertThat(node.shared().sent()).isGreaterThan(2 * LENGTH / 4096);
            assertThat(node.shared().received()).isGreaterThan(2 * LENGTH / 4096);
            assertThat(node.counters().received()).isEqualTo(node.shared().received());
        }
    }

    @Test
    void whenPeerIsKilledThenOperationsFailAndItsSuccessorOnThePortIsReachedThroughMemory() throws IOException {
        node.timeoutExponent = 12;
        QueuePair first = node.create(QueuePairType.RC);
        Connection lost;
        try (ChildJvm child = start(0, first)) {
            lost = connect(child, first);
            writeAndReadBack(lost);
        }
        node.read(
                first, 9, own, 0, LENGTH, lost.memory().address(), lost.memory().rkey());
        assertThat(await().status()).isEqualTo(CompletionStatus.RETRY_EXC_ERR);
        pollUntil(() -> node.shared().lostPeers() > 0);

        QueuePair second = node.create(QueuePairType.RC);
        try (ChildJvm child = start(lost.port(), second)) {
            writeAndReadBack(connect(child, second));
        }
        assertThat(node.counters().received()).isEqualTo(node.shared().received());
    }

    @Test
    void whenAllAreKilledThenTheNextStartRemovesTheirFiles() throws IOException {
        QueuePair qp = node.create(QueuePairType.RC);
        try (ChildJvm child = start(0, qp)) {
            writeAndReadBack(connect(child, qp));
        }
        node.close();
        assertThat(directory.files()).isNotEmpty();
        TestNode.overSharedMemory(directory, 0).close();
        assertThat(directory.files()).isEmpty();
        node = TestNode.overSharedMemory(directory, 0);
    }
}
