package io.rdmarpc.service.observation;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.rpc.stats.EngineSnapshot;
import java.util.function.ToDoubleFunction;

/** Reads a value of the event loop of one engine. */
enum LoopReading {
    CYCLES,
    BUSY_SECONDS,
    IDLE_SECONDS,
    CYCLE_AGE_SECONDS;

    private static final double NANOS = SECONDS.toNanos(1);

    /** Reads the value of the engine whose event loop runs on this thread; 0 if the engine is closed. */
    ToDoubleFunction<RdmaRuntime> of(String thread) {
        return runtime -> {
            double sum = 0;
            for (EngineSnapshot engine : runtime.engineSnapshots()) {
                if (engine.thread().equals(thread)) {
                    sum += of(engine);
                }
            }
            return sum;
        };
    }

    private double of(EngineSnapshot engine) {
        return switch (this) {
            case CYCLES -> engine.engine().loopIterations();
            case BUSY_SECONDS -> engine.traffic().busyNanos() / NANOS;
            case IDLE_SECONDS ->
                Math.max(0, engine.traffic().cycleNanos() - engine.traffic().busyNanos()) / NANOS;
            case CYCLE_AGE_SECONDS -> engine.sinceLastCycle().toNanos() / NANOS;
        };
    }
}
