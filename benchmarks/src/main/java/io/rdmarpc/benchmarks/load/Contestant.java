package io.rdmarpc.benchmarks.load;

/** A library that makes calls between two processes, configured as its authors recommend. */
public interface Contestant {

    /**
     * Returns how calls are made.
     *
     * @param payload what travels
     * @param callers kind of the calling threads
     * @return API, dispatch, and polling threads
     */
    CallMode mode(Payload payload, Callers callers);

    /**
     * Starts the server, in a process of its own.
     *
     * @return the server
     * @throws Exception if it cannot
     */
    Server serve() throws Exception;

    /**
     * Connects a client, in another process.
     *
     * @param address what {@link Server#address} says
     * @return the client
     * @throws Exception if it cannot
     */
    Client connect(String address) throws Exception;

    /** A server: answers bytes with the same bytes and orders with what was accepted. */
    interface Server extends AutoCloseable {

        /**
         * Returns its address.
         *
         * @return one word
         */
        String address();

        @Override
        void close();
    }

    /** A client, which has blocking callers, asynchronous calls, or both. */
    interface Client extends AutoCloseable {

        /**
         * Creates a blocking caller for one thread, which may be another than the creating one.
         *
         * @param payload what it sends
         * @return the caller
         */
        default Caller caller(Payload payload) {
            throw new UnsupportedOperationException("has no blocking calls");
        }

        /**
         * Creates asynchronous calls.
         *
         * @param payload what they send
         * @param outstanding how many at a time
         * @param ends notified of each end
         * @return the pipeline
         */
        default Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends ends) {
            throw new UnsupportedOperationException("has no asynchronous calls");
        }

        @Override
        void close();
    }

    /** A thread's calls. */
    interface Caller extends AutoCloseable {

        /**
         * Makes a call, waits for its response and checks it.
         *
         * @throws Exception if it fails
         */
        void call() throws Exception;

        @Override
        default void close() {}
    }
}
