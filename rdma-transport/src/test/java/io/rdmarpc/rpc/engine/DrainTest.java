package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static io.rdmarpc.rpc.engine.EngineRig.HOLD;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

@DisplayName("Sessions whose server is stopping")
class DrainTest {

    private static final byte[] HELLO = {1, 2, 3};
    private static final int LARGE = 10_000;

    private final EngineRig rig = new EngineRig();

    @AfterEach
    void close() {
        rig.close();
    }

    @Nested
    @DisplayName("at the server")
    class AtTheServer {

        private final ServerSession session = rig.server();

        private long[] drain() {
            List<long[]> announced = new ArrayList<>();
            rig.loop.sessions().drain(session, announced::add);
            rig.runLoop();
            assertThat(announced).hasSize(1);
            return announced.getFirst();
        }

        private int unfinishedCalls() {
            int[] count = {-1};
            rig.loop.sessions().countServing(sum -> count[0] = sum);
            rig.runLoop();
            return count[0];
        }

        @Test
        @DisplayName(
                "LT-12 it announces the last call of each slot, completes those, and reports later ones as not run")
        void whenItStopsThenOnlyCallsThatHaveArrivedRun() {
            rig.receive(Packet.request(session, FIRST, HOLD, HELLO));

            long[] lasts = drain();
            rig.receive(Packet.request(session, FIRST + 1, HOLD, HELLO));

            assertThat(lasts).containsExactly(0, FIRST, 2, 3);
            Packet rejection = rig.onlySent();
            assertThat(rejection.saysNotRun()).isTrue();
            assertThat(rejection.status()).isEqualTo(RpcStatus.UNAVAILABLE.code());
            assertThat(rejection.failureText().message()).contains("stopping", "not run");
            assertThat(rig.held).hasSize(1);
            assertThat(unfinishedCalls()).isOne();
            EngineRig.respond(rig.held.getFirst(), HELLO);
            rig.runLoop();
            assertThat(rig.onlySent().index()).isEqualTo(FIRST);
            assertThat(unfinishedCalls()).isZero();
        }

        @Test
        @DisplayName(
                "LT-12 for any number and order of its packets, a later call gets the same response and never runs")
        void whenALaterCallIsRetransmittedThenItDoesNotRunEither() {
            rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
            drain();

            for (int i = 0; i < 3; i++) {
                rig.receive(Packet.request(session, FIRST + 2, HOLD, HELLO));
                rig.receive(Packet.request(session, FIRST + 1, HOLD, HELLO));
                rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
            }

            assertThat(rig.sent()).filteredOn(Packet::saysNotRun).hasSize(6);
            assertThat(rig.held).hasSize(1);
        }

        @Test
        @DisplayName("LT-12 a repeated announcement contains the same calls")
        void whenItIsAnnouncedAgainThenTheAnnouncementIsTheSame() {
            rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
            long[] lasts = drain();
            rig.receive(Packet.request(session, FIRST + 1, HOLD, HELLO));

            assertThat(drain()).isEqualTo(lasts);
            rig.receive(Packet.request(session, FIRST + 1 + WINDOW, HOLD, HELLO));
            assertThat(rig.held).hasSize(1);
        }

        @Test
        @DisplayName("LT-12 a large call whose READ has begun runs; a later one is rejected without a READ")
        void whenALargeCallIsBeingReadThenItRuns() {
            rig.connect(session);
            rig.receive(Packet.largeRequest(session, FIRST, HOLD, LARGE, 0x7000, 1));
            drain();
            rig.receive(Packet.largeRequest(session, FIRST + 1, HOLD, LARGE, 0x7000, 1));

            assertThat(rig.nic.readsPosted()).isOne();
            assertThat(rig.onlySent().saysNotRun()).isTrue();
            assertThat(unfinishedCalls()).as("the call that is being READ").isOne();
            rig.onlyRead().end(CompletionStatus.SUCCESS);
            rig.runLoop();
            assertThat(rig.held).hasSize(1);
        }

        @Test
        @DisplayName("LT-12 a large response counts until the client has released it")
        void whenALargeResponseIsNotReleasedThenTheCallIsNotOver() {
            rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
            drain();
            EngineRig.respond(rig.held.getFirst(), EngineRig.bytes(LARGE));
            rig.runLoop();

            assertThat(unfinishedCalls()).isOne();
            rig.receive(Packet.release(session, FIRST));
            assertThat(unfinishedCalls()).isZero();
        }

        @Test
        @DisplayName("LT-12 a call that its handler rejects because the server stops counts as not run")
        void whenAHandlerRejectsThenTheResponseReportsIt() {
            rig.receive(Packet.request(session, FIRST, HOLD, HELLO));

            rig.held.getFirst().rejectStopping("closing time");
            rig.runLoop();

            assertThat(rig.onlySent())
                    .satisfies(response -> assertThat(response.saysNotRun()).isTrue())
                    .satisfies(response ->
                            assertThat(response.failureText().message()).isEqualTo("closing time"));
        }
    }

    @Nested
    @DisplayName("at the client")
    class AtTheClient {

        private final ClientSession session = rig.client();

        private void announce(long... lasts) {
            rig.loop.sessions().serverStops(session, lasts);
            rig.runLoop();
        }

        /** The calls fill the slots from the last to the first. */
        private long indexOf(Packet sent) {
            assertThat(sent.type()).isIn(PacketType.REQUEST, PacketType.LARGE_REQUEST);
            return sent.index();
        }

        @Test
        @DisplayName("LT-12 calls that the server runs continue, later and waiting ones are reported as not run")
        void whenTheServerStopsThenCallsThatItDoesNotRunEnd() {
            List<TestCall> calls = new ArrayList<>();
            for (int i = 0; i < WINDOW + 2; i++) {
                calls.add(rig.call(session, HELLO));
            }
            rig.runLoop();
            List<Packet> sent = rig.sent();
            long running = indexOf(sent.get(1));
            long[] lasts = {0, 1, 2, 3};
            lasts[(int) running % WINDOW] = running;

            announce(lasts);

            assertThat(session.takesCalls()).isFalse();
            assertThat(session.isOpen()).isTrue();
            for (int i = 0; i < calls.size(); i++) {
                if (i == 1) {
                    assertThat(calls.get(i).ends()).isZero();
                } else {
                    assertThat(calls.get(i).failure())
                            .isInstanceOf(RdmaNotExecutedException.class)
                            .hasMessageContaining("stopping")
                            .hasMessageContaining("not run the call");
                }
            }
            rig.receive(Packet.response(session, running, HELLO));
            assertThat(calls.get(1).response()).isEqualTo(HELLO);
            assertThat(session.outstanding()).isZero();
        }

        @Test
        @DisplayName("LT-12 a call that the server runs is retransmitted until its response arrives")
        void whenTheResponseOfARunningCallIsLostThenTheRequestIsRetransmitted() {
            TestCall call = rig.call(session, HELLO);
            rig.runLoop();
            long index = rig.onlySent().index();
            long[] lasts = {0, 1, 2, 3};
            lasts[(int) index % WINDOW] = index;
            announce(lasts);

            rig.pass(EngineRig.RETRANSMIT_TIMEOUT.multipliedBy(3));

            assertThat(rig.sent()).isNotEmpty().allMatch(packet -> packet.index() == index);
            rig.receive(Packet.response(session, index, HELLO));
            assertThat(call.response()).isEqualTo(HELLO);
        }

        @Test
        @DisplayName("LT-12 a new call is rejected at once, and nothing is sent")
        void whenTheServerStopsThenNoCallBegins() {
            announce(0, 1, 2, 3);

            TestCall call = rig.call(session, HELLO);
            rig.runLoop();

            assertThat(call.failure())
                    .isInstanceOf(RdmaNotExecutedException.class)
                    .hasMessageContaining("not sent");
            assertThat(rig.sent()).isEmpty();
            assertThatExceptionOfType(RdmaNotExecutedException.class)
                    .isThrownBy(() -> session.openStream(HOLD, 1, 1_000_000, new TestStream()));
        }

        @Test
        @DisplayName("LT-12 a response may report the stop before the announcement: no call begins, calls in progress "
                + "continue")
        void whenAResponseReportsTheStopThenNoCallBegins() {
            TestCall rejected = rig.call(session, HELLO);
            TestCall running = rig.call(session, HELLO);
            rig.runLoop();
            List<Packet> sent = rig.sent();

            rig.receive(Packet.notRun(session, sent.getFirst().index(), "the server is stopping"));

            assertThat(rejected.failure())
                    .isInstanceOf(RdmaNotExecutedException.class)
                    .hasMessageContaining("peer:1 responded: the server is stopping");
            assertThat(rig.hostOf(session).stops)
                    .as("the control side is notified")
                    .isOne();
            assertThat(session.takesCalls()).isFalse();
            assertThat(rig.call(session, HELLO).failure()).isInstanceOf(RdmaNotExecutedException.class);
            rig.receive(Packet.response(session, sent.get(1).index(), HELLO));
            assertThat(running.response()).isEqualTo(HELLO);
        }

        @Test
        @DisplayName("LT-12 calls that wait for a slot are reported as not run if a response reports the stop")
        void whenAResponseReportsTheStopThenWaitingCallsEnd() {
            List<TestCall> calls = new ArrayList<>();
            for (int i = 0; i < WINDOW + 2; i++) {
                calls.add(rig.call(session, HELLO));
            }
            rig.runLoop();

            rig.receive(Packet.notRun(session, rig.sent().getFirst().index(), "the server is stopping"));

            assertThat(calls.getLast().failure()).isInstanceOf(RdmaNotExecutedException.class);
            assertThat(rig.sent()).as("none of them is sent").isEmpty();
        }

        @Test
        @DisplayName("LT-12 a late response to a call that the announcement has ended has no effect")
        void whenTheResponseFollowsTheAnnouncementThenItIsDropped() {
            TestCall call = rig.call(session, HELLO);
            rig.runLoop();
            long index = rig.onlySent().index();
            announce(0, 1, 2, 3);

            rig.receive(Packet.notRun(session, index, "the server is stopping"));
            rig.receive(Packet.response(session, index, HELLO));

            assertThat(call.failure()).isInstanceOf(RdmaNotExecutedException.class);
        }

        @Test
        @DisplayName("LT-12 the memory of a large call that the server does not run is free at once, even if the call "
                + "timed out")
        void whenALargeCallIsNotRunThenItsMemoryIsFree() {
            rig.connect(session);
            TestCall late = rig.call(session, EngineRig.bytes(LARGE));
            TestCall timedOut = rig.call(session, EngineRig.bytes(LARGE), Duration.ofMillis(5));
            rig.runLoop();
            rig.pass(Duration.ofMillis(10));
            assertThat(timedOut.ends()).isOne();

            announce(0, 1, 2, 3);

            assertThat(late.failure()).isInstanceOf(RdmaNotExecutedException.class);
            assertThat(session.activeSlots).isZero();
            assertThat(rig.hostOf(session).lending.statistics().blocksInUse()).isZero();
        }

        @Test
        @DisplayName("LT-12 a call that ends with its session may have run; one that was not sent has not")
        void whenTheSessionEndsThenOnlyCallsThatWereSentMayHaveRun() {
            List<TestCall> calls = new ArrayList<>();
            for (int i = 0; i < WINDOW + 1; i++) {
                calls.add(rig.call(session, HELLO));
            }
            rig.runLoop();

            rig.remove(session, "the peer said goodbye");

            for (int i = 0; i < WINDOW; i++) {
                assertThat(calls.get(i).failure()).isExactlyInstanceOf(RdmaUnavailableException.class);
            }
            assertThat(calls.getLast().failure())
                    .isInstanceOf(RdmaNotExecutedException.class)
                    .hasMessageContaining("the peer said goodbye")
                    .hasMessageContaining("not sent");
            assertThat(rig.call(session, HELLO).failure()).isInstanceOf(RdmaNotExecutedException.class);
        }

        @Test
        @DisplayName("LT-12 the flag has no effect in a response other than a rejection")
        void whenAResultHasTheFlagThenItIsAResult() {
            TestCall call = rig.call(session, HELLO);
            rig.runLoop();

            rig.receive(Packet.response(session, rig.onlySent().index(), HELLO).withFlags(PacketHeader.FLAG_NOT_RUN));

            assertThat(call.response()).isEqualTo(HELLO);
            assertThat(session.takesCalls()).isTrue();
        }
    }
}
