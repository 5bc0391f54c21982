package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.ECHO;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaContractException;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.rpc.wire.PacketType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client receives responses in every order: old, current, duplicate, future. */
class ClientResponsesTest {

    /** The first call is in slot 0. */
    private static final long INDEX = WINDOW;

    private static final byte[] HELLO = EngineRig.bytes(11);

    private final EngineRig rig = new EngineRig();
    private final ClientSession session = rig.client();
    private final TestCall call = rig.call(session, HELLO);

    ClientResponsesTest() {
        rig.runLoop();
        rig.sent();
    }

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @DisplayName("LO-06 current: the response ends the call")
    void whenTheResponseIsCurrentThenTheCallEnds() {
        rig.receive(Packet.response(session, INDEX, EngineRig.bytes(99)));

        assertThat(call.response()).isEqualTo(EngineRig.bytes(99));
        assertThat(rig.droppedInAll()).isZero();
        assertThat(rig.loop.gauges().statistics().callsCompleted()).isOne();
        assertThat(rig.sent()).as("no RELEASE").isEmpty();
    }

    @Test
    @DisplayName("LO-06 duplicate: the second copy is dropped and counted")
    void whenTheResponseArrivesTwiceThenTheSecondIsDropped() {
        rig.receive(Packet.response(session, INDEX, HELLO));
        rig.receive(Packet.response(session, INDEX, HELLO));

        assertThat(call.response()).isEqualTo(HELLO);
        assertThat(rig.dropped(Drop.STALE)).isOne();
    }

    @Test
    @DisplayName("LO-06 old: a response to the slot's last call does not end the next one")
    void whenTheResponseIsOldThenTheCurrentCallContinues() {
        rig.receive(Packet.response(session, INDEX, HELLO));
        TestCall next = rig.call(session, HELLO);
        rig.runLoop();

        rig.receive(Packet.response(session, INDEX, EngineRig.bytes(3)));

        assertThat(next.ends()).isZero();
        assertThat(rig.dropped(Drop.STALE)).isOne();
        rig.receive(Packet.response(session, INDEX + WINDOW, EngineRig.bytes(4)));
        assertThat(next.response()).isEqualTo(EngineRig.bytes(4));
    }

    @ParameterizedTest
    @ValueSource(longs = {INDEX + WINDOW, INDEX + 1, INDEX - WINDOW, 0, -1, Long.MAX_VALUE, Long.MIN_VALUE})
    @DisplayName("LO-06 future and unknown: dropped and counted, without an exception")
    void whenTheResponseBelongsToNoCallThenItIsDropped(long index) {
        rig.receive(Packet.response(session, index, HELLO));
        rig.receive(Packet.progress(session, index, true));

        assertThat(call.ends()).isZero();
        assertThat(rig.dropped(Drop.STALE)).isEqualTo(2);
        assertThat(rig.sent()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(longs = {INDEX + WINDOW, INDEX + 1, INDEX - WINDOW})
    @DisplayName("LO-06 a large response without a call is released, so that the server need not retain it")
    void whenALargeResponseBelongsToNoCallThenItIsReleased(long index) {
        rig.receive(Packet.largeResponse(session, index, 5000, 0x1000, 7));

        Packet release = rig.onlySent();
        assertThat(release.type()).isEqualTo(PacketType.RELEASE);
        assertThat(release.index()).isEqualTo(index);
        assertThat(call.ends()).isZero();
        assertThat(rig.nic.readsPosted()).isZero();
    }

    @Test
    @DisplayName("LO-06 a second response to a failed call is dropped")
    void whenAFailureArrivesThenTheCallEndsOnce() {
        rig.receive(Packet.failure(session, INDEX, RpcStatus.HANDLER_FAILED, "a.B", "no stock"));
        rig.receive(Packet.response(session, INDEX, HELLO));

        assertThat(call.failure()).isInstanceOf(RdmaRemoteException.class).hasMessage("no stock");
        assertThat(((RdmaRemoteException) call.failure()).remoteType()).isEqualTo("a.B");
        assertThat(rig.loop.gauges().statistics().callsCompleted()).isOne();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "OK")
    @DisplayName("FL-18 details of a failure reach the caller, whatever its status")
    void whenAFailureHasDetailsThenTheExceptionHasThem(RpcStatus status) {
        RdmaErrorDetails details = RdmaErrorDetails.builder()
                .retryDelay(Duration.ofMillis(30))
                .fieldViolation("count", "must be positive", "Positive")
                .build();

        rig.receive(Packet.failure(session, INDEX, status, "words", details));

        assertThat(call.failure().errorDetails()).isEqualTo(details);
        assertThat(call.failure().retryAfter()).isEqualTo(Duration.ofMillis(30));
    }

    @ParameterizedTest
    @CsvSource({
        "HANDLER_FAILED, HANDLER_FAILED",
        "INVALID_REQUEST, INVALID_REQUEST",
        "UNAVAILABLE, UNAVAILABLE",
        "CANCELLED, CANCELLED",
        "INTERNAL, INTERNAL"
    })
    void whenTheServerFailsThenTheStatusIsKept(RpcStatus sent, RpcStatus received) {
        rig.receive(Packet.failure(session, INDEX, sent, "", "words"));

        assertThat(call.failure()).isInstanceOf(RdmaRemoteException.class).hasMessage("words");
        assertThat(call.failure().status()).isEqualTo(received);
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 99, 255})
    void whenTheStatusIsOfALaterVersionThenItIsInternal(int code) {
        rig.receive(
                Packet.failure(session, INDEX, RpcStatus.INTERNAL, "", "words").withStatus(code));

        assertThat(call.failure().status()).isEqualTo(RpcStatus.INTERNAL);
        assertThat(call.failure()).hasMessage("words");
    }

    @Test
    void shouldHaveAnExceptionForEachRejection() {
        assertThat(failureOf(RpcStatus.UNKNOWN_METHOD)).isInstanceOf(RdmaContractException.class);
        assertThat(failureOf(RpcStatus.CONTRACT_MISMATCH)).isInstanceOf(RdmaContractException.class);
        assertThat(failureOf(RpcStatus.DEADLINE_EXCEEDED)).isInstanceOf(RdmaTimeoutException.class);
        assertThat(failureOf(RpcStatus.BACKPRESSURE)).isInstanceOf(RdmaBackpressureException.class);
        assertThat(failureOf(RpcStatus.MESSAGE_TOO_LARGE)).isInstanceOf(RdmaMessageTooLargeException.class);
    }

    private RdmaRpcException failureOf(RpcStatus status) {
        ClientSession other = rig.client();
        TestCall rejected = rig.call(other, HELLO);
        rig.runLoop();
        rig.receive(Packet.failure(other, WINDOW, status, "", "words"));
        assertThat(rejected.failure()).hasMessage("peer:1 responded: words");
        return rejected.failure();
    }

    @Test
    void whenAFailureHasNoTextThenItStillFails() {
        rig.receive(Packet.response(session, INDEX, new byte[0]).withStatus(RpcStatus.HANDLER_FAILED.code()));

        assertThat(call.failure()).hasMessage("");
    }

    @Test
    @DisplayName("SM-05 an empty response is a response")
    void whenTheResponseIsEmptyThenTheCallEnds() {
        rig.receive(Packet.response(session, INDEX, new byte[0]));

        assertThat(call.response()).isEmpty();
    }

    @Test
    @DisplayName("FC-06 a response that is read slowly keeps only its ring entry")
    void whenTheReaderIsSlowThenItsBytesStay() {
        List<InboundMessage> messages = new ArrayList<>();
        ResponseHandler slow = new ResponseHandler() {
            @Override
            public void onResponse(InboundMessage response) {
                messages.add(response);
            }

            @Override
            public void onFailure(RdmaRpcException failure) {
                throw new AssertionError(failure);
            }
        };
        rig.receive(Packet.response(session, INDEX, HELLO));
        for (int i = 1; i < 100; i++) {
            session.call(ECHO, EngineRig.filled(session.allocate(1), new byte[1]), 1_000_000_000, slow);
            rig.runLoop();
            rig.receive(Packet.response(session, INDEX + (long) i * WINDOW, EngineRig.bytes(i)));
        }

        for (int i = 1; i < 100; i++) {
            InboundMessage message = messages.get(i - 1);
            assertThat(message.length()).isEqualTo(i);
            assertThat(message.payload().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE))
                    .isEqualTo(EngineRig.bytes(i));
        }
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING / 2);
        messages.forEach(InboundMessage::close);
        messages.forEach(InboundMessage::close);
        rig.runLoop();
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    @DisplayName("SM-09 calls from a response handler, 1000 deep")
    void whenAHandlerCallsAgainThenTheStackDoesNotGrow() {
        int[] left = {1000};
        ResponseHandler again = new ResponseHandler() {
            @Override
            public void onResponse(InboundMessage response) {
                response.close();
                if (left[0]-- > 0) {
                    session.call(ECHO, session.allocate(0), 1_000_000_000, this);
                }
            }

            @Override
            public void onFailure(RdmaRpcException failure) {
                throw new AssertionError(failure);
            }
        };
        rig.receive(Packet.response(session, INDEX, HELLO));
        session.call(ECHO, session.allocate(0), 1_000_000_000, again);
        rig.runLoop();

        for (int i = 1; left[0] >= 0; i++) {
            rig.receive(Packet.response(session, INDEX + (long) i * WINDOW, HELLO));
        }

        assertThat(rig.loop.gauges().statistics().callsCompleted()).isEqualTo(1002);
    }

    @Test
    void whenAHandlerThrowsThenItsMessageIsClosedAndTheEngineContinues() {
        rig.receive(Packet.response(session, INDEX, HELLO));
        session.call(ECHO, session.allocate(0), 1_000_000_000, new ResponseHandler() {
            @Override
            public void onResponse(InboundMessage response) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void onFailure(RdmaRpcException failure) {
                throw new AssertionError(failure);
            }
        });
        rig.runLoop();
        rig.receive(Packet.response(session, INDEX + WINDOW, HELLO));
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);

        TestCall next = rig.call(session, HELLO);
        rig.runLoop();
        rig.receive(Packet.response(session, INDEX + 2L * WINDOW, HELLO));
        assertThat(next.response()).isEqualTo(HELLO);
    }
}
