package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.ClosingOrder;
import io.rdmarpc.verbs.soft.link.UdpLink;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayName("LT-11: what belongs to a software RNIC closes in any order")
class ClosingOrderTest {

    private static final int ROUNDS = 300;

    /** A failure names the seed of its round as well. */
    private static Random seeds(TestReporter reporter) {
        long seed = System.nanoTime();
        reporter.publishEntry("seed", Long.toString(seed));
        return new Random(seed);
    }

    private static ClosingOrder objects(Arena arena) throws IOException {
        return ClosingOrder.of(
                new SoftContext(new SoftRnic(
                        GidTable.of(List.of(TestNode.LOOPBACK)),
                        UdpLink.open(List.of(TestNode.LOOPBACK), 0),
                        System::nanoTime)),
                arena);
    }

    @Test
    void byOneThread(TestReporter reporter) throws IOException {
        Random seeds = seeds(reporter);
        for (int i = 0; i < ROUNDS; i++) {
            try (Arena arena = Arena.ofShared()) {
                objects(arena).close(seeds.nextLong());
            }
        }
    }

    @Test
    void byTwoThreads(TestReporter reporter) throws Exception {
        Random seeds = seeds(reporter);
        for (int i = 0; i < ROUNDS; i++) {
            try (Arena arena = Arena.ofShared()) {
                objects(arena).closeByTwoThreads(seeds.nextLong());
            }
        }
    }
}
