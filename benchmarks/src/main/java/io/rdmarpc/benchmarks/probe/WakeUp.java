package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.WakeUps;
import io.rdmarpc.benchmarks.probe.ffi.EventDescriptor;
import java.lang.foreign.Arena;
import picocli.CommandLine.Command;

/**
 * Measures how long it takes to wake a thread that sleeps in {@code read} of an {@code eventfd}. The time is from
 * before the write until after the read, with two threads on two CPUs.
 */
@Command(
        name = "eventfd-wake-up",
        description = "time from a write to an eventfd until the sleeping read returns",
        mixinStandardHelpOptions = true)
final class WakeUp extends Probe {

    WakeUp() {
        super("us", 2_000);
    }

    @Override
    public Integer call() throws Exception {
        try (Arena arena = Arena.ofShared();
                EventDescriptor event = new EventDescriptor(arena);
                WakeUps wakeUps = new WakeUps(event::await, event::ring)) {
            print(() -> wakeUps.medianMicros(iterations()));
            return 0;
        }
    }
}
