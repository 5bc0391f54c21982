package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.session.RoundTrips;
import io.rdmarpc.rpc.stats.RoundTripStatistics;
import java.time.Duration;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@DisplayName("Round trips and the timeout that follows from them")
class RoundTripsTest {

    private static final long FIRST = Duration.ofMillis(20).toNanos();
    private static final long FLOOR = Duration.ofMillis(5).toNanos();
    private static final long CEILING = Duration.ofMillis(200).toNanos();

    private final RoundTrips trips = new RoundTrips(FIRST, FLOOR, CEILING);

    private static long millis(long millis) {
        return Duration.ofMillis(millis).toNanos();
    }

    @Test
    void whenNothingWasMeasuredThenTheFirstTimeoutHolds() {
        assertThat(trips.timeoutNanos()).isEqualTo(FIRST);
        assertThat(trips.statistics().samples()).isZero();
        assertThat(trips.statistics().quantileNanos(0.5)).isZero();
    }

    @Test
    void whenTheFirstIsMeasuredThenTheTimeoutIsThreeTimesAsLong() {
        trips.measured(millis(10));

        assertThat(trips.statistics().smoothedNanos()).isEqualTo(millis(10));
        assertThat(trips.statistics().variationNanos()).isEqualTo(millis(5));
        assertThat(trips.timeoutNanos()).isEqualTo(millis(30));
    }

    @Test
    void whenMoreAreMeasuredThenTheyAreWeightedAsInTheRfc() {
        trips.measured(millis(16));
        trips.measured(millis(24));

        // RFC 6298, 2.3: variation 8 + (8 - 8) / 4, smoothed 16 + (24 - 16) / 8.
        assertThat(trips.statistics().variationNanos()).isEqualTo(millis(8));
        assertThat(trips.statistics().smoothedNanos()).isEqualTo(millis(17));
        assertThat(trips.timeoutNanos()).isEqualTo(millis(17 + 32));
    }

    @Test
    void whenResponsesAreFastThenTheTimeoutGoesDownToItsFloor() {
        for (int i = 0; i < 100; i++) {
            trips.measured(10_000);
        }

        assertThat(trips.timeoutNanos()).isEqualTo(FLOOR);
    }

    @Test
    void whenResponsesAreSlowThenTheTimeoutGoesUpToItsCeiling() {
        for (int i = 0; i < 100; i++) {
            trips.measured(millis(500));
        }

        assertThat(trips.timeoutNanos()).isEqualTo(CEILING);
    }

    @Test
    void whenTimeoutsPassThenEachIsTwiceAsLongUpToTheCeiling() {
        long timeout = trips.timeoutNanos();
        for (long expected : new long[] {40, 80, 160, 200, 200}) {
            timeout = trips.backOff(timeout);
            assertThat(timeout).isEqualTo(millis(expected));
        }
    }

    @Test
    void whenSeveralCallsRunOutTogetherThenTheTimeoutOfTheSessionDoublesOnce() {
        for (int call = 0; call < 8; call++) {
            trips.backOff(FIRST);
        }

        assertThat(trips.timeoutNanos()).isEqualTo(2 * FIRST);
    }

    @Test
    void whenAResponseIsMeasuredAfterABackOffThenTheMeasurementIsUsed() {
        trips.measured(millis(2));
        trips.backOff(millis(100));
        trips.measured(millis(2));

        assertThat(trips.timeoutNanos()).isLessThan(millis(20));
    }

    @Test
    void shouldCountEachTimeInItsBucket() {
        trips.measured(-1);
        trips.measured(255);
        trips.measured(256);
        trips.measured(511);
        trips.measured(512);
        trips.measured(Long.MAX_VALUE / 8);

        RoundTripStatistics statistics = trips.statistics();
        assertThat(statistics.samples()).isEqualTo(6);
        assertThat(statistics.histogram())
                .hasSize(RoundTrips.BUCKETS)
                .startsWith(2L, 2L, 1L)
                .endsWith(1L);
        assertThat(statistics.quantileNanos(0.5)).isEqualTo(512);
        assertThat(statistics.quantileNanos(0.8)).isEqualTo(1024);
    }

    @Nested
    @DisplayName("in a session")
    class InASession {

        private final EngineRig rig = new EngineRig();
        private final ClientSession session = rig.client();

        private void respond() {
            rig.receive(Packet.response(session, rig.onlySent().index(), new byte[8]));
        }

        private TestCall respondsAfter(Duration time) {
            TestCall call = rig.call(session, new byte[8]);
            rig.runLoop();
            rig.pass(time);
            respond();
            return call;
        }

        @Test
        void whenACallIsCompletedThenItsTimeIsMeasured() {
            respondsAfter(Duration.ofMillis(3));

            assertThat(session.roundTrips().samples()).isEqualTo(1);
            assertThat(session.roundTrips().smoothedNanos()).isEqualTo(millis(3));
            rig.close();
        }

        @Test
        void whenResponsesWereFastThenTheRequestOfALostOneIsRetransmittedSoon() {
            respondsAfter(Duration.ofMillis(1));
            rig.call(session, new byte[8]);
            rig.runLoop();
            rig.sent();

            rig.pass(Duration.ofMillis(4));
            assertThat(rig.sent()).isEmpty();
            rig.pass(Duration.ofMillis(2));

            assertThat(rig.sent()).hasSize(1);
            rig.close();
        }

        private long repeatedCall() {
            rig.call(session, new byte[8]);
            rig.runLoop();
            rig.sent();
            rig.pass(EngineRig.RETRANSMIT_TIMEOUT.plusMillis(1));
            return rig.onlySent().index();
        }

        @Test
        @DisplayName("LO-01 the response to a call that was sent twice is not measured: the matching send is unknown")
        void whenARequestWasSentTwiceThenItsResponseIsNotMeasured() {
            rig.receive(Packet.response(session, repeatedCall(), new byte[8]));

            assertThat(session.roundTrips().samples()).isZero();
            rig.close();
        }

        @Test
        @DisplayName("LO-02 before the first measurement the peer may be as slow as its first response")
        void whenTheFirstResponseIsLateThenTheTimeoutIsTwiceAsLong() {
            rig.receive(Packet.response(session, repeatedCall(), new byte[8]));

            assertThat(session.roundTrips().timeoutNanos()).isEqualTo(2 * (FIRST + millis(1)));
            rig.close();
        }

        @Test
        @DisplayName("LO-02 a second response to a call shows that the first one was only late: then it is measured")
        void whenBothSendsGetAResponseThenTheFirstOneIsMeasured() {
            long index = repeatedCall();
            rig.pass(Duration.ofMillis(9));
            rig.receive(Packet.response(session, index, new byte[8]));
            rig.receive(Packet.response(session, index, new byte[8]));

            assertThat(session.roundTrips().samples()).isEqualTo(1);
            assertThat(session.roundTrips().smoothedNanos()).isEqualTo(millis(30));

            rig.receive(Packet.response(session, index, new byte[8]));
            assertThat(session.roundTrips().samples()).as("a third one").isEqualTo(1);
            rig.close();
        }

        @Test
        @DisplayName("LO-02 after the server has reported that it knows the call, its response is measured")
        void whenTheServerKnowsTheCallThenTheResponseIsMeasured() {
            long index = repeatedCall();
            rig.receive(Packet.progress(session, index, true));
            rig.pass(Duration.ofMillis(9));
            rig.receive(Packet.response(session, index, new byte[8]));

            assertThat(session.roundTrips().samples()).isEqualTo(1);
            assertThat(session.roundTrips().smoothedNanos()).isEqualTo(millis(30));
            rig.close();
        }

        @Test
        @DisplayName("LO-02 the retransmission time of a call that the server knows counts from its report, not "
                + "from the last send")
        void whenTheServerKnowsTheCallThenItGoesOutAgainLater() {
            long index = repeatedCall();
            rig.pass(Duration.ofMillis(30));
            rig.receive(Packet.progress(session, index, true));

            rig.pass(Duration.ofMillis(79));
            assertThat(rig.sent()).isEmpty();
            rig.pass(Duration.ofMillis(2));
            assertThat(rig.sent()).hasSize(1);
            rig.close();
        }

        @Test
        void whenASlowPeerWasMeasuredThenItsNextCallIsNotRetransmitted() {
            long index = repeatedCall();
            rig.pass(Duration.ofMillis(9));
            rig.receive(Packet.response(session, index, new byte[8]));
            rig.receive(Packet.response(session, index, new byte[8]));
            rig.call(session, new byte[8]);
            rig.runLoop();
            rig.sent();
            rig.pass(Duration.ofMillis(60));

            assertThat(rig.sent()).isEmpty();
            rig.close();
        }
    }
}
