package io.rdmarpc.benchmarks.load;

/** A way to make calls between two processes, set as its authors recommend. */
public interface Contestant {

    /**
     * Tells how calls are made.
     *
     * @param payload what travels
     * @param callers who calls
     * @return API, dispatch, and who polls
     */
    CallMode mode(Payload payload, Callers callers);

    /**
     * Starts the server, in a process of its own.
     *
     * @return the server
     * @throws Exception when it cannot
     */
    Server serve() throws Exception;

    /**
     * Connects a client, in another process.
     *
     * @param address what {@link Server#address} says
     * @return the client
     * @throws Exception when it cannot
     */
    Client connect(String address) throws Exception;

    /** A server: answers bytes with the same bytes and orders with what was accepted. */
    interface Server extends AutoCloseable {

        /**
         * Tells where it is.
         *
         * @return one word
         */
        String address();

        @Override
        void close();
    }

    /** A client. Makes callers that wait, or a pipeline, or both. */
    interface Client extends AutoCloseable {

        /**
         * Makes a caller that waits, for one thread, which need not be the one that makes it.
         *
         * @param payload what it sends
         * @return the caller
         */
        default Caller caller(Payload payload) {
            throw new UnsupportedOperationException("has no calls that are waited for");
        }

        /**
         * Makes calls that are not waited for.
         *
         * @param payload what they send
         * @param outstanding how many at a time
         * @param ends told of each end
         * @return the pipeline
         */
        default Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends ends) {
            throw new UnsupportedOperationException("has no calls that are not waited for");
        }

        @Override
        void close();
    }

    /** A thread's calls. */
    interface Caller extends AutoCloseable {

        /**
         * Makes a call, waits for its answer and looks at it.
         *
         * @throws Exception when it fails
         */
        void call() throws Exception;

        @Override
        default void close() {}
    }
}
