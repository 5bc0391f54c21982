package io.rdmarpc.verbs.soft;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.ClosingOrder;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.port.LocalGidTable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayName("LT-11: the objects of a software RNIC close in any order")
class ClosingOrderTest {

    private static final int ROUNDS = 300;

    /** A failure message has the seed of its round. */
    private static Random seeds() {
        return new Random(TestSeed.next());
    }

    private static ClosingOrder objects(Arena arena) throws IOException {
        return ClosingOrder.of(
                new SoftContext(new SoftRnic(
                        LocalGidTable.of(List.of(TestNode.LOOPBACK)),
                        UdpLink.open(List.of(TestNode.LOOPBACK), 0),
                        System::nanoTime)),
                arena);
    }

    @Test
    void shouldCloseByOneThread() throws IOException {
        Random seeds = seeds();
        for (int i = 0; i < ROUNDS; i++) {
            try (Arena arena = Arena.ofShared()) {
                objects(arena).close(seeds.nextLong());
            }
        }
    }

    @Test
    void shouldCloseByTwoThreads() throws Exception {
        Random seeds = seeds();
        for (int i = 0; i < ROUNDS; i++) {
            try (Arena arena = Arena.ofShared()) {
                objects(arena).closeByTwoThreads(seeds.nextLong());
            }
        }
    }
}
