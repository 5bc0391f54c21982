package io.rdmarpc.rpc.wire;

/**
 * How many requests a client may have in flight. A server sends this word in every packet, in the field of the method
 * id of {@link PacketHeader}, which only requests need.
 *
 * <pre>
 *   31                16 15          8 7           0
 *   +------------------+-------------+-------------+
 *   | served, µs       | version     | credits - 1 |
 *   +------------------+-------------+-------------+
 * </pre>
 *
 * Served is the time from the last byte of the request to the response. A server with congestion control sends it in
 * responses; it is 0 otherwise. The rest of the round trip is network time. {@link #LONGEST_MICROS} represents any
 * longer time.
 *
 * <p>The version is a counter of changes, modulo 256, so that a late packet does not restore an old number of credits.
 * A client sends the version that it knows in the status byte of its requests. A new session has version 0 and one
 * credit: the word is 0.
 */
public final class CreditWord {

    /** The longest time that a word can hold; it also represents any longer time. */
    public static final int LONGEST_MICROS = 0xFFFF;

    private static final int FIELD_MASK = 0xFF;
    private static final int VERSION_SHIFT = 8;
    private static final int SERVED_SHIFT = 16;

    private CreditWord() {}

    /**
     * Creates a word.
     *
     * @param version number of the change; only its low 8 bits are used
     * @param credits maximum number of requests in flight, 1 to 256
     * @return the word
     */
    public static int of(int version, int credits) {
        return (version & FIELD_MASK) << VERSION_SHIFT | ((credits - 1) & FIELD_MASK);
    }

    /**
     * Adds the time that a call took at the server.
     *
     * @param word a word without a time
     * @param micros microseconds, 0 or more
     * @return the word with the time
     */
    public static int withServed(int word, long micros) {
        return word | (int) Math.min(micros, LONGEST_MICROS) << SERVED_SHIFT;
    }

    /**
     * Returns the time that a call took at the server.
     *
     * @param word a word, not checked
     * @return microseconds, {@link #LONGEST_MICROS} for that time or more, 0 if the server does not send it
     */
    public static int servedMicros(int word) {
        return word >>> SERVED_SHIFT;
    }

    /**
     * Returns the number of the change.
     *
     * @param word a word, not checked
     * @return 0 to 255
     */
    public static int version(int word) {
        return (word >>> VERSION_SHIFT) & FIELD_MASK;
    }

    /**
     * Returns the credits.
     *
     * @param word a word, not checked
     * @return 1 to 256
     */
    public static int credits(int word) {
        return (word & FIELD_MASK) + 1;
    }

    /**
     * Returns whether one version is later than another one.
     *
     * @param version a version
     * @param than the other version
     * @return true if the first is ahead by less than half of the 256 values
     */
    public static boolean isNewer(int version, int than) {
        return (byte) (version - than) > 0;
    }
}
