package io.rdmarpc.async.poll;

/** Polls a {@link CompletionSource} until it is stopped. */
public interface CompletionPoller {

    /** Runs the poller on the polling thread until {@link #stop}. */
    void run();

    /** Notifies the poller that operations were submitted. Any thread; cheap. */
    void wake();

    /** Makes {@link #run} return soon. */
    void stop();
}
