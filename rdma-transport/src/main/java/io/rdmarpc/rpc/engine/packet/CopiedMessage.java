package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.rpc.message.InboundMessage;
import java.lang.foreign.MemorySegment;

/** A small message outside the receive ring: made when too many ring entries are still being read. */
public record CopiedMessage(MemorySegment payload) implements InboundMessage {

    @Override
    public int length() {
        return (int) payload.byteSize();
    }

    @Override
    public void close() {
        // Garbage collected: nothing to give back.
    }
}
