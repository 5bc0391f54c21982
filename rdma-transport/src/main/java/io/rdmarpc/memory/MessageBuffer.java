package io.rdmarpc.memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * A message in registered memory, which the NIC sends without a copy. It has one owner at a time.
 *
 * <pre>
 *          allocate
 *             |
 *             v       take() (the engine's, on sending)
 *           open ----------------------------------------> handed to the engine
 *             |
 *             | close()
 *             v
 *          closed
 * </pre>
 *
 * <p>Both end states are final: every method except {@link #isOpen()} then throws {@link RdmaBufferStateException}. The
 * engine closes a buffer that it was handed. If different threads call {@code close} and {@code take} concurrently, one
 * of the calls succeeds. Only one thread at a time may access the content.
 *
 * <p>A view must not be used after the end of its buffer, because its memory may then hold another owner's message.
 * Such a use is a bug, but it cannot crash the JVM. If the memory was returned to the operating system, the view throws
 * {@link IllegalStateException}.
 */
public final class MessageBuffer implements AutoCloseable {

    private static final int OPEN = 0;
    private static final int CLOSED = 1;
    private static final int TAKEN = 2;
    private static final VarHandle STATE = varHandle();

    private RegisteredBlock block;
    /** {@link #OPEN} initially, which is not written because that would cost a fence. */
    private volatile int state;

    private int length;
    private int metadataBytes;

    private MessageBuffer(RegisteredBlock block, int length) {
        this.block = block;
        this.length = length;
    }

    private static VarHandle varHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(MessageBuffer.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /**
     * Creates the handle of a block; for the engine.
     *
     * @param block the block, which the handle owns from now on
     * @param length number of message bytes that are already in it, 0 up to its capacity
     * @return an open buffer
     */
    public static MessageBuffer of(RegisteredBlock block, int length) {
        checkLength(length, block.capacityBytes());
        return new MessageBuffer(block, length);
    }

    /**
     * Creates the handle of a received message. The message is read in place. Sending it again copies it once.
     *
     * @param received a view of the message
     * @param release releases the memory; runs once, when this buffer is closed or was sent
     * @return an open buffer whose length is its capacity; read-only if the view is
     */
    public static MessageBuffer received(MemorySegment received, Runnable release) {
        return new MessageBuffer(HeldBlock.of(received, release), (int) received.byteSize());
    }

    /**
     * Returns the payload's memory. Its initial content is undefined. In a buffer that holds a received call or result,
     * it is the message, which must only be read.
     *
     * @return a view of {@link #capacity()} bytes, valid while this buffer is open
     */
    public MemorySegment segment() {
        checkOpen();
        block.beforeWriting();
        return metadataBytes == 0 ? block.payload() : block.payload().asSlice(metadataBytes);
    }

    /**
     * Reserves bytes before the payload for a block of metadata. In a call, a flag in the header indicates the block to
     * the receiver. In responses and streams, the block is simply the first bytes of the message. All other methods of
     * this class refer to the payload after it. Call it once, before anything is written.
     *
     * @param bytes length of the block, above 0
     * @return a view of that many bytes to be filled, valid while this buffer is open
     * @throws IllegalStateException if there is already a payload or a metadata block
     * @throws IllegalArgumentException if the buffer is shorter
     */
    public MemorySegment metadata(int bytes) {
        checkOpen();
        if (length != 0 || metadataBytes != 0) {
            throw new IllegalStateException("the buffer already has a payload or metadata: reserve metadata first");
        }
        if (bytes <= 0) {
            throw new IllegalArgumentException("metadata of " + bytes + " bytes: reserve at least 1");
        }
        checkLength(bytes, block.capacityBytes());
        block.beforeWriting();
        metadataBytes = bytes;
        return block.payload().asSlice(0, bytes);
    }

    /**
     * Returns the length of the metadata.
     *
     * @return number of bytes before the payload, 0 if there is no metadata
     */
    public int metadataBytes() {
        return metadataBytes;
    }

    /**
     * Returns the length of the whole message; for the engine.
     *
     * @return number of bytes of metadata and payload
     */
    public int messageBytes() {
        return metadataBytes + length();
    }

    /**
     * Returns the payload's memory as a direct byte buffer.
     *
     * @return a new big-endian view, position 0, limit {@link #capacity()}, valid while this buffer is open
     */
    public ByteBuffer byteBuffer() {
        return segment().asByteBuffer();
    }

    /**
     * Returns the capacity for the payload.
     *
     * @return a number of bytes, at least as many as were requested
     */
    public int capacity() {
        checkOpen();
        return block.capacityBytes() - metadataBytes;
    }

    /**
     * Returns the length of the payload.
     *
     * @return number of bytes from the start of {@link #segment()}; 0 in a new buffer
     */
    public int length() {
        checkOpen();
        return length;
    }

    /**
     * Sets the length of the payload; only this many bytes are sent.
     *
     * @param bytes number of bytes, 0 up to {@link #capacity()}
     */
    public void length(int bytes) {
        checkLength(bytes, capacity());
        length = bytes;
    }

    /**
     * Copies a payload into this buffer and sets the length to its length. For a large payload the device chooses the
     * store instructions that are cheapest for both peers. Writing to {@link #segment()} does not offer that choice.
     *
     * @param source memory of the payload, native or on the heap
     * @param sourceOffset offset of its first byte there
     * @param bytes its length, 0 up to {@link #capacity()}
     * @throws IndexOutOfBoundsException if the payload does not lie within the source
     */
    public void copyFrom(MemorySegment source, long sourceOffset, int bytes) {
        checkLength(bytes, capacity());
        block.copyFrom(source, sourceOffset, metadataBytes, bytes);
        length = bytes;
    }

    /**
     * Returns whether this handle still owns its memory. Thread-safe.
     *
     * @return false after the buffer was closed or handed to the engine
     */
    public boolean isOpen() {
        return state == OPEN;
    }

    /**
     * Returns the memory to its pool.
     *
     * @throws RdmaBufferStateException if the buffer was closed before, or handed to the engine, which closes it
     */
    @Override
    public void close() {
        RegisteredBlock owned = block;
        leave(CLOSED);
        owned.free();
    }

    /**
     * Ends this handle and passes its block to the caller; for the engine, which reads {@link #length()} before.
     *
     * @return the block, which the caller owns now and frees
     * @throws RdmaBufferStateException if the buffer was closed or handed over before
     */
    public RegisteredBlock take() {
        RegisteredBlock owned = block;
        leave(TAKEN);
        return owned;
    }

    /**
     * Reopens this handle on other memory. The caller must never have shared the handle. Otherwise, code that still
     * holds the handle for its last message would access the next message.
     *
     * @param next the block, which the handle owns from now on
     * @throws IllegalStateException if the handle is open
     */
    public void reopen(RegisteredBlock next) {
        if (state == OPEN) {
            throw new IllegalStateException("the message buffer is open: hand it over or close it first");
        }
        block = next;
        length = 0;
        metadataBytes = 0;
        STATE.setRelease(this, OPEN);
    }

    private void leave(int next) {
        if (!STATE.compareAndSet(this, OPEN, next)) {
            throw spent();
        }
    }

    private void checkOpen() {
        if (state != OPEN) {
            throw spent();
        }
    }

    private RdmaBufferStateException spent() {
        return new RdmaBufferStateException(
                state == CLOSED
                        ? "The message buffer is closed: its memory may belong to another message now."
                        : "The message buffer was handed to the engine by sending it: the engine closes it."
                                + " Allocate a new one for the next message.");
    }

    private static void checkLength(int length, int capacity) {
        if (length < 0 || length > capacity) {
            throw new IllegalArgumentException(
                    "message length of " + length + " bytes: the buffer holds 0 to " + capacity);
        }
    }
}
