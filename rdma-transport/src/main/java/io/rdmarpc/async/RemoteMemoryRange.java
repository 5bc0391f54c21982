package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaExchangeException;
import java.nio.ByteBuffer;

/**
 * A range of a peer's memory, as {@link LocalRegion#remote()} describes it at the peer. It grants no access by itself:
 * the peer's device checks key, range and access flags.
 *
 * <pre>
 *   encoded, 24 bytes, big-endian
 *   byte 0         1          4      8         16       24
 *        version 1  0 (3 B)   rkey   address   length
 * </pre>
 *
 * @param address address of the first byte in the peer's virtual address space
 * @param length length in bytes
 * @param rkey the key for remote access
 */
public record RemoteMemoryRange(long address, long length, int rkey) {

    /** Length of the encoded form. */
    public static final int ENCODED_BYTES = 24;

    private static final int VERSION = 1;
    private static final int HEAD = VERSION << 24;

    /**
     * Checks the range.
     *
     * @param address address of the first byte
     * @param length length in bytes
     * @param rkey the key for remote access
     */
    public RemoteMemoryRange {
        if (length < 0 || Long.compareUnsigned(address + length, address) < 0) {
            throw new IllegalArgumentException("A remote range of " + length + " bytes at 0x"
                    + Long.toHexString(address) + " does not fit into an address space");
        }
    }

    /**
     * Creates a range from values that the peer has sent.
     *
     * @param address address of the first byte
     * @param length length in bytes
     * @param rkey the key for remote access
     * @return the range
     */
    public static RemoteMemoryRange of(long address, long length, int rkey) {
        return new RemoteMemoryRange(address, length, rkey);
    }

    /**
     * Returns a part of the range.
     *
     * @param offset bytes from the start of the range
     * @param bytes the length of the part in bytes
     * @return the part
     * @throws IndexOutOfBoundsException if the part is not inside the range
     */
    public RemoteMemoryRange slice(long offset, long bytes) {
        if (offset < 0 || bytes < 0 || offset > length - bytes) {
            throw new IndexOutOfBoundsException("Bytes " + offset + " to " + (offset + bytes)
                    + " are outside a remote range of " + length + " bytes");
        }
        return new RemoteMemoryRange(address + offset, bytes, rkey);
    }

    /**
     * Encodes the range, to be sent to the process that will use it.
     *
     * @return {@value #ENCODED_BYTES} bytes
     */
    public byte[] encode() {
        return ByteBuffer.allocate(ENCODED_BYTES)
                .putInt(HEAD)
                .putInt(rkey)
                .putLong(address)
                .putLong(length)
                .array();
    }

    /**
     * Decodes bytes from {@link #encode}.
     *
     * @param bytes exactly {@value #ENCODED_BYTES}
     * @return the range
     * @throws RdmaExchangeException if the bytes are not an encoded range
     */
    public static RemoteMemoryRange decode(byte[] bytes) {
        if (bytes.length != ENCODED_BYTES) {
            throw badBytes("it has " + bytes.length + " bytes, not " + ENCODED_BYTES);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        if (buffer.getInt() != HEAD) {
            throw badBytes("it does not start with version " + VERSION);
        }
        int rkey = buffer.getInt();
        try {
            return new RemoteMemoryRange(buffer.getLong(), buffer.getLong(), rkey);
        } catch (IllegalArgumentException e) {
            throw badBytes(String.valueOf(e.getMessage()));
        }
    }

    private static RdmaExchangeException badBytes(String problem) {
        return new RdmaExchangeException(
                RdmaExchangeException.Reason.BAD_BYTES,
                "This is not an encoded remote range: " + problem + ". Use all bytes of RemoteMemoryRange.encode()",
                null);
    }

    /** Omits the address and the key: a process that knows them and reaches the peer can use its memory. */
    @Override
    public String toString() {
        return "a range of " + length + " bytes of a peer's memory";
    }
}
