package io.rdmarpc.service.server.call;

import io.rdmarpc.rpc.message.InboundMessage;
import java.lang.foreign.MemorySegment;

/** A message without its leading metadata. */
record MessageTail(InboundMessage message, int from) implements InboundMessage {

    @Override
    public MemorySegment payload() {
        return message.payload().asSlice(from);
    }

    @Override
    public MemorySegment memory() {
        return message.memory();
    }

    @Override
    public long offset() {
        return message.offset() + from;
    }

    @Override
    public int length() {
        return message.length() - from;
    }

    @Override
    public void close() {
        message.close();
    }
}
