package io.rdmarpc.docs;

import io.rdmarpc.rpc.runtime.EngineInvoker;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** A thread that runs the engines instead of the polling threads while it makes many calls. */
final class InvokerLoop {

    private InvokerLoop() {}

    /** Starts calls and processes their responses, all on the calling thread. */
    static void run(RdmaRuntime runtime, BooleanSupplier beginsCalls) {
        try (EngineInvoker invoker = runtime.invoker(Duration.ofSeconds(1))) {
            while (beginsCalls.getAsBoolean()) {
                if (invoker.invoke() == 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }
}
