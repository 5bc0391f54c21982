package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.soft.shm.SharedDirectory;
import java.io.IOException;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;

/**
 * Repeats the tests of reliable connections between ends that map each other's memory; {@link OverSharedMemoryTest}
 * sends all data in packets. Tests that count the packets of copied data are left out.
 */
class OverMappedMemoryTest {

    private static SharedDirectory directory;

    @BeforeAll
    static void mapMemory() throws IOException {
        assumeTrue(NativeAccess.isGranted(), "memory is passed with native access");
        directory = SharedDirectory.create();
        TestNode.wrapLinks(link -> directory.around(link, TestNode.LOOPBACK));
        TestNode.shareAll(true);
    }

    @AfterAll
    static void checkNothingIsLeft() throws IOException {
        TestNode.wrapLinks(UnaryOperator.identity());
        TestNode.shareAll(false);
        if (directory != null) {
            assertThat(directory.files()).isEmpty();
            directory.close();
        }
    }

    @Nested
    class Messages extends MessageTest {}

    @Nested
    class MessageFailures extends MessageFailureTest {}

    @Nested
    class Reads extends ReadTest {

        @Override
        void shouldServeSmallReadsAlongsideALargeOne() {}
    }

    @Nested
    class ReadFailures extends ReadFailureTest {

        @Override
        void whenPathMtuDiffersThenFails() {}
    }

    @Nested
    class Atomics extends AtomicTest {}

    @Nested
    class NotReady extends NotReadyTest {}

    @Nested
    class States extends QueuePairStateTest {}

    @Nested
    class Draining extends QueuePairDrainTest {}

    @Nested
    class ManyOperations extends ProtocolPropertyTest {}
}
