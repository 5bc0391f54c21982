package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaExchangeException;
import java.nio.ByteBuffer;

/**
 * A piece of a peer's memory: what {@link LocalRegion#remote()} describes there. It grants nothing: the peer's device
 * checks key, range and rights.
 *
 * <pre>
 *   encoded, 24 bytes, big-endian
 *   byte 0         1          4      8         16       24
 *        version 1  0 (3 B)   rkey   address   length
 * </pre>
 *
 * @param address first byte, a virtual address of the peer
 * @param length bytes
 * @param rkey the key that opens it
 */
public record RemoteMemoryRange(long address, long length, int rkey) {

    /** Length of the encoded form. */
    public static final int ENCODED_BYTES = 24;

    private static final int VERSION = 1;
    private static final int HEAD = VERSION << 24;

    /**
     * Checks the range.
     *
     * @param address first byte
     * @param length bytes
     * @param rkey the key
     */
    public RemoteMemoryRange {
        if (length < 0 || Long.compareUnsigned(address + length, address) < 0) {
            throw new IllegalArgumentException("a remote region of " + length + " bytes at 0x"
                    + Long.toHexString(address) + " does not fit into an address space");
        }
    }

    /**
     * Makes one by hand from what a peer told.
     *
     * @param address first byte
     * @param length bytes
     * @param rkey the key
     * @return the region
     */
    public static RemoteMemoryRange of(long address, long length, int rkey) {
        return new RemoteMemoryRange(address, length, rkey);
    }

    /**
     * Takes a part.
     *
     * @param offset from the first byte
     * @param bytes how many
     * @return the part
     * @throws IndexOutOfBoundsException when it is not inside
     */
    public RemoteMemoryRange slice(long offset, long bytes) {
        if (offset < 0 || bytes < 0 || offset > length - bytes) {
            throw new IndexOutOfBoundsException(
                    "bytes " + offset + " to " + (offset + bytes) + " of a remote region of " + length);
        }
        return new RemoteMemoryRange(address + offset, bytes, rkey);
    }

    /**
     * Writes it down for the peer's peer.
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
     * Reads what {@link #encode} wrote.
     *
     * @param bytes exactly {@value #ENCODED_BYTES}
     * @return the region
     * @throws RdmaExchangeException when the bytes are something else
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
                "This is no remote region: " + problem + ". Use what RemoteRegion.encode() made, all of it",
                null);
    }

    /** Omits address and key: a process that knows them and reaches the peer can use its memory. */
    @Override
    public String toString() {
        return "a region of " + length + " bytes of a peer";
    }
}
