package io.rdmarpc.verbs;

import org.jspecify.annotations.Nullable;

/**
 * Something that happened outside of work requests ({@code struct ibv_async_event}).
 *
 * @param type what
 * @param deviceName the device it happened on
 * @param portNumber the port it is about, 0 when it is not about one
 * @param queuePair the queue pair it is about, or null
 * @param completionQueue the completion queue it is about, or null
 * @param sharedReceiveQueue the shared receive queue it is about, or null
 */
public record AsyncEvent(
        AsyncEventType type,
        String deviceName,
        int portNumber,
        @Nullable QueuePair queuePair,
        @Nullable CompletionQueue completionQueue,
        @Nullable SharedReceiveQueue sharedReceiveQueue) {

    /**
     * Makes an event about the device.
     *
     * @param type what
     * @param deviceName the device
     * @return the event
     */
    public static AsyncEvent ofDevice(AsyncEventType type, String deviceName) {
        return new AsyncEvent(type, deviceName, 0, null, null, null);
    }

    /**
     * Makes an event about a port.
     *
     * @param type what
     * @param deviceName the device
     * @param portNumber from 1
     * @return the event
     */
    public static AsyncEvent ofPort(AsyncEventType type, String deviceName, int portNumber) {
        return new AsyncEvent(type, deviceName, portNumber, null, null, null);
    }
}
