package io.rdmarpc.benchmarks.load;

/** Asynchronous calls. Each has a slot, which has one call at a time. */
public interface Pipeline extends AutoCloseable {

    /**
     * Begins the call of a slot. Called by the client's thread for the first ones, and from {@link Ends#ended} for others.
     *
     * @param slot from 0
     * @throws Exception if it cannot be begun
     */
    void start(int slot) throws Exception;

    /**
     * Returns whether the client's thread runs the duty cycle by {@link #doWork}.
     *
     * @return false if other threads do
     */
    default boolean isCallerDriven() {
        return false;
    }

    /**
     * Runs a duty cycle.
     *
     * @throws Exception if that fails
     */
    default void doWork() throws Exception {}

    /**
     * Returns whether several threads may report ends at the same time.
     *
     * @return false if one at a time does
     */
    default boolean isConcurrent() {
        return false;
    }

    @Override
    default void close() {}

    /** Notified of the ends of calls. */
    interface Ends {

        /**
         * A call has its response, which was checked. May start the next call of the slot.
         *
         * @param slot its slot
         */
        void ended(int slot);

        /**
         * Something went wrong: the measurement is over.
         *
         * @param reason what
         */
        void failed(Throwable reason);
    }
}
