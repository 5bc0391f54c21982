package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.BACKLOG;
import static io.rdmarpc.rpc.engine.EngineRig.ECHO;
import static io.rdmarpc.rpc.engine.EngineRig.PEER_SESSION;
import static io.rdmarpc.rpc.engine.EngineRig.RETRANSMIT_LIMIT;
import static io.rdmarpc.rpc.engine.EngineRig.TICK;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RdmaBufferStateException;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Calls use slots, are sent, are retransmitted, and are cancelled or time out. */
class ClientRequestsTest {

    private static final byte[] HELLO = EngineRig.bytes(11);

    private final EngineRig rig = new EngineRig();
    private final ClientSession session = rig.client();

    @AfterEach
    void close() {
        rig.close();
    }

    private List<TestCall> calls(int count) {
        List<TestCall> calls = IntStream.range(0, count)
                .mapToObj(i -> rig.call(session, EngineRig.bytes(i)))
                .toList();
        rig.runLoop();
        return calls;
    }

    @Test
    @DisplayName("SM-01 a call is sent as one packet with its remaining time")
    void shouldSendARequest() {
        rig.call(session, HELLO, Duration.ofMillis(30));
        rig.clock.advance(Duration.ofMillis(10));
        rig.runLoop();

        Packet request = rig.onlySent();
        assertThat(request.type()).isEqualTo(PacketType.REQUEST);
        assertThat(request.flags()).isEqualTo(PacketHeader.FLAG_DEADLINE);
        assertThat(request.status()).isZero();
        assertThat(request.session()).isEqualTo(PEER_SESSION);
        assertThat(request.cookie()).isEqualTo(session.cookie);
        assertThat(request.index()).as("first call of slot 0").isEqualTo(WINDOW);
        assertThat(request.method()).isEqualTo(ECHO);
        assertThat(request.length()).isEqualTo(HELLO.length);
        assertThat(request.remainingMicros()).isEqualTo(20_000);
        assertThat(request.body()).isEqualTo(HELLO);
    }

    @Test
    @DisplayName("SM-07 a packet within the inline limit is sent inline, one byte more is not; both are signaled "
            + "once per flush")
    void shouldSendShortPacketsInline() {
        int inline = 64 - PacketHeader.BYTES - PacketHeader.DEADLINE_BYTES;
        rig.call(session, EngineRig.bytes(inline));
        rig.call(session, EngineRig.bytes(inline + 1));
        rig.runLoop();

        assertThat(rig.nic.takeSent()).extracting(sent -> sent.inline()).containsExactly(true, false);
        assertThat(rig.nic.signaledSends()).as("one postlist").isOne();
    }

    @Test
    @DisplayName("SM-07 LG-05 a request of exactly a packet is small, one byte more is large")
    void whenARequestIsOneByteOverAPacketThenItIsLent() {
        int most = session.maxPacketPayload();
        assertThat(most).isEqualTo(EngineRig.MTU - 40);
        rig.call(session, EngineRig.bytes(most));
        rig.call(session, EngineRig.bytes(most + 1));
        rig.runLoop();

        List<Packet> sent = rig.sent();
        assertThat(sent.get(0).type()).isEqualTo(PacketType.REQUEST);
        assertThat(sent.get(0).bytes()).hasSize(EngineRig.MTU);
        assertThat(sent.get(1).type()).isEqualTo(PacketType.LARGE_REQUEST);
        assertThat(sent.get(1).length()).isEqualTo(most + 1);
        assertThat(rig.lentBytes(sent.get(1))).isEqualTo(EngineRig.bytes(most + 1));
    }

    @Test
    @DisplayName("SM-03 FC-01 calls beyond the window wait and are sent in order as slots become free")
    void whenTheWindowIsFullThenCallsWait() {
        List<TestCall> calls = calls(WINDOW + 3);
        assertThat(rig.sent()).extracting(Packet::index).containsExactly(4L, 5L, 6L, 7L);

        rig.receive(Packet.response(session, 6, HELLO));
        Packet next = rig.onlySent();
        assertThat(next.index()).as("the same slot's next call").isEqualTo(6 + WINDOW);
        assertThat(next.body()).as("first come, first served").isEqualTo(EngineRig.bytes(WINDOW));
        assertThat(calls.get(2).response()).isEqualTo(HELLO);

        rig.receive(Packet.response(session, 10, HELLO));
        assertThat(rig.onlySent().index()).isEqualTo(10 + WINDOW);
    }

    @Test
    @DisplayName("FC-02 beyond window and backlog a call is rejected at once, on the caller's thread")
    void whenTheBacklogIsFullThenCallsAreRejected() {
        List<TestCall> taken = calls(WINDOW + BACKLOG);

        TestCall rejected = rig.call(session, HELLO);

        assertThat(rejected.failure())
                .isInstanceOf(RdmaBackpressureException.class)
                .hasMessageContaining("has 12 calls in flight or waiting");
        rig.receive(Packet.response(session, WINDOW, HELLO));
        assertThat(taken.getFirst().response()).isEqualTo(HELLO);
        TestCall accepted = rig.call(session, HELLO);
        rig.runLoop();
        assertThat(accepted.ends()).isZero();
    }

    @Test
    @DisplayName("LO-01 a lost request is retransmitted after 20, 40, 80 ms...")
    void whenNoResponseArrivesThenTheRequestIsRetransmittedWithBackOff() {
        rig.call(session, HELLO);
        rig.runLoop();
        byte[] first = rig.onlySent().withRemainingMicros(0).bytes();
        List<Integer> sentAt = new ArrayList<>();
        for (int millis = 1; millis < 300; millis++) {
            rig.pass(TICK);
            for (Packet copy : rig.sent()) {
                sentAt.add(millis);
                assertThat(copy.remainingMicros()).isEqualTo(60_000_000 - millis * 1000L);
                assertThat(copy.withRemainingMicros(0).bytes()).isEqualTo(first);
            }
        }

        assertThat(sentAt).containsExactly(20, 60, 140);
        assertThat(rig.loop.gauges().statistics().retransmissions()).isEqualTo(3);
    }

    @Test
    @DisplayName("LO-01 without any response the session ends, once")
    void whenTheLimitIsReachedThenTheSessionIsBroken() {
        List<TestCall> calls = calls(WINDOW + 1);

        rig.pass(Duration.ofSeconds(2));

        EngineRig.Host host = rig.hostOf(session);
        assertThat(host.broken).hasSize(1);
        assertThat(host.broken.getFirst()).contains("no response after " + RETRANSMIT_LIMIT + " sends");
        assertThat(session.isOpen()).isFalse();
        assertThat(rig.call(session, HELLO).failure()).isInstanceOf(RdmaUnavailableException.class);
        rig.remove(session, "broken");
        assertThat(calls)
                .allSatisfy(call -> assertThat(call.failure())
                        .isInstanceOf(RdmaUnavailableException.class)
                        .hasMessageContaining("no response after"));
    }

    @Test
    @DisplayName("LO-02 progress resets the retransmission limit: a slow call is not ended")
    void whenTheServerReportsProgressThenTheLimitIsReset() {
        TestCall call = rig.call(session, HELLO);
        rig.runLoop();
        for (int i = 0; i < 40; i++) {
            rig.pass(Duration.ofMillis(100));
            rig.receive(Packet.progress(session, WINDOW, true));
        }

        assertThat(session.isOpen()).isTrue();
        rig.receive(Packet.response(session, WINDOW, HELLO));
        assertThat(call.response()).isEqualTo(HELLO);
    }

    @Test
    @DisplayName("LO-08 a request that is still at the NIC is not retransmitted and does not change")
    void whenTheRequestIsAtTheNicThenItIsNotRetransmitted() {
        rig.nic.holdSends(true);
        rig.call(session, HELLO);
        rig.runLoop();
        assertThat(rig.sent()).hasSize(1);

        rig.pass(Duration.ofMillis(500));
        assertThat(rig.sent()).isEmpty();
        assertThat(session.isOpen()).isTrue();

        rig.nic.completeSends();
        rig.pass(TICK.multipliedBy(2));
        assertThat(rig.sent()).hasSize(1);
    }

    @Test
    @DisplayName("LO-08 a response while a copy is at the NIC: the slot is reused, the memory is not")
    void whenTheResponseOvertakesTheCopyThenTheMemoryIsNotReused() {
        rig.nic.holdSends(true);
        TestCall call = rig.call(session, HELLO);
        rig.runLoop();
        rig.receive(Packet.response(session, WINDOW, HELLO));
        assertThat(call.response()).isEqualTo(HELLO);

        for (int i = 0; i < 10; i++) {
            rig.call(session, EngineRig.bytes(100 + i));
            rig.runLoop();
            rig.receive(Packet.response(session, WINDOW + (i + 1L) * WINDOW, HELLO));
        }
        assertThat(rig.slab.statistics().blocksInUse()).isEqualTo(11);

        rig.nic.completeSends();
        rig.runLoop();
        assertThat(rig.slab.statistics().blocksInUse()).isZero();
    }

    @Test
    @DisplayName("FL-06 a timeout reports that the server has received the request")
    void whenTheServerHasTheCallThenTheTimeoutReportsIt() {
        TestCall late = rig.call(session, HELLO, Duration.ofMillis(10));
        rig.runLoop();
        rig.receive(Packet.progress(session, WINDOW, false));

        rig.pass(Duration.ofMillis(11));

        assertThat(late.failure()).hasMessageContaining("the server has received the request but has not responded");
    }

    @Test
    @DisplayName("FL-06 a small call that times out frees its slot and notifies the server")
    void whenASmallCallTimesOutThenItsSlotIsFree() {
        TestCall late = rig.call(session, HELLO, Duration.ofMillis(10));
        rig.runLoop();
        rig.sent();

        rig.pass(Duration.ofMillis(11));

        assertThat(late.failure())
                .isInstanceOf(RdmaTimeoutException.class)
                .hasMessageStartingWith("no response from peer:1 within 10 ms; the request was sent once");
        Packet release = rig.onlySent();
        assertThat(release.type()).isEqualTo(PacketType.CANCEL);
        assertThat(release.index()).isEqualTo(WINDOW);
        assertThat(rig.blocksInUse()).isZero();
        rig.receive(Packet.response(session, WINDOW, HELLO));
        assertThat(rig.dropped(Drop.STALE)).as("the late response").isOne();
        assertThat(rig.loop.gauges().statistics().callsFailed()).isOne();
    }

    @Test
    @DisplayName("FL-06 a call that times out frees its slot for the next one")
    void whenACallTimesOutThenTheBacklogMovesOn() {
        for (int i = 0; i < WINDOW; i++) {
            rig.call(session, HELLO, Duration.ofMillis(10));
        }
        rig.call(session, EngineRig.bytes(50));
        rig.runLoop();
        assertThat(rig.sent()).hasSize(WINDOW);

        rig.pass(Duration.ofMillis(11));

        assertThat(rig.sent())
                .filteredOn(packet -> packet.type() == PacketType.REQUEST)
                .extracting(Packet::length)
                .containsExactly(50);
    }

    @Test
    @DisplayName("FL-06 a call also times out in the backlog")
    void whenACallTimesOutWhileItWaitsThenItWasNeverSent() {
        calls(WINDOW);
        TestCall waiting = rig.call(session, EngineRig.bytes(50), Duration.ofMillis(10));
        TestCall patient = rig.call(session, EngineRig.bytes(60));
        rig.runLoop();
        rig.sent();

        rig.pass(Duration.ofMillis(11));

        assertThat(waiting.failure())
                .isInstanceOf(RdmaTimeoutException.class)
                .hasMessageContaining(
                        "the call was still waiting for one of 4 slots. It was not sent: use a longer timeout");
        assertThat(rig.sent()).isEmpty();
        rig.receive(Packet.response(session, WINDOW, HELLO));
        assertThat(rig.onlySent().length()).isEqualTo(60);
        assertThat(patient.ends()).isZero();
    }

    @Test
    void whenTheTimeoutIsUnlimitedThenItDoesNotOverflow() {
        TestCall call = rig.call(session, HELLO, Duration.ofNanos(Long.MAX_VALUE));
        rig.runLoop();

        rig.pass(TICK);

        assertThat(call.ends()).isZero();
        assertThat(rig.onlySent().remainingMicros()).isEqualTo(Long.MAX_VALUE / 1000);
    }

    @Test
    @DisplayName("FC-03 a full send queue is back-pressure: packets wait and are sent in order")
    void whenTheSendQueueIsFullThenPacketsWait() {
        rig.nic.rejectSends(true);
        List<TestCall> calls = calls(WINDOW);
        assertThat(rig.sent()).isEmpty();

        rig.nic.rejectSends(false);
        rig.runLoop();

        assertThat(rig.sent()).extracting(Packet::length).containsExactly(0, 1, 2, 3);
        assertThat(calls).allMatch(call -> call.ends() == 0);
    }

    @Test
    @DisplayName("FC-03 more packets than the NIC's queue holds: the rest is sent when some are complete")
    void whenTheNicIsSlowThenNothingIsLost() {
        List<ClientSession> sessions =
                IntStream.range(0, 20).mapToObj(i -> rig.client()).toList();
        rig.nic.holdSends(true);
        for (ClientSession each : sessions) {
            for (int i = 0; i < WINDOW; i++) {
                rig.call(each, EngineRig.bytes(100));
            }
        }
        rig.runLoop();
        assertThat(rig.sent()).as("the depth of the queue").hasSize(64);

        rig.nic.completeSends();
        rig.runLoop();
        assertThat(rig.sent()).hasSize(20 * WINDOW - 64);
    }

    @Test
    @DisplayName("FL-06 a call that times out before its packet left never leaves")
    void whenAStalledCallTimesOutThenItIsNotSent() {
        rig.nic.holdSends(true);
        List<ClientSession> sessions =
                IntStream.range(0, 16).mapToObj(i -> rig.client()).toList();
        sessions.forEach(each -> IntStream.range(0, WINDOW).forEach(i -> rig.call(each, HELLO)));
        TestCall stalled = rig.call(session, EngineRig.bytes(50), Duration.ofMillis(10));
        rig.runLoop();
        assertThat(rig.sent()).hasSize(64).noneMatch(packet -> packet.length() == 50);

        rig.pass(Duration.ofMillis(11));
        assertThat(stalled.failure()).isInstanceOf(RdmaTimeoutException.class);
        rig.nic.completeSends();
        rig.runLoop();

        assertThat(rig.sent()).noneMatch(packet -> packet.length() == 50);
    }

    @Test
    @DisplayName("LT-05 a request whose buffer is closed is the caller's error")
    void whenTheRequestIsClosedThenTheCallerGetsAnException() {
        MessageBuffer buffer = session.allocate(10);
        buffer.close();
        TestCall call = new TestCall();

        assertThatExceptionOfType(RdmaBufferStateException.class)
                .isThrownBy(() -> session.call(ECHO, buffer, 1_000_000, call));
        assertThat(call.ends()).isZero();
        for (int i = 0; i < WINDOW + BACKLOG; i++) {
            assertThat(rig.call(session, HELLO).ends()).as("capacity").isZero();
        }
    }

    @Test
    @DisplayName("LG-06 a message over the limit is rejected at the sender")
    void whenAMessageIsOverTheLimitThenItIsNotSent() {
        assertThatExceptionOfType(RdmaMessageTooLargeException.class)
                .isThrownBy(() -> session.allocate(EngineRig.MAX_MESSAGE + 1))
                .withMessageContaining("a message of 1000001 bytes to peer:1 exceeds the 1000000 bytes");
        MessageBuffer buffer = session.allocate(EngineRig.MAX_MESSAGE);
        buffer.length(EngineRig.MAX_MESSAGE + 1);
        TestCall call = new TestCall();

        session.call(ECHO, buffer, 1_000_000_000, call);
        rig.runLoop();

        assertThat(call.failure()).isInstanceOf(RdmaMessageTooLargeException.class);
        assertThat(rig.sent()).isEmpty();
    }

    @Test
    void whenMemoryRunsOutWhileTheRequestIsMovedThenItIsBackPressure() {
        MessageBuffer buffer = session.allocate(10);
        buffer.length(session.maxPacketPayload() + 1);
        rig.nic.rejectMemory(true);
        TestCall call = new TestCall();

        session.call(ECHO, buffer, 1_000_000_000, call);

        assertThat(call.failure())
                .isInstanceOf(RdmaBackpressureException.class)
                .hasMessage("no memory for the request");
    }

    @Test
    @DisplayName("a request in packet memory of another NIC is copied: its key is invalid at this one")
    void whenARequestIsInAnotherNicsMemoryThenItIsCopied() {
        try (EngineRig other = new EngineRig()) {
            MessageBuffer foreign = EngineRig.filled(other.slab.allocate(), HELLO);
            TestCall call = new TestCall();
            session.call(ECHO, foreign, 1_000_000_000, call);
            rig.runLoop();

            assertThat(rig.onlySent().body()).isEqualTo(HELLO);
            assertThat(other.slab.statistics().blocksInUse()).isZero();
            assertThat(rig.slab.statistics().blocksInUse()).isOne();
        }
    }

    @Test
    @DisplayName("FL-03 a call to a session that has ended fails at once")
    void whenTheSessionHasEndedThenACallFailsAtOnce() {
        rig.remove(session, "the server said goodbye");

        TestCall call = new TestCall();
        MessageBuffer buffer = rig.slab.allocate();
        session.call(ECHO, buffer, 1_000_000_000, call);

        assertThat(call.failure())
                .isInstanceOf(RdmaUnavailableException.class)
                .hasMessageContaining("the server said goodbye");
        assertThat(buffer.isOpen()).isFalse();
    }

    @Test
    @DisplayName("FL-03 a call that was queued before the session ended fails when the engine sees it")
    void whenTheSessionEndsWhileACallIsQueuedThenItFailsOnce() {
        TestCall call = rig.call(session, HELLO);
        rig.loop.sessions().remove(session, "too late");
        rig.hostOf(session).removed = true;

        rig.runLoop();

        assertThat(call.failure()).isInstanceOf(RdmaUnavailableException.class);
        assertThat(rig.sent()).isEmpty();
    }
}
