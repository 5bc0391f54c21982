package io.rdmarpc.remote.notification;

import java.util.List;

/** A source of notifications: one peer's {@link NotificationQueue}. Each method throws if the device fails. */
interface NotificationSource {

    /** Requests an event for the next notification. */
    void arm();

    /** Polls some notifications; returns how many receives completed, 0 for none. Notification thread. */
    int poll(List<NotificationQueue.Notification> into);

    /** Polls all notifications received so far; more may arrive meanwhile. Notification thread. */
    void pollAll(List<NotificationQueue.Notification> into);
}
