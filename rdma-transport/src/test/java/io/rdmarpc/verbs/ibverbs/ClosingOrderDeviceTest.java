package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import io.rdmarpc.verbs.ClosingOrder;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(300)
@DisplayName("LT-11: the objects of a device close in any order")
class ClosingOrderDeviceTest {

    private static final int ROUNDS = Integer.getInteger("rdma.test.permutations", 30);

    /** Adds the seed of the round to a failure. */
    private static Random seeds() {
        return new Random(TestSeed.next());
    }

    private static RdmaContext open() {
        return new IbverbsProvider().devices(Map.of()).getFirst().open();
    }

    @Test
    void shouldCloseInAnyOrderByOneThread() {
        Random seeds = seeds();
        for (int i = 0; i < ROUNDS; i++) {
            try (Arena arena = Arena.ofShared()) {
                ClosingOrder.of(open(), arena).close(seeds.nextLong());
            }
        }
    }

    @Test
    void shouldCloseInAnyOrderByTwoThreads() throws Exception {
        Random seeds = seeds();
        for (int i = 0; i < ROUNDS; i++) {
            try (Arena arena = Arena.ofShared()) {
                ClosingOrder.of(open(), arena).closeByTwoThreads(seeds.nextLong());
            }
        }
    }

    /** Meanwhile a third thread waits for completions, and a listener receives events. */
    @Test
    void shouldCloseInAnyOrderWhileOtherThreadsWait() throws Exception {
        Random seeds = seeds();
        for (int i = 0; i < ROUNDS; i++) {
            RdmaContext context = open();
            CompletionChannel channel = context.createCompletionChannel();
            context.onAsyncEvent(event -> {});
            FutureTask<Integer> waiting = new FutureTask<>(() -> awaitUntilClosed(channel));
            Thread.ofPlatform().daemon().start(waiting);
            try (Arena arena = Arena.ofShared()) {
                ClosingOrder.of(context, arena).closeByTwoThreads(seeds.nextLong());
            }
            assertThat(waiting.get(30, TimeUnit.SECONDS)).isZero();
        }
    }

    private static int awaitUntilClosed(CompletionChannel channel) {
        int events = 0;
        try {
            while (events == 0) {
                events = channel.await(Duration.ofSeconds(60));
            }
        } catch (RdmaVerbsException e) {
            assertThat(e).hasMessageContaining("closed");
        }
        return events;
    }
}
