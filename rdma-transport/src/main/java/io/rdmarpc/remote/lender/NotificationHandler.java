package io.rdmarpc.remote.lender;

/** Handles the notifications of one grant. Runs on the notification thread. */
public interface NotificationHandler {

    /**
     * Handles the write of a peer.
     *
     * @param region the region that the peer named
     * @param bytes the number of written bytes
     * @param tag the tag of the peer
     */
    void onNotification(LentRegion region, int bytes, int tag);
}
