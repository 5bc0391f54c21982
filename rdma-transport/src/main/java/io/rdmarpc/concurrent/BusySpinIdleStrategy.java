package io.rdmarpc.concurrent;

/** Never sleeps: the shortest reaction for a whole processor. */
public final class BusySpinIdleStrategy implements IdleStrategy {

    /** Creates the strategy; it has no state. */
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
        // It is awake.
    }
}
