package io.rdmarpc.service;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.memory.TestBuffers;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.message.MessageAllocator;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Messages without an engine. */
public final class Messages {

    public static final int PACKET = 4064;
    public static final int MOST = 64 << 20;

    private final TestBuffers buffers = new TestBuffers();

    public MessageAllocator allocator() {
        return allocator(MOST);
    }

    public MessageAllocator allocator(int limit) {
        return new TestAllocator(buffers, limit);
    }

    TestBuffers buffers() {
        return buffers;
    }

    /** Number of buffers that were allocated and neither closed nor sent. */
    public int open() {
        return buffers.open();
    }

    /** Returns the bytes of a message that the peer receives. */
    public static byte[] send(MessageBuffer message) {
        int length = message.messageBytes();
        RegisteredBlock block = message.take();
        byte[] bytes = block.payload().asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        block.free();
        return bytes;
    }

    public static Received received(byte... bytes) {
        return new Received(bytes);
    }

    /** A received message. */
    public static final class Received implements InboundMessage {

        private final byte[] bytes;
        private volatile boolean closed;

        Received(byte[] bytes) {
            this.bytes = bytes;
        }

        @Override
        public MemorySegment payload() {
            return MemorySegment.ofArray(bytes).asReadOnly();
        }

        @Override
        public int length() {
            return bytes.length;
        }

        @Override
        public void close() {
            closed = true;
        }

        public boolean isClosed() {
            return closed;
        }
    }
}
