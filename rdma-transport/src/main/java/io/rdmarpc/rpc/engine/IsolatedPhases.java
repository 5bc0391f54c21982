package io.rdmarpc.rpc.engine;

import java.util.List;
import java.util.function.LongConsumer;

/**
 * Runs the steps of a duty cycle one by one after a cycle has failed. Each step runs even if others fail, so that
 * deadlines still expire and sessions can end. Owner of the loop only.
 */
final class IsolatedPhases {

    private final List<LongConsumer> steps;

    IsolatedPhases(LongConsumer... steps) {
        this.steps = List.of(steps);
    }

    void runAll(long nowNanos) {
        for (int i = 0; i < steps.size(); i++) {
            try {
                steps.get(i).accept(nowNanos);
            } catch (Throwable _) {
                // The failed cycle was reported, and the next cycle reports the same fault again.
            }
        }
    }
}
