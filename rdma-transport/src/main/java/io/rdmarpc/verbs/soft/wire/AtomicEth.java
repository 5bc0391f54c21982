package io.rdmarpc.verbs.soft.wire;

import java.nio.ByteBuffer;

/**
 * The header of atomic requests (InfiniBand Architecture Specification vol. 1, 9.3.4).
 *
 * <pre>
 *   byte 12           20        24               32            40
 *        address u64  rkey u32  swap or add u64  compare u64
 * </pre>
 */
public final class AtomicEth {

    /** Length in bytes. */
    public static final int BYTES = 28;

    private static final int ADDRESS = Bth.BYTES;
    private static final int RKEY = ADDRESS + 8;
    private static final int SWAP_OR_ADD = RKEY + 4;
    private static final int COMPARE = SWAP_OR_ADD + 8;

    private AtomicEth() {}

    /** Writes the header after the {@link Bth}. */
    public static void write(ByteBuffer packet, long address, int rkey, long swapOrAdd, long compare) {
        packet.putLong(ADDRESS, address);
        packet.putInt(RKEY, rkey);
        packet.putLong(SWAP_OR_ADD, swapOrAdd);
        packet.putLong(COMPARE, compare);
    }

    /** Returns the address at the responder, a multiple of 8. */
    public static long address(ByteBuffer packet) {
        return packet.getLong(ADDRESS);
    }

    /** Returns the key of the responder's memory. */
    public static int rkey(ByteBuffer packet) {
        return packet.getInt(RKEY);
    }

    /** Returns the value to store, or to add. */
    public static long swapOrAdd(ByteBuffer packet) {
        return packet.getLong(SWAP_OR_ADD);
    }

    /** Returns the expected value; undefined for a fetch-and-add. */
    public static long compare(ByteBuffer packet) {
        return packet.getLong(COMPARE);
    }
}
