package io.rdmarpc.benchmarks.load;

/**
 * What is asked of a client.
 *
 * @param payload what travels
 * @param callers kind of the calling threads
 * @param outstanding calls at a time
 * @param rate calls begun a second, whether or not others have ended; 0 for a new one as soon as one has ended
 */
public record Cell(Payload payload, Callers callers, int outstanding, double rate) {

    /**
     * A closed loop.
     *
     * @param payload what travels
     * @param callers kind of the calling threads
     * @param outstanding calls at a time
     * @return the cell
     */
    public static Cell of(Payload payload, Callers callers, int outstanding) {
        return new Cell(payload, callers, outstanding, 0);
    }

    /**
     * Reads what {@link #words} wrote.
     *
     * @param words four of them
     * @return the cell
     */
    static Cell parse(String... words) {
        return new Cell(
                Payload.valueOf(words[0]),
                Callers.valueOf(words[1]),
                Integer.parseInt(words[2]),
                Double.parseDouble(words[3]));
    }

    /** Writes the cell in four words. */
    String words() {
        return payload.name() + " " + callers.name() + " " + outstanding + " " + rate;
    }

    @Override
    public String toString() {
        String paced = rate == 0 ? "" : String.format(java.util.Locale.ROOT, ", paced at %.0f/s", rate);
        return payload + ", " + outstanding + " outstanding, " + callers + paced;
    }
}
