package io.rdmarpc.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.client.RateControl;
import io.rdmarpc.rpc.engine.server.ServerSession;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Congestion control by round trips")
class RateControlTest {

    private static final long MICRO = 1_000;

    private final RateControl rate = new RateControl();

    @Test
    void whenRoundTripsAreLongThenTheRateFallsToItsFloor() {
        for (int i = 0; i < 1000; i++) {
            rate.onRoundTrip(20_000 * MICRO);
        }

        assertThat(rate.bytesPerSecond()).isEqualTo(RateControl.SLOWEST_BYTES_PER_SECOND);
    }

    @Test
    void whenRoundTripsGrowThenTheRateFallsBeforeTheyAreLong() {
        for (int i = 1; i <= 10; i++) {
            rate.onRoundTrip((100 + 20L * i) * MICRO);
        }

        assertThat(rate.bytesPerSecond()).isLessThan(0.8 * RateControl.FASTEST_BYTES_PER_SECOND);
    }

    @Test
    void whenRoundTripsAreShortAgainThenTheRateRises() {
        for (int i = 0; i < 1000; i++) {
            rate.onRoundTrip(20_000 * MICRO);
        }
        for (int i = 0; i < 100; i++) {
            rate.onRoundTrip(10 * MICRO);
        }

        assertThat(rate.bytesPerSecond()).isGreaterThan(50 * RateControl.SLOWEST_BYTES_PER_SECOND);
    }

    @Test
    void whenNothingWasStartedForAWhileThenTheUnusedTimeIsLost() {
        long now = 1_000_000_000;
        rate.onStart(1, now);
        now += Duration.ofSeconds(10).toNanos();
        for (int i = 0; i < 1000; i++) {
            rate.onRoundTrip(20_000 * MICRO);
        }
        rate.onStart(1000, now);

        assertThat(rate.mayStart(now)).isFalse();
        assertThat(rate.mayStart(now + 800 * MICRO)).isTrue();
    }

    @Test
    void whenMethodsTakeLongOnAnIdleNetworkThenTheSessionIsNotSlowedDown() {
        try (EngineRig rig = new EngineRig(64 << 20, false, true)) {
            ClientSession session = rig.client();
            for (int i = 0; i < 20; i++) {
                TestCall call = rig.call(session, new byte[8]);
                rig.runLoop();
                Packet request = rig.onlySent();
                rig.pass(Duration.ofMillis(3));
                rig.receive(Packet.response(session, request.index(), new byte[8])
                        .withMethod(i % 2 == 0 ? 2_990 << 16 : 0xFFFF << 16));
                assertThat(call.response()).hasSize(8);
            }

            assertThat(session.rate.bytesPerSecond()).isEqualTo(RateControl.FASTEST_BYTES_PER_SECOND);
        }
    }

    @Test
    void whenItIsEnabledThenAServerReportsTheTimeOfACall() {
        try (EngineRig rig = new EngineRig(64 << 20, false, true)) {
            ServerSession session = rig.server();
            rig.receive(Packet.request(session, EngineRig.FIRST, EngineRig.HOLD, new byte[1]));
            rig.pass(Duration.ofMillis(3));
            EngineRig.respond(rig.held.getFirst(), new byte[1]);
            rig.runLoop();

            assertThat(rig.onlySent().method() >>> 16).isEqualTo(3_000);
        }
    }

    @Test
    void whenALargeRequestIsReadThenOnlyTheTimeAfterThatIsReported() {
        try (EngineRig rig = new EngineRig(64 << 20, false, true)) {
            ServerSession session = rig.server();
            rig.connect(session);
            rig.receive(Packet.largeRequest(session, EngineRig.FIRST, EngineRig.HOLD, 10_000, 0x7000, 1));
            rig.pass(Duration.ofMillis(5));
            rig.onlyRead().complete(new byte[10_000], 0x7000);
            rig.runLoop();
            rig.pass(Duration.ofMillis(2));
            EngineRig.respond(rig.held.getFirst(), new byte[1]);
            rig.runLoop();

            assertThat(rig.onlySent().method() >>> 16).isEqualTo(2_000);
        }
    }

    @Test
    void whenTheSessionIsSlowedDownThenItsCallsWaitForTheirTime() {
        EngineRig rig = new EngineRig(64 << 20, false, true);
        ClientSession session = rig.client();
        RateControl slow = session.rate;
        for (int i = 0; i < 1000; i++) {
            slow.onRoundTrip(20_000 * MICRO);
        }
        for (int i = 0; i < 3; i++) {
            rig.call(session, new byte[900]);
        }
        rig.runLoop();
        assertThat(rig.sent()).hasSize(1);
        assertThat(rig.loop.gauges().traffic().pacingStalls()).isPositive();

        rig.pass(Duration.ofMillis(1));
        assertThat(rig.sent()).hasSize(1);
        rig.pass(Duration.ofMillis(1));
        assertThat(rig.sent()).hasSize(1);
        rig.close();
    }

    /**
     * Incast: clients send to one port, which has a fixed rate. Each client keeps its window full as far as its rate
     * allows. Its packets wait in the queue of the port.
     */
    private static final class Port {

        private static final double BYTES_PER_NANO = 1.25;
        private static final int PACKET = 1000;
        private static final int WINDOW = 64;
        private static final long BASE_NANOS = 20 * MICRO;
        private static final long STEP_NANOS = 10 * MICRO;

        private final RateControl[] rates;
        private final int[] active;
        private final List<long[]> arrivals = new ArrayList<>();
        private final boolean controlled;
        private double freeAt;
        private long carried;
        private double longestQueueNanos;

        Port(int clients, boolean controlled) {
            this.controlled = controlled;
            this.active = new int[clients];
            this.rates =
                    IntStream.range(0, clients).mapToObj(i -> new RateControl()).toArray(RateControl[]::new);
        }

        void run(long fromNanos, long toNanos) {
            longestQueueNanos = 0;
            carried = 0;
            for (long now = fromNanos; now < toNanos; now += STEP_NANOS) {
                end(now);
                for (int client = 0; client < active.length; client++) {
                    start(client, now);
                }
            }
        }

        private void start(int client, long now) {
            while (active[client] < WINDOW && (!controlled || rates[client].mayStart(now))) {
                rates[client].onStart(PACKET, now);
                active[client]++;
                freeAt = Math.max(freeAt, (double) now) + PACKET / BYTES_PER_NANO;
                longestQueueNanos = Math.max(longestQueueNanos, freeAt - now);
                arrivals.add(new long[] {client, now, (long) freeAt + BASE_NANOS});
            }
        }

        private void end(long now) {
            arrivals.removeIf(packet -> {
                if (packet[2] > now) {
                    return false;
                }
                int client = (int) packet[0];
                active[client]--;
                carried += PACKET;
                rates[client].onRoundTrip(packet[2] - packet[1]);
                return true;
            });
        }
    }

    @Test
    @DisplayName("incast of 50 clients: the queue stays short, the port stays busy")
    void whenManySendToOnePortThenItsQueueStaysShort() {
        long warm = Duration.ofMillis(100).toNanos();
        long end = Duration.ofMillis(200).toNanos();
        Port free = new Port(50, false);
        free.run(0, warm);
        free.run(warm, end);
        Port controlled = new Port(50, true);
        controlled.run(0, warm);
        controlled.run(warm, end);

        assertThat(controlled.longestQueueNanos).isLessThan(free.longestQueueNanos / 2);
        assertThat(controlled.carried).isGreaterThan(free.carried * 6 / 10);
    }
}
