package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.stats.EngineStatistics;

/** Totals of many simulations, to check that they exercised the code. */
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
    /** Calls that the client knows as not run. */
    long notRun;

    long cancelled;
    long streams;
    long streamItems;
    long streamWaits;
    long streamWakes;
    long streamEnds;
    long completedAsOwner;
    /** Such calls whose completion was deferred when the caller continued. */
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
        return "%,d calls, %,d executed, %,d completed, %,d failed, %,d retransmitted, %,d duplicates, %,d READs, %,d restarts, %,d sessions drained, %,d calls not run, %,d handlers cancelled, %,d streams with %,d messages, %,d waits for credit, %,d of them notified, %,d regular ends, %,d calls completed whose caller ran the loop, %,d of them with a deferred completion"
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
                        completedAsOwner,
                        deferredCompletions);
    }
}
