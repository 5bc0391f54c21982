package io.rdmarpc.benchmarks.load;

/** A library that makes calls between two processes, configured as its authors recommend. */
public interface Contestant {

    /**
     * Returns how calls are made.
     *
     * @param payload payload of requests and responses
     * @param callers kind of the calling threads
     * @return API, dispatch, and polling threads
     */
    CallMode mode(Payload payload, Callers callers);

    /**
     * Starts the server, in a separate process.
     *
     * @return the server
     * @throws Exception if it cannot start
     */
    Server serve() throws Exception;

    /**
     * Connects a client, in another process.
     *
     * @param address the server's {@link Server#address}
     * @return the client
     * @throws Exception if it cannot connect
     */
    Client connect(String address) throws Exception;

    /** A server that returns bytes unchanged and responds to an order request with the accepted order. */
    interface Server extends AutoCloseable {

        /**
         * Returns the address of the server.
         *
         * @return the address, without blanks
         */
        String address();

        @Override
        void close();
    }

    /** A client with blocking callers, asynchronous calls, or both. */
    interface Client extends AutoCloseable {

        /**
         * Creates a blocking caller for one thread, which may differ from the creating thread.
         *
         * @param payload payload of its calls
         * @return the caller
         */
        default Caller caller(Payload payload) {
            throw new UnsupportedOperationException("this peer has no blocking calls");
        }

        /**
         * Creates asynchronous calls.
         *
         * @param payload payload of the calls
         * @param outstanding number of concurrent calls
         * @param ends receives a notification for each end
         * @return the pipeline
         */
        default Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends ends) {
            throw new UnsupportedOperationException("this peer has no asynchronous calls");
        }

        @Override
        void close();
    }

    /** The calls of one thread. */
    interface Caller extends AutoCloseable {

        /**
         * Makes a call, waits for its response and checks it.
         *
         * @throws Exception if the call fails
         */
        void call() throws Exception;

        @Override
        default void close() {}
    }
}
