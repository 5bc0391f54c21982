package io.rdmarpc.remote.lease;

/** Told when a peer has written and says so, in the order of its writes. */
@FunctionalInterface
public interface WriteListener {

    /**
     * The bytes are there. Runs on a thread that all listeners share: it must be short. A peer whose notices are not taken
     * in time is held up, and after half a second loses its connection.
     *
     * @param notice what was written; its memory is valid as long as the region is lent
     */
    void onWrite(WriteNotification notice);
}
