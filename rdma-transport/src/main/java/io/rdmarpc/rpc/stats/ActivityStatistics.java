package io.rdmarpc.rpc.stats;

/**
 * Streams of an engine, and calls that were given up. The numbers are read while the engine runs, each one right by itself.
 *
 * @param streamsOpened streams that were opened, by this side or by peers
 * @param streamsOpen streams open now
 * @param callsCancelled calls of this process that their caller gave up
 * @param requestsCancelled calls of peers that their caller gave up while they were served
 */
public record ActivityStatistics(long streamsOpened, long streamsOpen, long callsCancelled, long requestsCancelled) {

    /**
     * Adds the numbers of another engine.
     *
     * @param other the other engine's
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
