package io.rdmarpc.benchmarks.verbs;

/** The operations of one run on a connection. */
interface Workload {

    /** Posts the receives before the peer knows the queue pair. */
    void prepare();

    /**
     * Runs after both queue pairs are connected. Returns the line of the client's report; the server's line is ignored.
     */
    String run(EndPoint peer, boolean client);
}
