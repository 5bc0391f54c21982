package io.rdmarpc.concurrent;

/** Spins and never sleeps: the lowest latency at the cost of a whole processor. */
public final class BusySpinIdleStrategy implements IdleStrategy {

    /** Creates the strategy, which has no state. */
    public BusySpinIdleStrategy() {}

    @Override
    public void idle(int workCount) {
        if (workCount == 0) {
            Thread.onSpinWait();
        }
    }

    @Override
    public boolean spins() {
        return true;
    }

    @Override
    public void wake() {
        // A loop that spins never sleeps.
    }
}
