package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Random schedules of engines, software RNICs and time in one thread. For more schedules: {@code
 * -Drdma.test.sim-seeds=10000}. To repeat one: {@code -Drdma.test.sim-seed=SEED -Drdma.test.sim-seeds=1}.
 */
@Timeout(3_600)
class SimulationTest {

    private static final int SEEDS = Integer.getInteger("rdma.test.sim-seeds", 300);
    /** Number of schedules after which all cases have occurred. */
    private static final int ENOUGH = 100;

    private static final int STEPS = Integer.getInteger("rdma.test.sim-steps", 600);

    @Test
    @DisplayName(
            "LO-01 LO-02 LO-03 LO-04 LO-08 LO-13 CP-14 FL-03 FC-01 FC-05 FC-08 random schedules with calls, cancels and"
                    + " streams: every call ends once, runs at most once, has the right bytes; streams are in order and"
                    + " complete; packets in flight fit the receive rings; nothing is leaked")
    void whenEventsHappenInAnyOrderThenNothingIsLostOrLeaked() {
        long first = Long.getLong("rdma.test.sim-seed", TestSeed.ofEnvironment());
        SimReport report = new SimReport();
        long start = System.nanoTime();
        for (long seed = first; seed < first + SEEDS; seed++) {
            try {
                new Simulation(seed, report).run(STEPS);
            } catch (Throwable e) {
                throw new AssertionError("-Drdma.test.sim-seeds=1 -Drdma.test.sim-seed=" + seed, e);
            }
        }
        System.out.printf(
                "SimulationTest seeds from %d, %d in %d ms: %s%n",
                first, SEEDS, (System.nanoTime() - start) / 1_000_000, report);
        assertThat(report.completed).as("calls that were completed").isPositive();
        if (SEEDS >= ENOUGH) {
            assertThat(report.notRun)
                    .as("calls that a stopping server did not run")
                    .isGreaterThan(SEEDS / 10);
            assertThat(report.deferredCompletions)
                    .as("calls whose completion was deferred")
                    .isGreaterThan(SEEDS / 10);
            assertThat(report.streamItems).as("messages of streams").isGreaterThan(6L * SEEDS);
            assertThat(report.streamWaits).as("messages that found no credit").isGreaterThan(SEEDS);
            assertThat(report.streamWakes).as("senders notified of credit").isGreaterThan(SEEDS / 10);
        }
    }
}
