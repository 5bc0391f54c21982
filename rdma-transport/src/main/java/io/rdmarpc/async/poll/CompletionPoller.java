package io.rdmarpc.async.poll;

/** Keeps a {@link CompletionSource} going until it is stopped. */
public interface CompletionPoller {

    /** What a poller's thread does. */
    void run();

    /** Tells that operations were submitted. Any thread; cheap. */
    void wake();

    /** Makes {@link #run} return soon. */
    void stop();
}
