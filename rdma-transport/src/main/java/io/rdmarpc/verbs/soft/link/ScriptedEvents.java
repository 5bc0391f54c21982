package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;

/** Told when a {@link io.rdmarpc.verbs.soft.link.fault.FaultScript} wants something to happen to the device that sends a packet. Within {@link PacketLink#send}. */
public interface ScriptedEvents {

    /**
     * It is to happen now.
     *
     * @param type what
     * @param packet the packet that is being sent; its queue pair is meant where one is
     */
    void onEvent(AsyncEventType type, PacketBuffer packet);
}
