package io.rdmarpc.benchmarks.load;

/**
 * The kind of calls that a client makes.
 *
 * @param payload payload of requests and responses
 * @param callers kind of the calling threads
 * @param outstanding number of concurrent calls
 * @param rate calls started per second, regardless of responses; 0 for a closed loop, in which a response starts the
 *     next call
 */
public record Cell(Payload payload, Callers callers, int outstanding, double rate) {

    /**
     * Returns the calls of a closed loop.
     *
     * @param payload payload of requests and responses
     * @param callers kind of the calling threads
     * @param outstanding number of concurrent calls
     * @return the cell
     */
    public static Cell of(Payload payload, Callers callers, int outstanding) {
        return new Cell(payload, callers, outstanding, 0);
    }

    /**
     * Parses the format of {@link #words}.
     *
     * @param words the four words
     * @return the cell
     */
    static Cell parse(String... words) {
        return new Cell(
                Payload.valueOf(words[0]),
                Callers.valueOf(words[1]),
                Integer.parseInt(words[2]),
                Double.parseDouble(words[3]));
    }

    /** Formats the cell as four words. */
    String words() {
        return payload.name() + " " + callers.name() + " " + outstanding + " " + rate;
    }

    @Override
    public String toString() {
        String paced = rate == 0 ? "" : String.format(java.util.Locale.ROOT, ", paced at %.0f/s", rate);
        return payload + ", " + outstanding + " outstanding, " + callers + paced;
    }
}
