package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.soft.shm.HostLink;
import io.rdmarpc.verbs.soft.shm.SharedDirectory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/** Repeats the tests of the protocol with packets in shared memory. */
class OverSharedMemoryTest {

    private static SharedDirectory directory;
    private static final List<HostLink> LINKS = new ArrayList<>();

    @BeforeAll
    static void useSharedMemory() throws IOException {
        directory = SharedDirectory.create();
        TestNode.wrapLinks(link -> {
            HostLink wrapped = directory.around(link, TestNode.LOOPBACK);
            LINKS.add(wrapped);
            return wrapped;
        });
    }

    @AfterAll
    static void checkNothingIsLeft() throws IOException {
        TestNode.wrapLinks(UnaryOperator.identity());
        long sent = LINKS.stream().mapToLong(link -> link.counters().sent()).sum();
        long received =
                LINKS.stream().mapToLong(link -> link.counters().received()).sum();
        assertThat(directory.files()).isEmpty();
        directory.close();
        // Some packets were sent just before the end of a test and not received.
        assertThat(received).isGreaterThan(1000).isLessThanOrEqualTo(sent);
        LINKS.clear();
    }

    @Nested
    class Datagrams extends DatagramTest {}

    @Nested
    class Messages extends MessageTest {}

    @Nested
    class MessageFailures extends MessageFailureTest {}

    @Nested
    class Reads extends ReadTest {}

    @Nested
    class ReadFailures extends ReadFailureTest {}

    @Nested
    class Atomics extends AtomicTest {}

    @Nested
    class SharedReceives extends SharedReceiveTest {}

    @Nested
    class NotReady extends NotReadyTest {}

    @Nested
    class UnreliableConnections extends UnreliableConnectionTest {}

    @Nested
    class States extends QueuePairStateTest {}

    @Nested
    class Draining extends QueuePairDrainTest {}

    @Nested
    class Closing extends ClosingOrderTest {}

    @Nested
    class ManyOperations extends ProtocolPropertyTest {}
}
