package io.rdmarpc.memory;

import io.rdmarpc.rpc.message.MessageAllocator;
import java.lang.foreign.Arena;

/** Gives the same block for each message, for those who measure; the last message must be closed. */
public final class OneBuffer implements MessageAllocator {

    private static final int BYTES = 64 << 10;

    private final Block block = new Block();

    private static final class Block extends RegisteredBlock {

        Block() {
            super(Arena.ofAuto().allocate(BYTES, 64), 0, 0, 0);
        }

        @Override
        void reclaim() {
            // Used again at once.
        }
    }

    @Override
    public MessageBuffer allocate(int capacityBytes) {
        block.handOut();
        return MessageBuffer.of(block, 0);
    }

    @Override
    public int maxPacketPayload() {
        return 4064;
    }

    @Override
    public int maxMessageBytes() {
        return BYTES;
    }
}
