package io.rdmarpc.benchmarks.load;

/**
 * The kind of calls that a client makes.
 *
 * @param payload payload of requests and responses
 * @param callers kind of the calling threads
 * @param outstanding number of concurrent calls
 * @param rate calls started per second, regardless of responses; 0 for a closed loop, in which a response starts the
 *     next call
 * @param pipelines number of pipelines that run at the same time, each with an equal share of the concurrent calls and
 *     in a closed loop; 1 for blocking calls
 */
public record Cell(Payload payload, Callers callers, int outstanding, double rate, int pipelines) {

    /**
     * Returns the calls of a closed loop.
     *
     * @param payload payload of requests and responses
     * @param callers kind of the calling threads
     * @param outstanding number of concurrent calls
     * @return the cell
     */
    public static Cell of(Payload payload, Callers callers, int outstanding) {
        return new Cell(payload, callers, outstanding, 0, 1);
    }

    /**
     * Returns asynchronous calls of several pipelines in a closed loop.
     *
     * @param payload payload of requests and responses
     * @param pipelines number of pipelines
     * @param outstanding number of concurrent calls of each pipeline
     * @return the cell
     */
    public static Cell ofPipelines(Payload payload, int pipelines, int outstanding) {
        return new Cell(payload, Callers.ASYNC, pipelines * outstanding, 0, pipelines);
    }

    /**
     * Returns the same calls, started by a schedule.
     *
     * @param perSecond calls started per second
     * @return the changed copy
     */
    public Cell paced(double perSecond) {
        return new Cell(payload, callers, outstanding, perSecond, pipelines);
    }

    /** Returns the share of one pipeline. */
    Cell share() {
        return new Cell(payload, callers, outstanding / pipelines, rate, 1);
    }

    /**
     * Parses the format of {@link #words}.
     *
     * @param words the five words
     * @return the cell
     */
    static Cell parse(String... words) {
        return new Cell(
                Payload.valueOf(words[0]),
                Callers.valueOf(words[1]),
                Integer.parseInt(words[2]),
                Double.parseDouble(words[3]),
                Integer.parseInt(words[4]));
    }

    /** Formats the cell as five words. */
    String words() {
        return payload.name() + " " + callers.name() + " " + outstanding + " " + rate + " " + pipelines;
    }

    @Override
    public String toString() {
        String paced = rate == 0 ? "" : String.format(java.util.Locale.ROOT, ", paced at %.0f/s", rate);
        return payload + ", " + outstanding + " outstanding, " + callers + paced;
    }
}
