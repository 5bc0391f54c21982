package io.rdmarpc.remote.lease;

/** Receives notifications of a peer's writes, in the order of the writes. */
@FunctionalInterface
public interface WriteListener {

    /**
     * Handles a write whose bytes have arrived. Runs on a thread that all listeners share, so it must be short. If
     * notifications are not handled in time, the peer's writes wait.
     *
     * @param notification the write; its memory is valid as long as the region is lent
     */
    void onWrite(WriteNotification notification);
}
