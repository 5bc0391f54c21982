package io.rdmarpc.service;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.TestBuffers;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.message.MessageAllocator;

/** Allocates without an engine; what a session, a request and a stream of tests have in common. */
class TestAllocator implements MessageAllocator {

    private final TestBuffers buffers;
    private final int most;

    TestAllocator(TestBuffers buffers, int most) {
        this.buffers = buffers;
        this.most = most;
    }

    @Override
    public final MessageBuffer allocate(int capacityBytes) {
        if (capacityBytes > most) {
            throw new RdmaMessageTooLargeException(capacityBytes + " of " + most);
        }
        return buffers.allocate(capacityBytes);
    }

    @Override
    public final int maxPacketPayload() {
        return Math.min(most, Messages.PACKET);
    }

    @Override
    public final int maxMessageBytes() {
        return most;
    }
}
