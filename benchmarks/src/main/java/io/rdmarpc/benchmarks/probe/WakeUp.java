package io.rdmarpc.benchmarks.probe;

import io.rdmarpc.benchmarks.Cpus;
import io.rdmarpc.benchmarks.Patience;
import io.rdmarpc.benchmarks.probe.ffi.EventDescriptor;
import java.lang.foreign.Arena;
import picocli.CommandLine.Command;

/**
 * How long it takes to wake a thread that sleeps in {@code read} of an {@code eventfd}: from before the write to after the
 * read, in two threads on two CPUs.
 */
@Command(
        name = "eventfd-wake-up",
        description = "from a write to an eventfd to the return of the read that slept in it",
        mixinStandardHelpOptions = true)
final class WakeUp extends Probe {

    /** Long enough for the sleeper to be asleep. */
    private static final long PAUSE_NANOS = 100_000;

    private final Patience patience = new Patience("wake-up");
    private volatile int sleeps;
    private volatile int wakes;
    private volatile long rungAt;
    private volatile long wokenAt;

    WakeUp() {
        super("us", 5_000);
    }

    @Override
    public Integer call() throws Exception {
        try (Arena arena = Arena.ofShared();
                EventDescriptor event = new EventDescriptor(arena)) {
            Thread sleeper = Thread.ofPlatform().daemon().name("sleeper").start(() -> sleepAgainAndAgain(event));
            Cpus.pin(0);
            print(() -> medianMicros(event));
            sleeper.interrupt();
            event.ring();
            sleeper.join();
            return 0;
        }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes each.
    private void sleepAgainAndAgain(EventDescriptor event) {
        Cpus.pin(1);
        while (!Thread.currentThread().isInterrupted()) {
            sleeps++;
            if (event.await()) {
                wokenAt = System.nanoTime();
                wakes++;
            }
        }
    }

    private double medianMicros(EventDescriptor event) {
        double[] micros = new double[iterations()];
        for (int i = 0; i < micros.length; i++) {
            micros[i] = wake(event) / 1e3;
        }
        return new Spread(micros).median();
    }

    private long wake(EventDescriptor event) {
        int before = wakes;
        while (sleeps == before) {
            patience.spent();
        }
        pause();
        rungAt = System.nanoTime();
        event.ring();
        while (wakes == before) {
            patience.spent();
        }
        patience.reset();
        return wokenAt - rungAt;
    }

    private static void pause() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < PAUSE_NANOS) {
            Thread.onSpinWait();
        }
    }
}
