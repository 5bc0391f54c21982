package io.rdmarpc.benchmarks.load;

/** Calls that are begun without waiting for others. Each has a slot, which has one call at a time. */
public interface Pipeline extends AutoCloseable {

    /**
     * Begins the call of a slot. Called by the client's thread for the first ones, and from {@link Ends#ended} for others.
     *
     * @param slot from 0
     * @throws Exception when it cannot be begun
     */
    void start(int slot) throws Exception;

    /**
     * Tells whether the client's thread moves things on by {@link #turn}.
     *
     * @return false where other threads do
     */
    default boolean isTurned() {
        return false;
    }

    /**
     * Moves things on.
     *
     * @throws Exception when that fails
     */
    default void turn() throws Exception {}

    /**
     * Tells whether several threads may tell of ends at the same time.
     *
     * @return false for one at a time
     */
    default boolean isConcurrent() {
        return false;
    }

    @Override
    default void close() {}

    /** Told of ends. */
    interface Ends {

        /**
         * A call has its answer, which was looked at. May start the next call of the slot.
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
