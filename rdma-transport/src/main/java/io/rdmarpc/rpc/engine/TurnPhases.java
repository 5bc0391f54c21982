package io.rdmarpc.rpc.engine;

import java.util.List;
import java.util.function.LongConsumer;

/**
 * The phases of a turn of the loop, one by one: after a turn has failed each of them runs, whatever the others do. So a fault in
 * one phase keeps neither deadlines from passing nor sessions from ending. Holder of the loop.
 */
final class TurnPhases {

    private final List<LongConsumer> phases;

    TurnPhases(LongConsumer... phases) {
        this.phases = List.of(phases);
    }

    void runAll(long nowNanos) {
        for (int i = 0; i < phases.size(); i++) {
            try {
                phases.get(i).accept(nowNanos);
            } catch (Throwable _) {
                // The turn that failed was reported, and the next one meets the same fault in the open.
            }
        }
    }
}
