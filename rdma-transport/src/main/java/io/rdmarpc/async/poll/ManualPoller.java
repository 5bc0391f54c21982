package io.rdmarpc.async.poll;

/** A poller without a thread: the application polls. */
public final class ManualPoller implements CompletionPoller {

    @Override
    public void run() {
        // This poller has no thread.
    }

    @Override
    public void wake() {
        // No thread sleeps.
    }

    @Override
    public void stop() {
        // No thread runs.
    }
}
