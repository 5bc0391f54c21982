package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.message.MessageAllocator;
import io.rdmarpc.transport.NicContext;

/** Registered memory for packets as a session provides it, but without a session. */
public final class PacketMemory implements MessageAllocator, AutoCloseable {

    private static final int PAYLOAD_BYTES = 4056;
    private static final int BLOCKS = 64;

    private final NicContext nic;
    private final SlabPool pool;

    private PacketMemory(NicContext nic) {
        this.nic = nic;
        this.pool = new SlabPool(nic.protectionDomain(), new MemoryBudget(1 << 24), PAYLOAD_BYTES, BLOCKS);
    }

    /**
     * Opens a software RNIC and registers memory.
     *
     * @return the memory, which the caller closes
     */
    public static PacketMemory open() {
        return new PacketMemory(NicContext.open(BenchmarkLink.SHARED_MEMORY.nic()));
    }

    @Override
    public MessageBuffer allocate(int capacityBytes) {
        return pool.allocate();
    }

    @Override
    public int maxPacketPayload() {
        return PAYLOAD_BYTES;
    }

    @Override
    public int maxMessageBytes() {
        return PAYLOAD_BYTES;
    }

    @Override
    public void close() {
        pool.close();
        nic.close();
    }
}
