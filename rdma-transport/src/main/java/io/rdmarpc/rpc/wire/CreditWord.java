package io.rdmarpc.rpc.wire;

/**
 * How many requests a client may have on their way, as a server tells it in every packet: the place of the method id in
 * {@link PacketHeader}, which only requests need for a method.
 *
 * <pre>
 *   31                16 15          8 7           0
 *   +------------------+-------------+-------------+
 *   | served, us       | version     | credits - 1 |
 *   +------------------+-------------+-------------+
 * </pre>
 *
 * Served is the time from the last byte of the request to the answer, in answers of a server with congestion control, and
 * 0 otherwise: what is left of the round trip is the network's. {@link #LONGEST_MICROS} stands for any longer time.
 *
 * <p>The version counts the changes, modulo 256, so that a late packet does not bring an old number back. A client names the
 * version it knows in the status byte of its requests. A new session has version 0 and one credit: the word is 0.
 */
public final class CreditWord {

    /** The longest time that a word holds, and any longer one. */
    public static final int LONGEST_MICROS = 0xFFFF;

    private static final int FIELD_MASK = 0xFF;
    private static final int VERSION_SHIFT = 8;
    private static final int SERVED_SHIFT = 16;

    private CreditWord() {}

    /**
     * Makes a word.
     *
     * @param version number of the change; its low 8 bits count
     * @param credits requests that may be on their way, 1 to 256
     * @return the word
     */
    public static int of(int version, int credits) {
        return (version & FIELD_MASK) << VERSION_SHIFT | ((credits - 1) & FIELD_MASK);
    }

    /**
     * Adds the time that a call took at the server.
     *
     * @param word a word without one
     * @param micros microseconds, 0 or more
     * @return the word with it
     */
    public static int withServed(int word, long micros) {
        return word | (int) Math.min(micros, LONGEST_MICROS) << SERVED_SHIFT;
    }

    /**
     * Returns the time that a call took at the server.
     *
     * @param word a word, not checked
     * @return microseconds, {@link #LONGEST_MICROS} for that and more, 0 when the server does not tell
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
     * Tells which of two versions is the later one.
     *
     * @param version a version
     * @param than another one
     * @return true when the first is less than half a round ahead
     */
    public static boolean isNewer(int version, int than) {
        return (byte) (version - than) > 0;
    }
}
