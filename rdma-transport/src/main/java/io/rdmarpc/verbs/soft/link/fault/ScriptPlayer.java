package io.rdmarpc.verbs.soft.link.fault;

import io.rdmarpc.verbs.soft.link.fault.FaultScript.Step;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Counts packets and finds those that the steps of a {@link FaultScript} select. */
final class ScriptPlayer {

    private final List<Step> steps;
    private final long[] counts;

    ScriptPlayer(FaultScript script) {
        this.steps = script.steps();
        this.counts = new long[steps.size()];
    }

    /** Returns the step for a packet to send, or null. Each step has its own count. */
    @Nullable
    Step next(PacketBuffer packet) {
        Step found = null;
        for (int i = 0; i < counts.length; i++) {
            Step step = steps.get(i);
            if (step.kind().matches(packet) && step.hits(++counts[i]) && found == null) {
                found = step;
            }
        }
        return found;
    }
}
