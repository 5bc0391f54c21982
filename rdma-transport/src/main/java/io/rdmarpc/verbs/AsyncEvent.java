package io.rdmarpc.verbs;

import org.jspecify.annotations.Nullable;

/**
 * An asynchronous event of a device ({@code struct ibv_async_event}).
 *
 * @param type the type of the event
 * @param deviceName the device that reported the event
 * @param portNumber the port that the event concerns, 0 if it concerns no port
 * @param queuePair the queue pair that the event concerns, or null
 * @param completionQueue the completion queue that the event concerns, or null
 * @param sharedReceiveQueue the shared receive queue that the event concerns, or null
 */
public record AsyncEvent(
        AsyncEventType type,
        String deviceName,
        int portNumber,
        @Nullable QueuePair queuePair,
        @Nullable CompletionQueue completionQueue,
        @Nullable SharedReceiveQueue sharedReceiveQueue) {

    /**
     * Creates an event that concerns the whole device.
     *
     * @param type the type of the event
     * @param deviceName the device
     * @return the event
     */
    public static AsyncEvent ofDevice(AsyncEventType type, String deviceName) {
        return new AsyncEvent(type, deviceName, 0, null, null, null);
    }

    /**
     * Creates an event that concerns a port.
     *
     * @param type the type of the event
     * @param deviceName the device
     * @param portNumber the port, from 1
     * @return the event
     */
    public static AsyncEvent ofPort(AsyncEventType type, String deviceName, int portNumber) {
        return new AsyncEvent(type, deviceName, portNumber, null, null, null);
    }
}
