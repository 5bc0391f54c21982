package io.rdmarpc.rpc.engine.transfer;

import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.message.InboundMessage;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** A large message that was READ into registered memory. Closing it frees that memory, from any thread. */
final class ReceivedBlock implements InboundMessage {

    private final RegisteredBlock block;
    private final MemorySegment payload;
    private final AtomicBoolean closed = new AtomicBoolean();

    ReceivedBlock(RegisteredBlock block, int lengthBytes) {
        this.block = block;
        this.payload =
                block.memory().asSlice(block.payloadOffset(), lengthBytes).asReadOnly();
    }

    @Override
    public MemorySegment payload() {
        return payload;
    }

    @Override
    public int length() {
        return (int) payload.byteSize();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            block.free();
        }
    }
}
