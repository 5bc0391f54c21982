package io.rdmarpc.rpc.control;

import io.rdmarpc.rpc.control.limit.ReceiveBudget;

/** An engine as the control side sees it: its parts, the budget of its receive ring, and its load. */
final class ControlEngine {

    /** The load of an engine that always has work. A new session is assumed to add one. */
    static final int FULL_LOAD = 20;

    private final ControlParts parts;
    private final ReceiveBudget budget;
    /** Measured load, plus one for each session that was placed since the measurement. Control thread only. */
    private int load;

    ControlEngine(ControlParts parts) {
        this.parts = parts;
        this.budget = new ReceiveBudget(parts.ud().receiveDepth());
    }

    ControlParts parts() {
        return parts;
    }

    ReceiveBudget budget() {
        return budget;
    }

    int load() {
        return load;
    }

    void measured(double utilization) {
        load = (int) Math.round(utilization * FULL_LOAD);
    }

    void sessionPlaced() {
        load++;
    }
}
