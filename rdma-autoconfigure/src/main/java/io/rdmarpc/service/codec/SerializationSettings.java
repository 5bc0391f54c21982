package io.rdmarpc.service.codec;

/**
 * How messages are written, and how much of one is believed.
 *
 * @param evolution how far the classes of two processes may differ
 * @param maxDepth values within values, from 1; a cyclic value ends here
 * @param maxElements elements of all collections, maps and arrays of objects of a message, from 1
 * @param maxBytes bytes of the arguments or the result, from 1
 * @param maxExpansion bytes on the heap for each byte of a message, from 1, in addition to 1 MiB for any message
 * @param maxCollisions earlier keys with an equal hash code for each key of sets and maps, on average, from 1
 * @param maxScale scale of a decimal number, positive or negative, from 1
 * @param maxIntegerBits bits of a whole number, or of the digits of a decimal one, from 1
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

    /** Default: values within values. */
    public static final int DEFAULT_MAX_DEPTH = 256;

    /** Default: elements of all containers of a message. */
    public static final int DEFAULT_MAX_ELEMENTS = 10_000_000;

    /** Default: bytes on the heap for each byte of a message. */
    public static final int DEFAULT_MAX_EXPANSION = 24;

    /** Default: equal hash codes for each key. */
    public static final int DEFAULT_MAX_COLLISIONS = 64;

    /** Default: scale of a decimal number. */
    public static final int DEFAULT_MAX_SCALE = 10_000;

    /** Default: bits of a number. */
    public static final int DEFAULT_MAX_INTEGER_BITS = 65_536;

    /**
     * What suits most: no evolution, depth 256, 10 million elements, bytes limited by what peers agree on, 24 bytes on the
     * heap for each byte of a message, 64 equal hash codes for each key, a scale of 10,000 and numbers of 65,536 bits.
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
     * Checks the limits.
     *
     * @param evolution how far the classes of two processes may differ
     * @param maxDepth values within values
     * @param maxElements elements of all containers of a message
     * @param maxBytes bytes of a message
     * @param maxExpansion bytes on the heap for each byte of a message
     * @param maxCollisions equal hash codes for each key
     * @param maxScale scale of a decimal number
     * @param maxIntegerBits bits of a number
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
     * Creates settings with the usual limits of heap, keys and numbers.
     *
     * @param evolution how far the classes of two processes may differ
     * @param maxDepth values within values
     * @param maxElements elements of all containers of a message
     * @param maxBytes bytes of a message
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
            throw new IllegalArgumentException("a limit of " + limit + " " + what + ": must be 1 or more");
        }
    }

    /**
     * Allows other differences.
     *
     * @param other how far the classes of two processes may differ
     * @return a copy with that
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
