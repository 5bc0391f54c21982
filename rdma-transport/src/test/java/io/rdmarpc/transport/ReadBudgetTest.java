package io.rdmarpc.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.net.Inet4Address;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** READs in flight are counted per NIC. Engines share them fairly and without waiting for each other. */
class ReadBudgetTest {

    private static final int TOTAL = 16;

    private final ReadBudget budget = new ReadBudget(TOTAL);
    private final ReadBudget.Share first = budget.join();
    private final ReadBudget.Share second = budget.join();

    private static int postAll(ReadBudget.Share share) {
        int posted = 0;
        while (share.hasRoom()) {
            share.onPosted();
            posted++;
        }
        return posted;
    }

    private static void end(ReadBudget.Share share, int count) {
        for (int i = 0; i < count; i++) {
            share.onEnded();
        }
        share.releaseUnused();
    }

    @Test
    @DisplayName("LG-08 a single reading engine has the whole budget except the READs that other engines own")
    void whenOneEngineReadsThenItHasAll() {
        assertThat(postAll(first)).isEqualTo(TOTAL - 1);
    }

    @Test
    @DisplayName("LG-08 a further engine has one READ at once, and half of the budget after READs of the others "
            + "have ended")
    void whenAnotherEngineComesThenBothHaveHalf() {
        postAll(first);
        assertThat(postAll(second)).as("its own").isEqualTo(1);

        for (int i = 0; i < TOTAL; i++) {
            first.onEnded();
            postAll(first);
            postAll(second);
        }

        assertThat(first.used()).isEqualTo(TOTAL / 2);
        assertThat(second.used()).isEqualTo(TOTAL / 2);
    }

    @Test
    void whenTheOtherEngineHasEndedThenAllIsAvailableAgain() {
        postAll(first);
        postAll(second);
        end(first, first.used());

        assertThat(postAll(second) + 1).isEqualTo(TOTAL - 1);
    }

    @Test
    void whenNothingIsInFlightThenNothingIsBorrowed() {
        assertThat(first.hasRoom()).isTrue();
        first.onPosted();
        assertThat(first.hasRoom()).isTrue();
        end(first, 1);

        assertThat(budget.free()).isEqualTo(TOTAL - 2);
    }

    @Test
    void whenAnEngineLeavesThenItsPartIsFree() {
        postAll(first);
        first.leave();

        assertThat(budget.free()).isEqualTo(TOTAL - 1);
    }

    @Test
    void whenThereAreMoreEnginesThanReadsThenEachHasItsOwn() {
        List<ReadBudget.Share> many = new ArrayList<>();
        for (int i = 0; i < 2 * TOTAL; i++) {
            many.add(budget.join());
        }

        assertThat(many).allMatch(share -> postAll(share) == 1);
    }

    @Test
    @Timeout(60)
    @DisplayName("LG-08 concurrent engines never exceed the budget")
    void whenThreadsShareItThenItIsNeverExceeded() throws InterruptedException {
        AtomicInteger inFlight = new AtomicInteger();
        AtomicInteger max = new AtomicInteger();
        List<Thread> threads = new ArrayList<>();
        for (ReadBudget.Share share : List.of(first, second, budget.join())) {
            threads.add(Thread.ofPlatform().start(() -> fetch(share, inFlight, max)));
        }
        for (Thread thread : threads) {
            thread.join();
        }

        assertThat(max.get()).isBetween(3, TOTAL);
        assertThat(budget.free()).isEqualTo(TOTAL - 3);
    }

    private static void fetch(ReadBudget.Share share, AtomicInteger inFlight, AtomicInteger max) {
        for (int round = 0; round < 20_000; round++) {
            while (share.hasRoom()) {
                share.onPosted();
                max.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
            }
            int ending = round % 3 == 0 ? share.used() : Math.min(share.used(), 2);
            inFlight.addAndGet(-ending);
            end(share, ending);
        }
        inFlight.addAndGet(-share.used());
        end(share, share.used());
    }

    /** With the transports of two engines on one NIC. */
    @Nested
    class OfANic {

        private static final int LENGTH = 8;
        private static final int READS = 200;
        private static final Gid PEER = Gid.of(Inet4Address.ofLiteral("10.0.0.2"));

        private final FakeNic nic = new FakeNic(PathMtu.MTU_1024);
        private final NicContext context = nic.open();
        private final RcTransport one = RcTransport.open(context, RcConfig.DEFAULTS);
        private final RcTransport other = RcTransport.open(context, RcConfig.DEFAULTS);
        private final AtomicInteger ended = new AtomicInteger();

        private RcConnection connect(RcTransport rc) {
            RcConnection connection = rc.prepare(context.gid(), context.protectionDomain());
            connection.complete(
                    new RcEndpoint(PEER, 0, new RcEndpoint.Half(5, 6), new RcEndpoint.Half(5, 6), 16),
                    PathMtu.MTU_1024);
            return connection;
        }

        private void read(RcTransport rc, RcConnection connection) {
            for (int i = 0; i < READS; i++) {
                rc.read(connection, 0, 0, i, 0, LENGTH, _ -> ended.incrementAndGet());
            }
            rc.postReads();
        }

        @Test
        @DisplayName("LG-08 two engines together have no more READs at the NIC than one, and all READs end")
        void whenTwoEnginesReadThenTheNicHasNoMoreReadsThanOfOne() {
            RcConnection ofOne = connect(one);
            RcConnection ofOther = connect(other);
            read(one, ofOne);
            read(other, ofOther);
            int budget = context.readBudget(RcConfig.DEFAULTS.readBudget()).total();
            assertThat(nic.reads()).hasSize(budget);

            while (ended.get() < 2 * READS) {
                nic.reads().getFirst().end(CompletionStatus.SUCCESS);
                one.poll();
                other.poll();
                one.postReads();
                other.postReads();
                assertThat(nic.reads()).hasSizeLessThanOrEqualTo(budget);
            }

            ofOne.close();
            ofOther.close();
            one.close();
            other.close();
            assertThat(context.readBudget(RcConfig.DEFAULTS.readBudget()).free())
                    .isEqualTo(budget);
            context.close();
            assertThat(nic.violations()).isEmpty();
        }

        @Test
        @DisplayName("LG-08 READs that wait for the budget continue when another engine has released some")
        void whenAnotherEngineReleasesReadsThenWaitingReadsContinue() {
            RcConnection ofOne = connect(one);
            RcConnection ofOther = connect(other);
            read(other, ofOther);
            read(one, ofOne);
            assertThat(one.readsInFlight()).isOne();

            while (other.readsInFlight() > 0) {
                nic.reads().getFirst().end(CompletionStatus.SUCCESS);
                other.poll();
                if (other.readsWaiting() > 0) {
                    other.postReads();
                }
            }
            one.postReads();

            assertThat(one.readsInFlight()).isGreaterThan(1);
            while (one.readsInFlight() > 0) {
                nic.reads().getFirst().end(CompletionStatus.SUCCESS);
                one.poll();
                one.postReads();
            }
            ofOne.close();
            ofOther.close();
            one.close();
            other.close();
            context.close();
            assertThat(nic.violations()).isEmpty();
        }
    }
}
