package io.rdmarpc.memory;

import java.lang.foreign.Arena;
import java.util.concurrent.atomic.AtomicInteger;

/** Message buffers without a device; counts those that nobody has given back. */
public final class TestBuffers {

    private final AtomicInteger open = new AtomicInteger();

    public MessageBuffer allocate(int capacityBytes) {
        RegisteredBlock block = new RegisteredBlock(Arena.ofAuto().allocate(Math.max(1, capacityBytes), 64), 0, 0, 0) {
            @Override
            void reclaim() {
                open.decrementAndGet();
            }
        };
        block.handOut();
        open.incrementAndGet();
        return MessageBuffer.of(block, 0);
    }

    public int open() {
        return open.get();
    }

    /** As an arena at its limit says it. */
    public static RdmaMemoryExhaustedException noMemoryFor(int bytes) {
        return new RdmaMemoryExhaustedException(bytes, 0, 0, "rdma.memory.max-size");
    }
}
