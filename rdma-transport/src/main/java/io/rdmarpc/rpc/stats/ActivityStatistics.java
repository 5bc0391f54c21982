package io.rdmarpc.rpc.stats;

/**
 * Streams of an engine, and cancelled calls. The values are read while the engine runs. Each value is exact, but the
 * values may be from different moments.
 *
 * @param streamsOpened streams that were opened, by this side or by peers
 * @param streamsOpen streams open now
 * @param callsCancelled calls of this process that their caller cancelled
 * @param requestsCancelled calls of peers that their caller cancelled while this process served them
 */
public record ActivityStatistics(long streamsOpened, long streamsOpen, long callsCancelled, long requestsCancelled) {

    /**
     * Adds the values of another engine.
     *
     * @param other the other engine's values
     * @return the sums
     */
    public ActivityStatistics plus(ActivityStatistics other) {
        return new ActivityStatistics(
                streamsOpened + other.streamsOpened,
                streamsOpen + other.streamsOpen,
                callsCancelled + other.callsCancelled,
                requestsCancelled + other.requestsCancelled);
    }
}
