package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.Patience;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import picocli.CommandLine.Command;

/**
 * The least that two processes need to tell each other anything: one writes a number into shared memory, the other polls
 * for it and writes it back. Each number has two cache lines of its own, as CPUs fetch them in pairs.
 */
@Command(
        name = "flag-ping-pong",
        description = "shared-memory flag to and fro: half a round trip",
        mixinStandardHelpOptions = true)
final class FlagPingPong extends TwoProcessProbe {

    private static final int BYTES = 4096;
    private static final long THERE = 0;
    private static final long BACK = 128;
    private static final VarHandle FLAG = ValueLayout.JAVA_LONG.varHandle();

    private final Patience patience = new Patience("flag");
    private long last;

    FlagPingPong() {
        super("us", 1_000_000);
    }

    @Override
    void first(Arena arena, SecondProcess peer) throws Exception {
        MemorySegment memory = SharedFile.share(arena, peer, BYTES);
        print(
                peer,
                () -> RoundTrips.halfMicros(iterations(), () -> {
                    FLAG.setRelease(memory, THERE, ++last);
                    await(memory, BACK, last);
                }));
    }

    @Override
    void second(Arena arena, Orders orders) throws IOException, InterruptedException {
        MemorySegment memory = SharedFile.join(arena, orders, BYTES);
        while (true) {
            for (int left = RoundTrips.whole(awaitRun(orders)); left > 0; left--) {
                await(memory, THERE, ++last);
                FLAG.setRelease(memory, BACK, last);
            }
        }
    }

    private void await(MemorySegment memory, long where, long value) {
        while ((long) FLAG.getAcquire(memory, where) != value) {
            patience.spent();
        }
        patience.reset();
    }
}
