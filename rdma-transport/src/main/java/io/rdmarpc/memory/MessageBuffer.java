package io.rdmarpc.memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

/**
 * A message in registered memory: what is written here goes out without being copied. It has one owner at a time.
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
 * <p>Both ends are final: everything but {@link #isOpen()} then throws {@link RdmaBufferStateException}. A buffer handed
 * over is closed by the engine. {@code close} and {@code take} may race from different threads, one of them wins; the
 * content is for one thread at a time.
 *
 * <p>Views got before the end must not be used after it: their memory may hold someone else's message by then. That is a
 * bug but cannot crash the JVM; when the memory was given back to the operating system such a view throws
 * {@link IllegalStateException}.
 */
public final class MessageBuffer implements AutoCloseable {

    private static final int OPEN = 0;
    private static final int CLOSED = 1;
    private static final int TAKEN = 2;
    private static final VarHandle STATE = varHandle();

    private RegisteredBlock block;
    /** {@link #OPEN} at first, which is not written: that would cost a fence. */
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
     * Makes the handle for a block; for the engine.
     *
     * @param block the block, which the handle owns from now on
     * @param length bytes of the message already in it, 0 up to its capacity
     * @return an open buffer
     */
    public static MessageBuffer of(RegisteredBlock block, int length) {
        checkLength(length, block.capacityBytes());
        return new MessageBuffer(block, length);
    }

    /**
     * Makes the handle for a message that was received: it is read in place, and may be sent on, which copies it once.
     *
     * @param received a view of the message
     * @param letGo gives the memory back; runs once, when this buffer is closed or was sent on
     * @return an open buffer whose length is its capacity, for reading if the view is
     */
    public static MessageBuffer received(MemorySegment received, Runnable letGo) {
        return new MessageBuffer(HeldBlock.of(received, letGo), (int) received.byteSize());
    }

    /**
     * Returns the payload's memory. What it holds at first is undefined; in a buffer that came with a call or as its result,
     * it is the message, for reading only.
     *
     * @return a view of {@link #capacity()} bytes, valid while this buffer is open
     */
    public MemorySegment segment() {
        checkOpen();
        block.beforeWriting();
        return metadataBytes == 0 ? block.payload() : block.payload().asSlice(metadataBytes);
    }

    /**
     * Sets bytes aside in front of the payload for a block of metadata. The receiver of a call is told of it by a flag in
     * the header; in answers and streams it is just the message's first bytes. Everything else here is about the payload
     * behind it. Once, before anything is written.
     *
     * @param bytes length of the block, over 0
     * @return a view of that many bytes to be filled, valid while this buffer is open
     * @throws IllegalStateException when there is a payload or a block already
     * @throws IllegalArgumentException when the buffer is shorter
     */
    public MemorySegment metadata(int bytes) {
        checkOpen();
        if (length != 0 || metadataBytes != 0) {
            throw new IllegalStateException("metadata goes in front of everything: set it aside first");
        }
        if (bytes <= 0) {
            throw new IllegalArgumentException("metadata of " + bytes + " bytes: a block has at least one");
        }
        checkLength(bytes, block.capacityBytes());
        block.beforeWriting();
        metadataBytes = bytes;
        return block.payload().asSlice(0, bytes);
    }

    /**
     * Returns how long the metadata is.
     *
     * @return bytes in front of the payload, 0 when there is none
     */
    public int metadataBytes() {
        return metadataBytes;
    }

    /**
     * Returns how much is sent; for the engine.
     *
     * @return bytes of metadata and payload
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
     * Returns how much fits.
     *
     * @return bytes, at least what was asked for
     */
    public int capacity() {
        checkOpen();
        return block.capacityBytes() - metadataBytes;
    }

    /**
     * Returns how long the message is.
     *
     * @return bytes from the start of {@link #segment()}; 0 in a new buffer
     */
    public int length() {
        checkOpen();
        return length;
    }

    /**
     * Says how long the message is; only this much is sent.
     *
     * @param bytes 0 up to {@link #capacity()}
     */
    public void length(int bytes) {
        checkLength(bytes, capacity());
        length = bytes;
    }

    /**
     * Copies a message here, whose length is this buffer's then. A large one is written by whatever stores are cheapest for both
     * ends, which whoever writes to {@link #segment()} cannot choose.
     *
     * @param source where it is, native or on the heap
     * @param sourceOffset its first byte there
     * @param bytes how long it is, 0 up to {@link #capacity()}
     * @throws IndexOutOfBoundsException when it does not lie in the source
     */
    public void copyFrom(MemorySegment source, long sourceOffset, int bytes) {
        checkLength(bytes, capacity());
        block.copyFrom(source, sourceOffset, metadataBytes, bytes);
        length = bytes;
    }

    /**
     * Tells whether this handle still owns its memory. Any thread.
     *
     * @return false once closed or handed to the engine
     */
    public boolean isOpen() {
        return state == OPEN;
    }

    /**
     * Gives the memory back to its pool.
     *
     * @throws RdmaBufferStateException when it was closed before, or handed to the engine, which closes it
     */
    @Override
    public void close() {
        RegisteredBlock owned = block;
        leave(CLOSED);
        owned.free();
    }

    /**
     * Ends this handle and passes its block on; for the engine, which reads {@link #length()} before.
     *
     * @return the block; the caller owns it now and frees it
     * @throws RdmaBufferStateException when it was closed or handed over before
     */
    public RegisteredBlock take() {
        RegisteredBlock owned = block;
        leave(TAKEN);
        return owned;
    }

    /**
     * Opens this handle again, on other memory; for whoever has had it all the time and hands it to nobody else. What is
     * held by others as this handle's last message would else be this one.
     *
     * @param next the block, which the handle owns from now on
     * @throws IllegalStateException when the handle is open
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
