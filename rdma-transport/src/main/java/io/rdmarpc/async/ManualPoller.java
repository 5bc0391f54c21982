package io.rdmarpc.async;

/** Leaves it to the user. */
final class ManualPoller implements Poller {

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
