package io.rdmarpc.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.rdmarpc.benchmarks.load.Contestant.Caller;
import io.rdmarpc.benchmarks.load.Contestant.Client;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A measurement of calls")
@Timeout(60)
class RunsTest {

    /** Responds in the duty cycle after the call began, or never. */
    private static class NextCycle implements Client {

        private final AtomicInteger calls = new AtomicInteger();
        private int inFlight;
        private int most;

        @Override
        public Caller caller(Payload payload) {
            return calls::incrementAndGet;
        }

        @Override
        public Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends ends) {
            Queue<Integer> slots = new ArrayDeque<>();
            return new Pipeline() {
                @Override
                public void start(int slot) {
                    calls.incrementAndGet();
                    slots.add(slot);
                    most = Math.max(most, ++inFlight);
                }

                @Override
                public boolean isCallerDriven() {
                    return true;
                }

                @Override
                public void doWork() {
                    Integer slot = slots.poll();
                    if (slot != null) {
                        inFlight--;
                        end(slot, ends);
                    }
                }
            };
        }

        void end(int slot, Pipeline.Ends ends) {
            ends.ended(slot);
        }

        @Override
        public void close() {}
    }

    private final NextCycle client = new NextCycle();

    @Test
    void shouldCountEveryCallOfAClosedLoop() throws Exception {
        BenchmarkOutcome outcome = new AsyncRun(client, Cell.of(Payload.B32, Callers.ASYNC, 16)).run(0.05);

        assertThat(outcome.calls()).isEqualTo(client.calls.get()).isGreaterThan(16);
        assertThat(client.most).isEqualTo(16);
    }

    @Test
    void whenTheTimeIsZeroThenEachSlotMakesOneCall() throws Exception {
        BenchmarkOutcome outcome = new AsyncRun(client, Cell.of(Payload.B32, Callers.ASYNC, 8)).run(0);

        assertThat(outcome.calls()).isEqualTo(8);
    }

    @Test
    void shouldStartAsManyCallsAsThePaceDefines() throws Exception {
        BenchmarkOutcome outcome =
                new AsyncRun(client, Cell.of(Payload.B32, Callers.ASYNC, 16).paced(1_000)).run(0.2);

        assertThat(outcome.calls()).isEqualTo(200);
    }

    @Test
    void whenTheClientIsLateThenLatencyCountsFromTheSchedule() throws Exception {
        NextCycle delayed = new NextCycle() {
            private boolean stood;

            @Override
            void end(int slot, Pipeline.Ends ends) {
                if (!stood) {
                    stood = true;
                    // Blocks the client's thread for 200 ms, because latency by the schedule depends on elapsed time.
                    LockSupport.parkNanos(this, 200_000_000);
                }
                ends.ended(slot);
            }
        };
        BenchmarkOutcome outcome =
                new AsyncRun(delayed, Cell.of(Payload.B32, Callers.ASYNC, 16).paced(1_000)).run(0.3);

        // One call was delayed for 200 ms, so calls that were due meanwhile waited 100 ms on average.
        assertThat(outcome.micros(50)).isGreaterThan(50_000);
    }

    @Test
    void whenTheClientIsLateThenSeveralCallsBeginBetweenDutyCycles() throws Exception {
        NextCycle slow = new NextCycle() {
            @Override
            void end(int slot, Pipeline.Ends ends) {
                // Blocks by the clock, because calls become due by time: 20 more are due before a duty cycle ends.
                LockSupport.parkNanos(this, 1_000_000);
                ends.ended(slot);
            }
        };
        BenchmarkOutcome outcome =
                new AsyncRun(slow, Cell.of(Payload.B32, Callers.ASYNC, 64).paced(20_000)).run(0.02);

        assertThat(outcome.calls()).isEqualTo(400);
        assertThat(slow.most).isGreaterThanOrEqualTo(16);
    }

    @Test
    void whenNoThreadRunsThePipelineThenCallsStillBeginOnTime() throws Exception {
        List<Long> begun = new ArrayList<>();
        NextCycle atOnce = new NextCycle() {
            @Override
            public Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends ends) {
                return slot -> {
                    begun.add(System.nanoTime());
                    ends.ended(slot);
                };
            }
        };
        // Every sleep takes at least 50 µs. Other programs may delay some runs, so the test repeats until one is fast.
        double late = Double.MAX_VALUE;
        while (late >= 40) {
            begun.clear();
            late = new AsyncRun(atOnce, Cell.of(Payload.B32, Callers.ASYNC, 16).paced(20_000))
                    .run(0.02)
                    .micros(10);

            assertThat(begun).hasSize(400);
        }
    }

    @Test
    void shouldExcludeThePreparationFromTheRun() throws Exception {
        BlockingRun prepared = new BlockingRun(client, Cell.of(Payload.B32, Callers.PLATFORM, 2));
        int before = client.calls.get();
        prepared.run(0);
        prepared.close();

        assertThat(before).isZero();
        assertThat(client.calls.get()).isEqualTo(2);
    }

    @Test
    void whenPreparedCallsAreNotRunThenTheyCanBeClosed() {
        new BlockingRun(client, Cell.of(Payload.B32, Callers.VIRTUAL, 2)).close();

        assertThat(client.calls.get()).isZero();
    }

    @Test
    void shouldCombineSingleCalls() {
        List<BenchmarkOutcome> single = Stream.of(1_000L, 3_000L, 2_000L)
                .map(nanos ->
                        new BenchmarkOutcome(1, 0.1, Collections.nCopies(BenchmarkOutcome.PERCENTILES.size(), nanos)))
                .toList();
        BenchmarkOutcome together = BenchmarkOutcome.together(single, 30);

        assertThat(together.calls()).isEqualTo(3);
        assertThat(together.seconds()).isEqualTo(30);
        assertThat(together.micros(50)).isCloseTo(2, within(0.01));
    }

    @Test
    void whenCallersDrivePipelinesThenEachHasAShareOfTheCallsAndAThread() throws Exception {
        Map<Thread, Integer> most = new ConcurrentHashMap<>();
        NextCycle perThread = new NextCycle() {
            @Override
            public Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends ends) {
                NextCycle own = new NextCycle();
                Pipeline pipeline = own.pipeline(payload, outstanding, ends);
                return new Pipeline() {
                    @Override
                    public void start(int slot) throws Exception {
                        pipeline.start(slot);
                        most.put(Thread.currentThread(), own.most);
                    }

                    @Override
                    public boolean isCallerDriven() {
                        return true;
                    }

                    @Override
                    public void doWork() throws Exception {
                        pipeline.doWork();
                    }
                };
            }
        };
        new ParallelRun(perThread, Cell.ofPipelines(Payload.B32, 3, 16)).run(0.05);

        assertThat(most).hasSize(3).doesNotContainKey(Thread.currentThread());
        assertThat(most.values()).containsOnly(16);
    }

    @Test
    void shouldAddUpThePipelines() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        NextCycle atOnce = new NextCycle() {
            @Override
            public Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends ends) {
                return slot -> {
                    calls.incrementAndGet();
                    ends.ended(slot);
                };
            }
        };
        BenchmarkOutcome outcome = new ParallelRun(atOnce, Cell.ofPipelines(Payload.B32, 2, 8)).run(0);

        assertThat(outcome.calls()).isEqualTo(16).isEqualTo(calls.get());
    }

    @Test
    void shouldCombineConcurrentRuns() {
        List<BenchmarkOutcome> runs = Stream.of(1_000L, 9_000L, 2_000L)
                .map(nanos -> new BenchmarkOutcome(
                        nanos, nanos / 1e3, Collections.nCopies(BenchmarkOutcome.PERCENTILES.size(), nanos)))
                .toList();
        BenchmarkOutcome concurrent = BenchmarkOutcome.concurrent(runs);

        assertThat(concurrent.calls()).isEqualTo(12_000);
        assertThat(concurrent.seconds()).isEqualTo(9);
        assertThat(concurrent.micros(99)).isEqualTo(2);
    }

    @Test
    void whenACallFailsThenTheMeasurementFails() {
        NextCycle failing = new NextCycle() {
            @Override
            void end(int slot, Pipeline.Ends ends) {
                ends.failed(new IllegalArgumentException("no"));
            }
        };
        AsyncRun run = new AsyncRun(failing, Cell.of(Payload.B32, Callers.ASYNC, 2));

        assertThatThrownBy(() -> run.run(0.05)).hasRootCauseMessage("no");
    }

    @Test
    void shouldAddUpTheBlockingThreads() throws Exception {
        BenchmarkOutcome outcome = new BlockingRun(client, Cell.of(Payload.B32, Callers.VIRTUAL, 4)).run(0);

        assertThat(outcome.calls()).isEqualTo(4).isEqualTo(client.calls.get());
    }

    @Test
    void shouldParseFormattedOutcomesAndCells() {
        Cell cell = new Cell(Payload.ORDER, Callers.ASYNC, 16, 12.5, 4);
        BenchmarkOutcome outcome =
                new BenchmarkOutcome(10, 2.5, Collections.nCopies(BenchmarkOutcome.PERCENTILES.size(), 7L));

        assertThat(Cell.parse(cell.words().split(" ", -1))).isEqualTo(cell);
        assertThat(BenchmarkOutcome.parse(outcome.words()).perSecond()).isEqualTo(4);
    }

    /** The first pipeline serves the calls of both. The second one starts when the calls of the first one have ended. */
    private static final class ServedByTheFirst implements Client {

        private final CountDownLatch firstHasEnded = new CountDownLatch(1);
        private final Queue<Integer> atTheFirst = new ConcurrentLinkedQueue<>();
        private final Queue<Integer> ends = new ConcurrentLinkedQueue<>();
        private int pipelines;

        @Override
        public Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends listener) {
            return pipelines++ == 0 ? first(listener) : second(listener);
        }

        private Pipeline first(Pipeline.Ends listener) {
            return new Pipeline() {
                @Override
                public void start(int slot) {
                    listener.ended(slot);
                    firstHasEnded.countDown();
                }

                @Override
                public boolean isCallerDriven() {
                    return true;
                }

                @Override
                public void doWork() {
                    Integer slot = atTheFirst.poll();
                    if (slot != null) {
                        ends.add(slot);
                    }
                }
            };
        }

        private Pipeline second(Pipeline.Ends listener) {
            return new Pipeline() {
                @Override
                public void start(int slot) throws InterruptedException {
                    firstHasEnded.await();
                    atTheFirst.add(slot);
                }

                @Override
                public boolean isCallerDriven() {
                    return true;
                }

                @Override
                public void doWork() {
                    Integer slot = ends.poll();
                    if (slot != null) {
                        listener.ended(slot);
                    }
                }
            };
        }

        @Override
        public void close() {}
    }

    @Test
    void whenAThreadHasFinishedThenItStillServesTheCallsOfTheOthers() throws Exception {
        BenchmarkOutcome outcome = new ParallelRun(new ServedByTheFirst(), Cell.ofPipelines(Payload.B32, 2, 1)).run(0);

        assertThat(outcome.calls()).isEqualTo(2);
    }
}
