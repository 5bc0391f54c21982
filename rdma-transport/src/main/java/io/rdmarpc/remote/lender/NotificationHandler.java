package io.rdmarpc.remote.lender;

/** Handles the notifications of one grant. Notifications thread. */
public interface NotificationHandler {

    /**
     * A peer has written.
     *
     * @param region where
     * @param bytes how many
     * @param tag what the peer gave with them
     */
    void onNotification(LentRegion region, int bytes, int tag);
}
