package io.rdmarpc.service.observation;

import static java.util.concurrent.TimeUnit.SECONDS;

import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.rpc.stats.EngineSnapshot;
import java.util.function.ToDoubleFunction;

/** A number that one engine tells of its polling loop. */
enum LoopReading {
    TURNS,
    BUSY_SECONDS,
    IDLE_SECONDS,
    UTILISATION,
    SECONDS_SINCE_LAST_TURN;

    private static final double NANOS = SECONDS.toNanos(1);

    /** Of the engine that this thread turns; 0 when there is none any more. */
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
            case TURNS -> engine.engine().loopIterations();
            case BUSY_SECONDS -> engine.traffic().busyNanos() / NANOS;
            case IDLE_SECONDS ->
                Math.max(0, engine.traffic().turnNanos() - engine.traffic().busyNanos()) / NANOS;
            case UTILISATION -> engine.traffic().utilisation();
            case SECONDS_SINCE_LAST_TURN -> engine.sinceLastTurn().toNanos() / NANOS;
        };
    }
}
