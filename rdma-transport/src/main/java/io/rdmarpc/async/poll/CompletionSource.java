package io.rdmarpc.async.poll;

/** The completion queue of a node, as a poller sees it. */
public interface CompletionSource {

    /** Polls a batch of completions and completes their futures; returns their number. */
    int reap();

    /** Requests an event for the next completion; returns an error number, 0 for success. */
    int arm();
}
