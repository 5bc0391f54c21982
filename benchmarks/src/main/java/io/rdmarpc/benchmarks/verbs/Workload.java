package io.rdmarpc.benchmarks.verbs;

/** What happens on a connection in one run. */
interface Workload {

    /** Before the peer knows of the queue pair: posts the receives. */
    void prepare();

    /** When both queue pairs are connected. Returns the line of the client's report; the server's is not looked at. */
    String run(EndPoint peer, boolean client);
}
