package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.ECHO;
import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static io.rdmarpc.rpc.engine.EngineRig.HOLD;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.GuardedHandler;
import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.engine.server.ServerSlot;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.wire.PacketType;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server receives requests in every order: past, in order, duplicate, future. */
class ServerRequestsTest {

    private static final byte[] HELLO = EngineRig.bytes(11);

    private final EngineRig rig = new EngineRig();
    private final ServerSession session = rig.server();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @DisplayName("LO-05 SM-01 in order: a new request runs and gets a response")
    void whenARequestIsNewThenItGetsAResponse() {
        rig.receive(Packet.request(session, FIRST, ECHO, HELLO));

        Packet response = rig.onlySent();
        assertThat(response.type()).isEqualTo(PacketType.RESPONSE);
        assertThat(response.status()).isEqualTo(RpcStatus.OK.code());
        assertThat(response.flags()).isZero();
        assertThat(response.session()).isEqualTo(EngineRig.PEER_SESSION);
        assertThat(response.cookie()).isEqualTo(session.cookie);
        assertThat(response.index()).isEqualTo(FIRST);
        assertThat(response.length()).isEqualTo(HELLO.length);
        assertThat(response.body()).isEqualTo(HELLO);
        assertThat(rig.loop.gauges().statistics().requestsReceived()).isOne();
    }

    @Test
    @DisplayName("LO-05 duplicate without response: the client is notified that its call is known")
    void whenARequestArrivesAgainBeforeItsResponseThenProgressIsSent() {
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        assertThat(rig.sent()).isEmpty();

        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));

        Packet progress = rig.onlySent();
        assertThat(progress.type()).isEqualTo(PacketType.PROGRESS);
        assertThat(progress.index()).isEqualTo(FIRST);
        assertThat(progress.session()).isEqualTo(EngineRig.PEER_SESSION);
        assertThat(progress.cookie()).isEqualTo(session.cookie);
        assertThat(rig.held).as("executions").hasSize(1);
        assertThat(rig.loop.gauges().statistics().duplicates()).isOne();
    }

    @Test
    @DisplayName("LO-05 duplicate with response: the response is sent again, the method does not run again")
    void whenARequestArrivesAgainAfterItsResponseThenTheResponseIsSentAgain() {
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        EngineRig.respond(rig.held.getFirst(), HELLO);
        rig.runLoop();
        byte[] response = rig.onlySent().bytes();

        for (int i = 0; i < 3; i++) {
            rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
            assertThat(rig.onlySent().bytes()).isEqualTo(response);
        }
        assertThat(rig.held).as("executions").hasSize(1);
    }

    @Test
    @DisplayName("LO-08 duplicate while the response is at the NIC: it is not posted a second time")
    void whenACopyOfTheResponseIsStillAtTheNicThenItIsNotPostedAgain() {
        byte[] message = EngineRig.bytes(ServerSlot.MAX_COPY_BYTES + 1);
        rig.nic.holdSends(true);
        rig.receive(Packet.request(session, FIRST, ECHO, message));
        rig.sent();

        rig.receive(Packet.request(session, FIRST, ECHO, message));
        assertThat(rig.sent()).isEmpty();

        rig.nic.completeSends();
        rig.runLoop();
        rig.receive(Packet.request(session, FIRST, ECHO, message));
        assertThat(rig.onlySent().body()).isEqualTo(message);
    }

    @Test
    @DisplayName("LO-08 duplicate while a short response is at the NIC: a copy of it is sent from other memory")
    void whenAShortResponseIsStillAtTheNicThenItIsSentAgainFromOtherMemory() {
        rig.nic.holdSends(true);
        rig.receive(Packet.request(session, FIRST, ECHO, HELLO));
        rig.sent();

        rig.receive(Packet.request(session, FIRST, ECHO, HELLO));

        assertThat(rig.onlySent().body()).isEqualTo(HELLO);
        assertThat(rig.blocksInUse()).as("one for each packet").isEqualTo(2);
        rig.nic.completeSends();
        rig.runLoop();
        assertThat(rig.blocksInUse()).isZero();
    }

    @Test
    @DisplayName("LO-05 a retained response is sent again whatever its length and status are")
    void whenAResponseIsLostThenItIsSentAgainWhateverItsLength() {
        for (int length : new int[] {
            0, 1, 48, 49, 112, 113, ServerSlot.MAX_COPY_BYTES, ServerSlot.MAX_COPY_BYTES + 1, session.maxPacketPayload()
        }) {
            ServerSession other = rig.server();
            byte[] message = EngineRig.bytes(length);
            rig.receive(Packet.request(other, FIRST, ECHO, message));
            byte[] first = rig.onlySent().bytes();

            rig.receive(Packet.request(other, FIRST, ECHO, message));

            assertThat(rig.onlySent().bytes()).as("%d bytes", length).isEqualTo(first);
        }
        rig.receive(Packet.request(session, FIRST, 0xCAFE, HELLO));
        byte[] rejection = rig.onlySent().bytes();
        rig.receive(Packet.request(session, FIRST, 0xCAFE, HELLO));
        assertThat(rig.onlySent().bytes()).isEqualTo(rejection);
    }

    @Test
    @DisplayName("LO-05 past: a request of a call that has ended is dropped")
    void whenARequestIsFromThePastThenItIsDropped() {
        rig.receive(Packet.request(session, FIRST, ECHO, HELLO));
        rig.receive(Packet.request(session, FIRST + WINDOW, HOLD, HELLO));
        rig.sent();

        rig.receive(Packet.request(session, FIRST, ECHO, HELLO));

        assertThat(rig.sent()).isEmpty();
        assertThat(rig.dropped(Drop.STALE)).isOne();
        assertThat(rig.held).as("the current call is not affected").hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, WINDOW - 1, -1, Long.MIN_VALUE})
    @DisplayName("LO-05 past: indexes before the first are dropped")
    void whenAnIndexIsBeforeTheFirstThenItIsDropped(long index) {
        rig.receive(Packet.request(session, index, HOLD, HELLO));

        assertThat(rig.dropped(Drop.STALE)).isOne();
        assertThat(rig.held).isEmpty();
        assertThat(rig.sent()).isEmpty();
    }

    @Test
    @DisplayName("LO-05 next: the slot's next call replaces a completed one")
    void whenTheNextCallArrivesThenTheOldResponseIsFreed() {
        rig.receive(Packet.request(session, FIRST, ECHO, HELLO));
        int afterOne = rig.blocksInUse();

        for (int i = 1; i < 100; i++) {
            rig.receive(Packet.request(session, FIRST + (long) i * WINDOW, ECHO, HELLO));
        }

        assertThat(rig.sent()).hasSize(100).allMatch(packet -> packet.type() == PacketType.RESPONSE);
        assertThat(rig.blocksInUse()).isEqualTo(afterOne);
    }

    @Test
    @DisplayName("LO-05 future: a call beyond the next one is treated like the next one")
    void whenCallsInBetweenWereLostThenTheLaterOneRuns() {
        rig.receive(Packet.request(session, FIRST + 7L * WINDOW, ECHO, HELLO));
        assertThat(rig.onlySent().index()).isEqualTo(FIRST + 7L * WINDOW);

        rig.receive(Packet.request(session, FIRST + WINDOW, HOLD, HELLO));
        assertThat(rig.held).as("a call overtaken in its own slot is stale").isEmpty();
        assertThat(rig.dropped(Drop.STALE)).isOne();
    }

    @Test
    @DisplayName("LO-05 slots are independent of each other's order")
    void whenSlotsAreOutOfOrderThenEachKeepsItsCall() {
        rig.receive(Packet.request(session, FIRST + 2, ECHO, HELLO));
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        rig.receive(Packet.request(session, FIRST + 1, ECHO, HELLO));

        assertThat(rig.sent()).extracting(Packet::index).containsExactly(FIRST + 2, FIRST + 1);
        assertThat(rig.held).hasSize(1);
    }

    @Test
    @DisplayName("SM-11 next, while the old call still runs: its late response is dropped, its memory freed")
    void whenTheClientHasMovedOnThenTheLateResponseIsDropped() {
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        rig.receive(Packet.request(session, FIRST + WINDOW, HOLD, EngineRig.bytes(3)));

        EngineRig.respond(rig.held.getFirst(), HELLO);
        rig.runLoop();
        assertThat(rig.sent()).isEmpty();
        assertThat(rig.dropped(Drop.LATE_RESPONSE)).isOne();

        EngineRig.echo(rig.held.getLast());
        rig.runLoop();
        assertThat(rig.onlySent().index()).isEqualTo(FIRST + WINDOW);
        assertThat(rig.loop.gauges().executingCalls()).isZero();
    }

    @Test
    @DisplayName("SM-05 an empty request gets its empty response")
    void whenTheRequestIsEmptyThenTheResponseIsEmpty() {
        rig.receive(Packet.request(session, FIRST, ECHO, new byte[0]));

        assertThat(rig.onlySent().length()).isZero();
    }

    @Test
    @DisplayName("FL-05 an unknown method is rejected with the names of the exported services")
    void whenTheMethodIsUnknownThenTheResponseNamesTheServices() {
        rig.receive(Packet.request(session, FIRST, 0xCAFE, HELLO));

        Packet response = rig.onlySent();
        assertThat(response.status()).isEqualTo(RpcStatus.UNKNOWN_METHOD.code());
        assertThat(response.failureText().message())
                .isEqualTo("the server has no method with id 0xcafe; it exports [test.Service1, test.Service2]");
        rig.receive(Packet.request(session, FIRST, 0xCAFE, HELLO));
        assertThat(rig.onlySent().bytes()).as("again").isEqualTo(response.bytes());
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    @DisplayName("FL-06 a request whose deadline has passed is not executed")
    void whenTheDeadlineHasPassedOnArrivalThenTheMethodDoesNotRun(long micros) {
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO).withRemainingMicros(micros));

        assertThat(rig.held).isEmpty();
        assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED.code());
    }

    @Test
    @DisplayName("FL-06 the remaining time decreases at the server")
    void shouldReportTheRemainingTimeToTheHandler() {
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO).withRemainingMicros(5_000));

        rig.clock.advance(Duration.ofMillis(3));

        assertThat(rig.held.getFirst().remainingNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(2));
        assertThat(rig.held.getFirst().methodId()).isEqualTo(HOLD);
        assertThat(rig.held.getFirst().peer()).isEqualTo("peer:1");
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MAX_VALUE, Long.MAX_VALUE / 1000, Long.MAX_VALUE / 1000 + 1})
    void whenTheTimeIsAlmostUnlimitedThenItDoesNotOverflow(long micros) {
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO).withRemainingMicros(micros));

        assertThat(rig.held.getFirst().remainingNanos())
                .isGreaterThan(Duration.ofDays(10_000).toNanos());
    }

    @Test
    void whenThereIsNoDeadlineThenTheTimeIsAlmostUnlimited() {
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO).withFlags(0));

        assertThat(rig.held.getFirst().message().length()).isEqualTo(HELLO.length);
        assertThat(rig.held.getFirst().remainingNanos())
                .isGreaterThan(Duration.ofDays(10_000).toNanos());
    }

    @Test
    @DisplayName("FC-06 slow readers cannot starve reception: at most half of the ring is lent")
    void whenReadersHoldHalfOfTheRingThenFurtherRequestsAreCopied() {
        for (int i = 0; i < 3 * EngineRig.RING; i++) {
            byte[] body = EngineRig.bytes(i);
            rig.receive(Packet.request(session, FIRST + (long) i * WINDOW, HOLD, body));
        }

        assertThat(rig.held).hasSize(3 * EngineRig.RING);
        assertThat(rig.nic.postedReceives()).isGreaterThanOrEqualTo(EngineRig.RING / 2);
        for (int i = 0; i < rig.held.size(); i++) {
            assertThat(rig.held.get(i).message().payload().asByteBuffer().remaining())
                    .isEqualTo(i);
            assertThat(rig.held.get(i).message().payload().isReadOnly()).isTrue();
        }
        rig.held.getFirst().message().close();
        rig.runLoop();
        rig.receive(Packet.request(session, FIRST + 1, ECHO, HELLO));
        assertThat(rig.onlySent().body()).isEqualTo(HELLO);
    }

    @Test
    @DisplayName("FC-06 ring entries may be returned in any order")
    void whenEntriesAreReleasedOutOfOrderThenEachIsPostedOnce() {
        for (int i = 0; i < 10; i++) {
            rig.receive(Packet.request(session, FIRST + (long) i * WINDOW, HOLD, HELLO));
        }
        for (int i : new int[] {7, 0, 9, 3, 3, 1, 8, 2, 6, 4, 5, 5}) {
            rig.held.get(i).message().close();
        }
        rig.runLoop();

        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    void whenTheMessageIsClosedEarlyThenTheCallContinues() {
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        rig.held.getFirst().message().close();
        rig.runLoop();
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);

        EngineRig.respond(rig.held.getFirst(), HELLO);
        rig.runLoop();

        assertThat(rig.onlySent().body()).isEqualTo(HELLO);
    }

    /** A guard that admits no peer. */
    private static final class ClosedDoor implements GuardedHandler {

        private final boolean responds;
        private int rejected;

        ClosedDoor(boolean responds) {
            this.responds = responds;
        }

        @Override
        public boolean admits(PeerIdentity peer) {
            return false;
        }

        @Override
        public void reject(RpcRequest request) {
            rejected++;
            if (responds) {
                request.fail(
                        RpcStatus.PERMISSION_DENIED,
                        "",
                        "not you, with " + request.message().length() + " bytes");
            }
        }

        @Override
        public void handle(RpcRequest request) {
            throw new AssertionError("the method runs for a peer that may not call it");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @DisplayName("a peer that may not call a method is rejected, a large request without memory or a READ")
    void whenAPeerMayNotCallAMethodThenNothingIsSpentOnItsCall(boolean responds) {
        ClosedDoor door = new ClosedDoor(responds);
        rig.serve(77, door, null);
        rig.connect(session);
        int blocks = rig.blocksInUse();

        rig.receive(Packet.largeRequest(session, FIRST, 77, 10_000, 0x7000, 1));
        Packet large = rig.onlySent();
        rig.receive(Packet.request(session, FIRST + 1, 77, HELLO));
        Packet small = rig.onlySent();

        assertThat(rig.nic.readsPosted()).isZero();
        assertThat(rig.blocksInUse()).isEqualTo(blocks);
        assertThat(door.rejected).isEqualTo(2);
        assertThat(large.status()).isEqualTo(RpcStatus.PERMISSION_DENIED.code());
        assertThat(small.status()).isEqualTo(RpcStatus.PERMISSION_DENIED.code());
        assertThat(large.failureText().message()).contains(responds ? "with 0 bytes" : "may not call");
        assertThat(small.failureText().message()).contains(responds ? "with 11 bytes" : "may not call");
        assertThat(rig.loop.gauges().statistics().requestsReceived()).isEqualTo(2);
    }

    @Test
    @DisplayName("a call of an unknown method is rejected with the names of the services that the peer may call")
    void whenAMethodIsUnknownThenOnlyServicesForThePeerAreNamed() {
        rig.serve(77, new ClosedDoor(true), null);

        rig.receive(Packet.request(session, FIRST, 78, HELLO));

        Packet response = rig.onlySent();
        assertThat(response.status()).isEqualTo(RpcStatus.UNKNOWN_METHOD.code());
        assertThat(response.failureText().message())
                .contains("test.Service" + ECHO)
                .doesNotContain("test.Service77");
    }
}
