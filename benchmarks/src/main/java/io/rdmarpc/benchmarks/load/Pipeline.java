package io.rdmarpc.benchmarks.load;

/** Asynchronous calls. Each call uses a slot, which has at most one call at a time. */
public interface Pipeline extends AutoCloseable {

    /**
     * Starts the call of a slot. The client's thread calls it for the first calls; {@link Ends#ended} may call it for
     * others.
     *
     * @param slot number of the slot, from 0
     * @throws Exception if the call cannot be started
     */
    void start(int slot) throws Exception;

    /**
     * Returns whether the client's thread runs the duty cycle by {@link #doWork}.
     *
     * @return false if other threads run it
     */
    default boolean isCallerDriven() {
        return false;
    }

    /**
     * Runs a duty cycle.
     *
     * @throws Exception if the duty cycle fails
     */
    default void doWork() throws Exception {}

    /**
     * Returns whether several threads may report ends at the same time.
     *
     * @return false if only one thread at a time reports ends
     */
    default boolean isConcurrent() {
        return false;
    }

    @Override
    default void close() {}

    /** Receives the ends of calls. */
    interface Ends {

        /**
         * Called after a call's response has arrived and was checked. May start the next call of the slot.
         *
         * @param slot number of the slot
         */
        void ended(int slot);

        /**
         * Called after a failure, which ends the measurement.
         *
         * @param reason the failure
         */
        void failed(Throwable reason);
    }
}
