package io.rdmarpc.service.codec;

/**
 * How messages are written, and how much of one is believed.
 *
 * @param evolution how far the classes of two processes may differ
 * @param maxDepth values within values, from 1; a cyclic value ends here
 * @param maxElements elements of one collection, map or array of objects, from 1
 * @param maxBytes bytes of the arguments or the result, from 1
 */
public record SerializationSettings(Evolution evolution, int maxDepth, int maxElements, int maxBytes) {

    /** What suits most: no evolution, depth 256, 10 million elements, bytes limited by what peers agree on. */
    public static final SerializationSettings DEFAULTS =
            new SerializationSettings(Evolution.NONE, 256, 10_000_000, Integer.MAX_VALUE);

    /**
     * Checks the limits.
     *
     * @param evolution how far the classes of two processes may differ
     * @param maxDepth values within values
     * @param maxElements elements of one container
     * @param maxBytes bytes of a message
     */
    public SerializationSettings {
        requirePositive("depth", maxDepth);
        requirePositive("elements", maxElements);
        requirePositive("bytes", maxBytes);
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
        return new SerializationSettings(other, maxDepth, maxElements, maxBytes);
    }

    boolean evolving() {
        return evolution == Evolution.COMPATIBLE;
    }
}
