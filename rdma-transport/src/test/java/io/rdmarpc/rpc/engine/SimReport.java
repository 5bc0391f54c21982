package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.stats.EngineStatistics;

/** What many simulations did in all: a simulation in which nothing happens proves nothing. */
final class SimReport {

    long calls;
    long executed;
    long completed;
    long failed;
    long retransmissions;
    long duplicates;
    long reads;
    long restarts;
    long drains;
    /** Calls of which the client knows that they did not run. */
    long notRun;

    long cancelled;
    long streams;
    long streamItems;
    long streamWaits;
    long streamWakes;
    long streamEnds;
    long answeredAsOwner;
    /** Such calls whose end was owed when the caller went on. */
    long deferredCompletions;

    void add(int started, int executions, SimNode[] nodes) {
        calls += started;
        executed += executions;
        for (SimNode node : nodes) {
            EngineStatistics statistics = node.loop.gauges().statistics();
            completed += statistics.callsCompleted();
            failed += statistics.callsFailed();
            retransmissions += statistics.retransmissions();
            duplicates += statistics.duplicates();
            reads += statistics.reads();
        }
    }

    @Override
    public String toString() {
        return "%,d calls, %,d executed, %,d completed, %,d failed, %,d sent again, %,d duplicates, %,d READs, %,d restarts, %,d sessions drained, %,d calls not run, %,d handlers told to stop, %,d streams with %,d messages, %,d waits for credit, %,d of them told of some, %,d good ends, %,d calls answered whose caller turned the loop, %,d of them with their end owed"
                .formatted(
                        calls,
                        executed,
                        completed,
                        failed,
                        retransmissions,
                        duplicates,
                        reads,
                        restarts,
                        drains,
                        notRun,
                        cancelled,
                        streams,
                        streamItems,
                        streamWaits,
                        streamWakes,
                        streamEnds,
                        answeredAsOwner,
                        deferredCompletions);
    }
}
