package io.rdmarpc.concurrent;

/** Decides what a loop does after a cycle without work, and how other threads end its sleep. */
public interface IdleStrategy {

    /**
     * Reacts to a cycle of the loop. The loop calls it after every cycle, on one thread at a time. It may put that
     * thread to sleep if the cycle found no work. It does not sleep longer than the strategy defines, since the loop
     * also has to run timers.
     *
     * @param workCount amount of work that the cycle did, 0 for none
     */
    void idle(int workCount);

    /**
     * Returns whether the next cycle may spin if it finds no work, because no other thread is known to need this core.
     * Called by the loop.
     *
     * @return false if the strategy has yielded the core since the last work, or another thread needs it
     */
    default boolean spins() {
        return false;
    }

    /**
     * Lets the thread that sleeps in this strategy continue to sleep while the calling thread runs the loop. Only the
     * loop's owner calls it.
     *
     * @return true if work of the loop does not end the sleep until {@link #releaseSleep}; {@link #wake} still does.
     *     False if the thread does not sleep, or if the strategy cannot do this
     */
    default boolean holdSleep() {
        return false;
    }

    /** Ends {@link #holdSleep}: work that came meanwhile now ends the sleep. Only the loop's owner calls it. */
    default void releaseSleep() {}

    /**
     * Ends the loop's sleep, or prevents it. Thread-safe, and cheap while the loop is awake. The caller first publishes
     * its work for the loop, with a volatile write or an atomic operation. No wake-up is lost.
     */
    void wake();
}
