package io.rdmarpc.memory;

/**
 * The sizes of a {@link BuddyArena}. All are powers of two.
 *
 * @param minBlockBytes size of the smallest block; the arena rounds smaller requests up to it
 * @param chunkBytes number of bytes that the arena registers at a time
 * @param maxBlockBytes size of the largest request, at most 1 GiB; a request above {@code chunkBytes} gets a chunk of
 *     its own
 */
public record BuddyArenaConfig(int minBlockBytes, int chunkBytes, int maxBlockBytes) {

    /** Blocks of 4 KiB to 64 MiB in chunks of 16 MiB. */
    public static final BuddyArenaConfig DEFAULT = new BuddyArenaConfig(4 << 10, 16 << 20, 64 << 20);

    /** Validates the sizes. */
    public BuddyArenaConfig {
        checkPowerOfTwo("smallest block", minBlockBytes);
        checkPowerOfTwo("chunk", chunkBytes);
        checkPowerOfTwo("largest block", maxBlockBytes);
        if (minBlockBytes > chunkBytes || minBlockBytes > maxBlockBytes) {
            throw new IllegalArgumentException("smallest block of " + minBlockBytes + " bytes: it must fit a chunk ("
                    + chunkBytes + ") and the largest block (" + maxBlockBytes + ")");
        }
    }

    /**
     * Returns a copy with another largest block.
     *
     * @param bytes size of the largest message, 1 byte to 1 GiB; rounded up to a power of two
     * @return the copy
     */
    public BuddyArenaConfig withMaxBlockBytes(int bytes) {
        return new BuddyArenaConfig(minBlockBytes, chunkBytes, Math.max(minBlockBytes, powerOfTwo(bytes)));
    }

    int chunkBytesFor(int bytes) {
        return Math.max(chunkBytes, powerOfTwo(bytes));
    }

    int blockBytesFor(int bytes) {
        return Math.max(minBlockBytes, powerOfTwo(bytes));
    }

    private static int powerOfTwo(int bytes) {
        if (bytes > 1 << 30) {
            throw new IllegalArgumentException("block of " + bytes + " bytes: the maximum is 1 GiB");
        }
        return bytes <= 1 ? 1 : Integer.highestOneBit(bytes - 1) << 1;
    }

    private static void checkPowerOfTwo(String what, int bytes) {
        if (bytes <= 0 || Integer.bitCount(bytes) != 1) {
            throw new IllegalArgumentException(what + " of " + bytes + " bytes: it must be a power of two");
        }
    }
}
