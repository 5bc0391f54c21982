package io.rdmarpc.service;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.TestBuffers;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.message.MessageAllocator;

/** Allocates without an engine; the common part of sessions, requests and streams in tests. */
class TestAllocator implements MessageAllocator {

    private final TestBuffers buffers;
    private final int limit;

    TestAllocator(TestBuffers buffers, int limit) {
        this.buffers = buffers;
        this.limit = limit;
    }

    @Override
    public MessageBuffer allocate(int capacityBytes) {
        if (capacityBytes > limit) {
            throw new RdmaMessageTooLargeException(capacityBytes + " of " + limit);
        }
        return buffers.allocate(capacityBytes);
    }

    @Override
    public final int maxPacketPayload() {
        return Math.min(limit, Messages.PACKET);
    }

    @Override
    public final int maxMessageBytes() {
        return limit;
    }
}
