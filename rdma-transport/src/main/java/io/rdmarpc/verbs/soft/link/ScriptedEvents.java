package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;

/**
 * Listener of the events of a {@link io.rdmarpc.verbs.soft.link.fault.FaultScript}. Called within {@link
 * PacketLink#send}.
 */
public interface ScriptedEvents {

    /**
     * Handles an event that the device has to report.
     *
     * @param type type of the event
     * @param packet the packet that is sent; an event of a queue pair is for its sender
     */
    void onEvent(AsyncEventType type, PacketBuffer packet);
}
