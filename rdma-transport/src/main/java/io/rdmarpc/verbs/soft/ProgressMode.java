package io.rdmarpc.verbs.soft;

/** Which threads run a software RNIC. */
public enum ProgressMode {
    /**
     * Threads that poll its completion queues or wait on its completion channels; between their calls the RNIC does
     * nothing.
     */
    OWNER,
    /** A thread of its own as well, so that the RNIC responds to peers while no user thread polls. */
    THREAD
}
