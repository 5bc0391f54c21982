package io.rdmarpc.async.poll;

/** Polls a {@link CompletionSource} until it is stopped. */
public interface CompletionPoller {

    /** Runs the poller on the polling thread until {@link #stop}. */
    void run();

    /** Notifies the poller that operations were submitted. Cheap. Any thread may call this method. */
    void wake();

    /** Makes {@link #run} return; does not wait for it. */
    void stop();
}
