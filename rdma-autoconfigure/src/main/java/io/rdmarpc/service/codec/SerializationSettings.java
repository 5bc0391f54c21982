package io.rdmarpc.service.codec;

/**
 * Serialization format and limits of messages.
 *
 * @param evolution permitted differences between the classes of two processes
 * @param maxDepth maximum nesting depth of values, from 1; cyclic values exceed it
 * @param maxElements maximum elements of all collections, maps and object arrays of a message, from 1
 * @param maxBytes maximum bytes of the arguments or the result, from 1
 * @param maxExpansion maximum bytes on the heap for each byte of a message, from 1, in addition to 1 MiB for each
 *     message
 * @param maxCollisions maximum average of earlier keys with an equal hash code, for each key of sets and maps, from 1
 * @param maxScale maximum scale of a decimal number, positive or negative, from 1
 * @param maxIntegerBits maximum bits of an integer, or of the unscaled value of a decimal number, from 1
 */
public record SerializationSettings(
        Evolution evolution,
        int maxDepth,
        int maxElements,
        int maxBytes,
        int maxExpansion,
        int maxCollisions,
        int maxScale,
        int maxIntegerBits) {

    /** Default maximum nesting depth. */
    public static final int DEFAULT_MAX_DEPTH = 256;

    /** Default maximum elements of all containers of a message. */
    public static final int DEFAULT_MAX_ELEMENTS = 10_000_000;

    /** Default maximum bytes on the heap for each byte of a message. */
    public static final int DEFAULT_MAX_EXPANSION = 24;

    /** Default maximum of equal hash codes for each key. */
    public static final int DEFAULT_MAX_COLLISIONS = 64;

    /** Default maximum scale of a decimal number. */
    public static final int DEFAULT_MAX_SCALE = 10_000;

    /** Default maximum bits of a number. */
    public static final int DEFAULT_MAX_INTEGER_BITS = 65_536;

    /**
     * Default settings: no evolution, depth 256, 10 million elements, and a message size limited only by the
     * negotiated maximum. Each byte of a message permits 24 bytes on the heap, and each key 64 equal hash codes. The
     * maximum scale is 10,000, and numbers have at most 65,536 bits.
     */
    public static final SerializationSettings DEFAULTS = new SerializationSettings(
            Evolution.NONE,
            DEFAULT_MAX_DEPTH,
            DEFAULT_MAX_ELEMENTS,
            Integer.MAX_VALUE,
            DEFAULT_MAX_EXPANSION,
            DEFAULT_MAX_COLLISIONS,
            DEFAULT_MAX_SCALE,
            DEFAULT_MAX_INTEGER_BITS);

    /**
     * Validates the limits.
     *
     * @param evolution permitted differences between the classes of two processes
     * @param maxDepth maximum nesting depth
     * @param maxElements maximum elements of all containers of a message
     * @param maxBytes maximum bytes of a message
     * @param maxExpansion maximum bytes on the heap for each byte of a message
     * @param maxCollisions maximum of equal hash codes for each key
     * @param maxScale maximum scale of a decimal number
     * @param maxIntegerBits maximum bits of a number
     */
    public SerializationSettings {
        requirePositive("depth", maxDepth);
        requirePositive("elements", maxElements);
        requirePositive("bytes", maxBytes);
        requirePositive("bytes on the heap for each byte", maxExpansion);
        requirePositive("equal hash codes for each key", maxCollisions);
        requirePositive("digits of a scale", maxScale);
        requirePositive("bits of a number", maxIntegerBits);
    }

    /**
     * Creates settings with default limits of heap, keys and numbers.
     *
     * @param evolution permitted differences between the classes of two processes
     * @param maxDepth maximum nesting depth
     * @param maxElements maximum elements of all containers of a message
     * @param maxBytes maximum bytes of a message
     */
    public SerializationSettings(Evolution evolution, int maxDepth, int maxElements, int maxBytes) {
        this(
                evolution,
                maxDepth,
                maxElements,
                maxBytes,
                DEFAULTS.maxExpansion,
                DEFAULTS.maxCollisions,
                DEFAULTS.maxScale,
                DEFAULTS.maxIntegerBits);
    }

    private static void requirePositive(String what, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("invalid limit of " + limit + " " + what + ": set 1 or more");
        }
    }

    /**
     * Returns a copy with another evolution.
     *
     * @param other permitted differences between the classes of two processes
     * @return the copy
     */
    public SerializationSettings withEvolution(Evolution other) {
        return new SerializationSettings(
                other, maxDepth, maxElements, maxBytes, maxExpansion, maxCollisions, maxScale, maxIntegerBits);
    }

    /**
     * Returns whether classes may differ between two processes.
     *
     * @return true with {@link Evolution#COMPATIBLE}
     */
    public boolean evolving() {
        return evolution == Evolution.COMPATIBLE;
    }
}
