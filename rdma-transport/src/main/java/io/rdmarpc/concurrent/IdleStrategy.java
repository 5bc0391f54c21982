package io.rdmarpc.concurrent;

/** What a loop does when a round found no work, and how others end its sleep. */
public interface IdleStrategy {

    /**
     * Called by the loop after every round, by one thread at a time. May put that thread to sleep when there was no work;
     * not for longer than the strategy says, since the loop also has timers to look after.
     *
     * @param workCount what the round did, 0 for nothing
     */
    void idle(int workCount);

    /**
     * Tells whether the next round may take longer where it finds nothing, so as to look several times: nobody else waits for
     * this core, as far as is known. By the loop.
     *
     * @return false when the core was offered to others since there was work, or they want it
     */
    default boolean spins() {
        return false;
    }

    /**
     * Ends the loop's sleep, or keeps it from falling asleep. Any thread; cheap while the loop is awake. Call it after the
     * work is published where the loop will find it, by a volatile write or an atomic operation. No wake-up is lost.
     */
    void wake();
}
