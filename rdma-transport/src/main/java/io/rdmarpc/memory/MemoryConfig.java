package io.rdmarpc.memory;

import io.rdmarpc.verbs.error.RdmaConfigurationException;

/**
 * Sizes of registered memory.
 *
 * @param maxBytes maximum number of bytes registered for receiving and for small messages
 * @param chunkBytes bytes that the arena grows by, a power of two of at least 64 KiB
 * @param hugePages whether the arena's chunks use huge pages while the host has free ones
 */
public record MemoryConfig(long maxBytes, int chunkBytes, boolean hugePages) {

    /** Default: maximum of registered memory, in GiB. */
    public static final int DEFAULT_MAX_GIGABYTES = 1;

    /** Default: memory that the arena grows by, in MiB. */
    public static final int DEFAULT_CHUNK_MEGABYTES = 16;

    /** At most 1 GiB, in chunks of 16 MiB, on ordinary pages. */
    public static final MemoryConfig DEFAULTS =
            new MemoryConfig((long) DEFAULT_MAX_GIGABYTES << 30, DEFAULT_CHUNK_MEGABYTES << 20);

    private static final int MIN_CHUNK_BYTES = 64 << 10;

    /**
     * Validates the sizes.
     *
     * @param maxBytes maximum number of registered bytes
     * @param chunkBytes bytes that the arena grows by
     * @param hugePages whether the arena's chunks use huge pages
     */
    public MemoryConfig {
        if (chunkBytes < MIN_CHUNK_BYTES || Integer.bitCount(chunkBytes) != 1) {
            throw new RdmaConfigurationException(
                    "memory.chunk-size",
                    chunkBytes,
                    "it must be a power of two of at least " + MIN_CHUNK_BYTES + " bytes",
                    "Use 16MB, or leave it out");
        }
        if (maxBytes < chunkBytes) {
            throw new RdmaConfigurationException(
                    "memory.max-size",
                    maxBytes,
                    "it must hold at least one chunk of " + chunkBytes + " bytes",
                    "Raise it, or lower rdma.memory.chunk-size");
        }
    }

    /**
     * Creates sizes on ordinary pages.
     *
     * @param maxBytes maximum number of registered bytes
     * @param chunkBytes bytes that the arena grows by
     */
    public MemoryConfig(long maxBytes, int chunkBytes) {
        this(maxBytes, chunkBytes, false);
    }
}
