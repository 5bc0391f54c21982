package io.rdmarpc.docs;

import io.rdmarpc.rpc.runtime.EngineTurns;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** A thread that takes the engines from the polling threads for as long as it has much to call. */
final class OwnTurns {

    private OwnTurns() {}

    /** Begins calls and takes their answers; nothing is handed from thread to thread. */
    static void run(RdmaRuntime runtime, BooleanSupplier beginsCalls) {
        try (EngineTurns turns = runtime.takeTurns(Duration.ofSeconds(1))) {
            while (beginsCalls.getAsBoolean()) {
                if (turns.turn() == 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }
}
