package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.rpc.message.InboundMessage;
import java.lang.foreign.MemorySegment;

/** A small message outside the receive ring. The engine makes such a copy if readers hold too many ring entries. */
public record CopiedMessage(MemorySegment payload) implements InboundMessage {

    @Override
    public int length() {
        return (int) payload.byteSize();
    }

    @Override
    public void close() {
        // The garbage collector frees the copy.
    }
}
