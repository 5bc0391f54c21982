package io.rdmarpc.async;

/** The node that local regions are registered with. */
interface RegionOwner {

    /** Runs what may block, on another thread than the polling thread. Any thread. */
    void runSoon(Runnable task);
}
