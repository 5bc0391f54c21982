package io.rdmarpc.verbs.soft.progress;

/** The protocol of an RNIC, run step by step. Called under the RNIC's lock. */
public interface Progress {

    /** Receives packets, sends responses and requests, then handles timeouts. Never blocks, never throws. */
    void progress();

    /** Returns whether the last {@link #progress} received or sent packets. */
    boolean hasProgressed();
}
