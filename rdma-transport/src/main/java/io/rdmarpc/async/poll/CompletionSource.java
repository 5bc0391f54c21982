package io.rdmarpc.async.poll;

/** What a poller takes completions from: the completion queue of a node. */
public interface CompletionSource {

    /** Takes some completions and completes their futures; returns how many. */
    int reap();

    /** Asks for an event with the next completion; returns an error number. */
    int arm();
}
