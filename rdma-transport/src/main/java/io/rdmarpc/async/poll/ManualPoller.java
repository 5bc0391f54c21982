package io.rdmarpc.async.poll;

/** Leaves it to the user. */
public final class ManualPoller implements CompletionPoller {

    @Override
    public void run() {
        // There is no thread.
    }

    @Override
    public void wake() {
        // Nobody sleeps.
    }

    @Override
    public void stop() {
        // Nothing runs.
    }
}
