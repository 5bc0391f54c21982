package io.rdmarpc.async;

/** Keeps a {@link Reaper} going until it is stopped. */
interface Poller {

    /** What a poller's thread does. */
    void run();

    /** Tells that operations were submitted. Any thread; cheap. */
    void wake();

    /** Makes {@link #run} return soon. */
    void stop();
}
