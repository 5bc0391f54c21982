package io.rdmarpc.benchmarks;

import java.util.Arrays;
import java.util.function.BooleanSupplier;

/**
 * Measures how long it takes to wake a thread: from before the call that wakes it until the sleeping call has returned.
 * Each thread has its own CPU.
 */
public final class WakeUps implements AutoCloseable {

    /** Pause before each wake-up, long enough for the other thread to be asleep. */
    private static final long PAUSE_NANOS = 300_000;

    private final BenchmarkPollTimeout pollTimeout = new BenchmarkPollTimeout("wake-up");
    private final BooleanSupplier sleep;
    private final Runnable wake;
    private final Thread sleeper;
    private volatile boolean ended;
    private volatile int sleeps;
    private volatile int wakes;
    private volatile long wokenAt;

    /**
     * Starts the sleeping thread. The caller of this constructor is the waking thread.
     *
     * @param sleep sleeps until it is woken; returns false after a spurious wake-up
     * @param wake ends one sleep
     */
    public WakeUps(BooleanSupplier sleep, Runnable wake) {
        this.sleep = sleep;
        this.wake = wake;
        Cpus.pin(0);
        sleeper = Thread.ofPlatform().daemon().name("sleeper").start(this::sleepRepeatedly);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // only one thread writes
    private void sleepRepeatedly() {
        Cpus.pin(1);
        while (!ended) {
            sleeps = wakes + 1;
            if (sleep.getAsBoolean()) {
                wokenAt = System.nanoTime();
                wakes++;
            }
        }
    }

    /**
     * Wakes the sleeping thread repeatedly.
     *
     * @param times number of wake-ups
     * @return the median in microseconds
     */
    public double medianMicros(int times) {
        long[] nanos = new long[times];
        for (int i = 0; i < times; i++) {
            nanos[i] = wakeOnce();
        }
        Arrays.sort(nanos);
        return (nanos[(times - 1) / 2] + nanos[times / 2]) / 2e3;
    }

    private long wakeOnce() {
        int before = wakes;
        while (sleeps <= before) {
            Thread.onSpinWait();
        }
        pause();
        long start = System.nanoTime();
        wake.run();
        while (wakes == before) {
            pollTimeout.check();
        }
        pollTimeout.reset();
        return wokenAt - start;
    }

    private static void pause() {
        long start = System.nanoTime();
        while (System.nanoTime() - start < PAUSE_NANOS) {
            Thread.onSpinWait();
        }
    }

    @Override
    public void close() {
        ended = true;
        wake.run();
        try {
            sleeper.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
