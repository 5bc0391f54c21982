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
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("A measurement of calls")
@Timeout(60)
class RunsTest {

    /** Answers in the turn after the call began, or never. */
    private static class NextTurn implements Client {

        private final AtomicInteger calls = new AtomicInteger();
        private int underWay;
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
                    most = Math.max(most, ++underWay);
                }

                @Override
                public boolean isCallerDriven() {
                    return true;
                }

                @Override
                public void doWork() {
                    Integer slot = slots.poll();
                    if (slot != null) {
                        underWay--;
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

    private final NextTurn client = new NextTurn();

    @Test
    void countsEveryCallOfAClosedLoop() throws Exception {
        BenchmarkOutcome outcome = new AsyncRun(client, Cell.of(Payload.B32, Callers.ASYNC, 16)).run(0.05);

        assertThat(outcome.calls()).isEqualTo(client.calls.get()).isGreaterThan(16);
        assertThat(client.most).isEqualTo(16);
    }

    @Test
    void whenTimeIsZeroThenCallsOnceForEachSlot() throws Exception {
        BenchmarkOutcome outcome = new AsyncRun(client, Cell.of(Payload.B32, Callers.ASYNC, 8)).run(0);

        assertThat(outcome.calls()).isEqualTo(8);
    }

    @Test
    void beginsAsManyAsThePaceSays() throws Exception {
        BenchmarkOutcome outcome = new AsyncRun(client, new Cell(Payload.B32, Callers.ASYNC, 16, 1_000)).run(0.2);

        assertThat(outcome.calls()).isEqualTo(200);
    }

    @Test
    void whenTheClientIsLateThenLatencyCountsFromTheSchedule() throws Exception {
        NextTurn stuttering = new NextTurn() {
            private boolean stood;

            @Override
            void end(int slot, Pipeline.Ends ends) {
                if (!stood) {
                    stood = true;
                    LockSupport.parkNanos(this, 200_000_000);
                }
                ends.ended(slot);
            }
        };
        BenchmarkOutcome outcome = new AsyncRun(stuttering, new Cell(Payload.B32, Callers.ASYNC, 16, 1_000)).run(0.3);

        // One call stood for 200 ms: those that were due meanwhile waited 100 ms on average.
        assertThat(outcome.micros(50)).isGreaterThan(50_000);
    }

    @Test
    void whenTheClientIsLateThenSeveralCallsBeginBetweenTwoTurns() throws Exception {
        NextTurn slow = new NextTurn() {
            @Override
            void end(int slot, Pipeline.Ends ends) {
                // A turn is never over before twenty more calls are due.
                LockSupport.parkNanos(this, 1_000_000);
                ends.ended(slot);
            }
        };
        BenchmarkOutcome outcome = new AsyncRun(slow, new Cell(Payload.B32, Callers.ASYNC, 64, 20_000)).run(0.02);

        assertThat(outcome.calls()).isEqualTo(400);
        assertThat(slow.most).isGreaterThanOrEqualTo(16);
    }

    @Test
    void whenNobodyTurnsThePipelineThenCallsStillBeginWhenTheyAreDue() throws Exception {
        List<Long> begun = new ArrayList<>();
        NextTurn atOnce = new NextTurn() {
            @Override
            public Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends ends) {
                return slot -> {
                    begun.add(System.nanoTime());
                    ends.ended(slot);
                };
            }
        };
        // A sleep of any length takes 50 us and more, for each of them, in each run. The machine may be busy for some.
        double late = Double.MAX_VALUE;
        while (late >= 40) {
            begun.clear();
            late = new AsyncRun(atOnce, new Cell(Payload.B32, Callers.ASYNC, 16, 20_000))
                    .run(0.02)
                    .micros(10);

            assertThat(begun).hasSize(400);
        }
    }

    @Test
    void keepsWhatIsPreparedApartFromTheRun() throws Exception {
        BlockingRun prepared = new BlockingRun(client, Cell.of(Payload.B32, Callers.PLATFORM, 2));
        int before = client.calls.get();
        prepared.run(0);
        prepared.close();

        assertThat(before).isZero();
        assertThat(client.calls.get()).isEqualTo(2);
    }

    @Test
    void whenWhatIsPreparedIsNotRunThenItEnds() {
        new BlockingRun(client, Cell.of(Payload.B32, Callers.VIRTUAL, 2)).close();

        assertThat(client.calls.get()).isZero();
    }

    @Test
    void singleCallsAreSeenTogether() {
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
    void whenACallFailsThenTheMeasurementDoes() {
        NextTurn failing = new NextTurn() {
            @Override
            void end(int slot, Pipeline.Ends ends) {
                ends.failed(new IllegalArgumentException("no"));
            }
        };
        AsyncRun run = new AsyncRun(failing, Cell.of(Payload.B32, Callers.ASYNC, 2));

        assertThatThrownBy(() -> run.run(0.05)).hasRootCauseMessage("no");
    }

    @Test
    void addsUpTheThreadsThatWait() throws Exception {
        BenchmarkOutcome outcome = new BlockingRun(client, Cell.of(Payload.B32, Callers.VIRTUAL, 4)).run(0);

        assertThat(outcome.calls()).isEqualTo(4).isEqualTo(client.calls.get());
    }

    @Test
    void outcomesAndCellsTravelAsWords() {
        Cell cell = new Cell(Payload.ORDER, Callers.VIRTUAL, 16, 12.5);
        BenchmarkOutcome outcome =
                new BenchmarkOutcome(10, 2.5, Collections.nCopies(BenchmarkOutcome.PERCENTILES.size(), 7L));

        assertThat(Cell.parse(cell.words().split(" ", -1))).isEqualTo(cell);
        assertThat(BenchmarkOutcome.parse(outcome.words()).perSecond()).isEqualTo(4);
    }
}
