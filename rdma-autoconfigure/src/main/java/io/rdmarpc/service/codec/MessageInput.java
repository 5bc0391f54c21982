package io.rdmarpc.service.codec;

import io.rdmarpc.rpc.InboundMessage;
import io.rdmarpc.rpc.RdmaMessageTooLargeException;
import java.io.InputStream;
import java.nio.ByteBuffer;

/** A message as it is read, where it arrived. One thread at a time. */
public final class MessageInput {

    private static final ByteBuffer NONE = ByteBuffer.allocate(0).asReadOnlyBuffer();

    private final int mostBytes;
    private final InputStream stream = new BufferStream();
    private ByteBuffer buffer = NONE;

    MessageInput(int mostBytes) {
        this.mostBytes = mostBytes;
    }

    /** Starts to read a message, behind bytes at its front that are someone else's. */
    void begin(InboundMessage message, int offset) {
        int length = message.length() - offset;
        if (offset < 0 || length < 0) {
            throw new IllegalArgumentException(
                    "a message of " + message.length() + " bytes cannot be read from " + offset);
        }
        if (length > mostBytes) {
            throw new RdmaMessageTooLargeException("a message of " + length + " bytes arrived: " + mostBytes
                    + " is the limit here; raise rdma.serialization.max-bytes, or send less");
        }
        buffer = message.payload().asByteBuffer().position(offset);
    }

    /** Lets go of the message's memory. */
    void letGo() {
        buffer = NONE;
    }

    /**
     * Returns where to read: big-endian, from its position to its limit. The bytes before its position are not the
     * message's.
     *
     * @return a read-only view, valid until the message was read
     */
    public ByteBuffer buffer() {
        return buffer;
    }

    /**
     * Returns how much is left.
     *
     * @return bytes after the buffer's position
     */
    public int remaining() {
        return buffer.remaining();
    }

    /**
     * Returns the rest as a stream, for those who read from one.
     *
     * @return a stream that ends with the message and whose close does nothing
     */
    public InputStream stream() {
        return stream;
    }

    private final class BufferStream extends InputStream {

        @Override
        public int read() {
            return buffer.hasRemaining() ? buffer.get() & 0xFF : -1;
        }

        @Override
        public int read(byte[] bytes, int offset, int count) {
            if (count == 0) {
                return 0;
            }
            int some = Math.min(count, buffer.remaining());
            if (some == 0) {
                return -1;
            }
            buffer.get(bytes, offset, some);
            return some;
        }

        @Override
        public int available() {
            return buffer.remaining();
        }
    }
}
