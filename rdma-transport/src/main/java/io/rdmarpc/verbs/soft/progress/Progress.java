package io.rdmarpc.verbs.soft.progress;

/** The protocol of a RNIC, moved on step by step. Under the RNIC's lock. */
public interface Progress {

    /** Takes packets, then sends answers and requests, then looks at time-outs. Never blocks, never throws. */
    void progress();

    /** Tells whether the last {@link #progress} took or sent packets. */
    boolean moved();
}
