package io.rdmarpc.remote.notification;

import java.util.List;

/** Where notices come from: one peer's {@link NotificationQueue}. Its device may fail in each of these. */
interface NotificationSource {

    /** Asks for an event with the next notice. */
    void arm();

    /** Takes some of what has come; returns how much there was, 0 for nothing. Notices thread. */
    int poll(List<NotificationQueue.Notification> into);

    /** Takes all that has come by now; more may come meanwhile. Notices thread. */
    void pollAll(List<NotificationQueue.Notification> into);
}
