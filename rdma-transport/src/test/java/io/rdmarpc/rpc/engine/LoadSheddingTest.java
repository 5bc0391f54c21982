package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static io.rdmarpc.rpc.engine.EngineRig.HOLD;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.error.RdmaOverloadedException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.MessageOrigin;
import io.rdmarpc.rpc.wire.FailureText;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Calls that a server rejects under load. */
class LoadSheddingTest {

    private static final int QUEUED = 3;
    private static final int LARGE = 10_000;
    private static final byte[] HELLO = EngineRig.bytes(11);

    private final EngineRig rig = new EngineRig(new LoadLimits(2, Duration.ofMillis(10)));
    private final ServerSession session = rig.server();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @DisplayName("FL-07 a call over the limit is rejected, with a time for the retry, and not executed")
    void whenTooManyCallsAreUnfinishedThenTheNextIsRejected() {
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        rig.receive(Packet.request(session, FIRST + 1, HOLD, HELLO));

        rig.receive(Packet.request(session, FIRST + 2, HOLD, HELLO));

        Packet response = rig.onlySent();
        assertThat(response.status()).isEqualTo(RpcStatus.OVERLOADED.code());
        assertThat(response.failureText().message()).contains("limit of 2 calls");
        assertThat(response.failureText().retryAfterMillis()).isPositive();
        assertThat(rig.held).hasSize(2);
        assertThat(rig.dropped(Drop.OVERLOAD)).isOne();
    }

    @Test
    @DisplayName("FL-07 a large call over the limit is rejected without a READ")
    void whenALargeCallIsOverTheLimitThenNothingIsRead() {
        rig.connect(session);
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        rig.receive(Packet.request(session, FIRST + 1, HOLD, HELLO));

        rig.receive(Packet.largeRequest(session, FIRST + 2, HOLD, 10_000, 0x7000, 1));

        assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.OVERLOADED.code());
        assertThat(rig.nic.readsPosted()).isZero();
    }

    @Test
    @DisplayName("FL-07 large calls count from the packet that announces them, not from the end of their READs")
    void whenManyLargeCallsArriveAtOnceThenNoMoreAreReadThanAccepted() {
        rig.connect(session);
        for (int i = 0; i < WINDOW; i++) {
            rig.receive(Packet.largeRequest(session, FIRST - 1 + i, HOLD, LARGE, 0x7000, 1));
        }

        assertThat(rig.nic.readsPosted())
                .as("a peer gets only its part of the room")
                .isOne();
        completeReads();
        assertThat(rig.nic.readsPosted()).isEqualTo(2);
        completeReads();

        assertThat(rig.nic.readsPosted()).isEqualTo(2);
        assertThat(rig.sent()).hasSize(2).allMatch(response -> response.status() == RpcStatus.OVERLOADED.code());
        assertThat(rig.held).hasSize(2);
    }

    @Test
    @DisplayName("FL-07 large calls of a peer that serves no READ leave room for calls of another one")
    void whenAPeerServesNoReadThenCallsOfOthersAreAccepted() {
        ServerSession other = rig.server(new MessageOrigin("another peer", "its connection"));
        rig.connect(session);
        rig.connect(other);
        for (int i = 0; i < WINDOW; i++) {
            rig.receive(Packet.largeRequest(session, FIRST - 1 + i, HOLD, LARGE, 0x7000, 1));
        }
        assertThat(rig.nic.reads()).hasSize(1);

        rig.receive(Packet.largeRequest(other, FIRST, HOLD, LARGE, 0x7000, 1));
        assertThat(rig.nic.reads()).hasSize(2);
        rig.nic.reads().getLast().complete(new byte[LARGE], 0x7000);
        rig.runLoop();

        assertThat(rig.held).hasSize(1);
        assertThat(rig.sent()).isEmpty();
    }

    @Test
    @DisplayName("FL-06 a large call whose deadline passes while it waits for other calls of its peer is not READ")
    void whenTheDeadlineHasPassedWhileALargeCallWaitsThenItIsNotRead() {
        rig.connect(session);
        rig.receive(Packet.largeRequest(session, FIRST, HOLD, LARGE, 0x7000, 1));
        rig.receive(
                Packet.largeRequest(session, FIRST + 1, HOLD, LARGE, 0x7000, 1).withRemainingMicros(3_000));
        rig.pass(Duration.ofMillis(3));

        completeReads();

        assertThat(rig.nic.readsPosted()).isOne();
        assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED.code());
    }

    @Test
    @DisplayName("FL-07 a large call whose READ has failed makes room")
    void whenAReadFailsThenThereIsRoomAgain() {
        ServerSession other = rig.server();
        rig.connect(other);
        rig.receive(Packet.largeRequest(other, FIRST, HOLD, LARGE, 0x7000, 1));
        rig.receive(Packet.largeRequest(other, FIRST + 1, HOLD, LARGE, 0x7000, 1));
        rig.nic.reads().forEach(read -> read.end(CompletionStatus.REM_ACCESS_ERR));
        rig.runLoop();

        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        rig.receive(Packet.request(session, FIRST + 1, HOLD, HELLO));

        assertThat(rig.held).hasSize(2);
    }

    private void completeReads() {
        rig.nic.reads().forEach(read -> read.complete(new byte[LARGE], 0x7000));
        rig.runLoop();
    }

    @Test
    @DisplayName("FL-07 the time of a READ does not count as waiting for a thread")
    void whenTheReadTakesLongThenTheCallRunsNevertheless() {
        List<Runnable> queue = new ArrayList<>();
        rig.serve(QUEUED, rig.held::add, queue::add);
        rig.connect(session);
        rig.receive(Packet.largeRequest(session, FIRST, QUEUED, LARGE, 0x7000, 1));
        rig.pass(Duration.ofMillis(50));
        completeReads();

        rig.pass(Duration.ofMillis(9));
        queue.getFirst().run();

        assertThat(rig.held).hasSize(1);
        assertThat(rig.held.getFirst().elapsedNanos())
                .isEqualTo(Duration.ofMillis(59).toNanos());
    }

    @Test
    @DisplayName("FL-07 after a call is completed another one is accepted")
    void whenACallIsCompletedThenThereIsRoomAgain() {
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        rig.receive(Packet.request(session, FIRST + 1, HOLD, HELLO));
        EngineRig.respond(rig.held.getFirst(), HELLO);
        rig.runLoop();

        rig.receive(Packet.request(session, FIRST + WINDOW, HOLD, HELLO));

        assertThat(rig.held).hasSize(3);
    }

    @Test
    @DisplayName("FL-07 the retry time follows the mean time of calls")
    void whenCallsTakeLongThenTheHintIsLonger() {
        for (int i = 0; i < 40; i++) {
            rig.receive(Packet.request(session, FIRST + (long) WINDOW * i, HOLD, HELLO));
            rig.pass(Duration.ofMillis(50));
            EngineRig.respond(rig.held.getLast(), HELLO);
            rig.runLoop();
        }
        rig.receive(Packet.request(session, FIRST + 1, HOLD, HELLO));
        rig.receive(Packet.request(session, FIRST + 2, HOLD, HELLO));
        rig.sent();

        rig.receive(Packet.request(session, FIRST - 1 + WINDOW, HOLD, HELLO));

        assertThat(rig.onlySent().failureText().retryAfterMillis()).isBetween(40, 51);
    }

    @Test
    @DisplayName("FL-07 a call that waited too long for a thread is rejected and not executed")
    void whenACallWaitsTooLongForAThreadThenItIsRejected() {
        List<Runnable> queue = new ArrayList<>();
        rig.serve(QUEUED, EngineRig::echo, queue::add);
        rig.receive(Packet.request(session, FIRST, QUEUED, HELLO));
        rig.receive(Packet.request(session, FIRST + 1, QUEUED, HELLO));

        rig.pass(Duration.ofMillis(10));
        queue.getFirst().run();
        rig.runLoop();
        assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.OK.code());
        rig.pass(Duration.ofMillis(1));
        queue.getLast().run();
        rig.runLoop();

        Packet response = rig.onlySent();
        assertThat(response.status()).isEqualTo(RpcStatus.OVERLOADED.code());
        assertThat(response.failureText().message()).contains("waited 12 ms for a thread");
    }

    @Test
    @DisplayName("FL-06 a call whose deadline passes before a thread is free is not executed")
    void whenTheDeadlineHasPassedInTheQueueThenItIsNotRun() {
        List<Runnable> queue = new ArrayList<>();
        rig.serve(QUEUED, rig.held::add, queue::add);
        rig.receive(Packet.request(session, FIRST, QUEUED, HELLO).withRemainingMicros(3_000));

        rig.pass(Duration.ofMillis(3));
        queue.getFirst().run();
        rig.runLoop();

        assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED.code());
        assertThat(rig.held).isEmpty();
    }

    @Test
    @DisplayName("FL-07 the client gets a typed exception with the server's retry time")
    void whenTheServerShedsThenTheCallersExceptionHasTheHint() {
        ClientSession client = rig.client();
        TestCall call = rig.call(client, HELLO);
        rig.runLoop();
        byte[] body = new byte[100];
        int length = new FailureText("", "busy", 250).write(MemorySegment.ofArray(body));

        rig.receive(Packet.response(client, rig.onlySent().index(), Arrays.copyOf(body, length))
                .withStatus(RpcStatus.OVERLOADED.code()));

        assertThat(call.failure()).isInstanceOf(RdmaOverloadedException.class).hasMessageContaining("busy");
        assertThat(call.failure().retryAfter()).isEqualTo(Duration.ofMillis(250));
        assertThat(call.failure().status().isRetryable()).isTrue();
    }

    @Test
    @DisplayName("FL-07 a server with a limit only for large calls accepts small ones, and READs large ones up to "
            + "the limit")
    void whenTheLimitIsForLargeCallsThenSmallOnesAreAccepted() {
        try (EngineRig counted = new EngineRig(new LoadLimits(0, Duration.ZERO, 1))) {
            ServerSession of = counted.server();
            counted.connect(of);
            counted.receive(Packet.request(of, FIRST, HOLD, HELLO));
            counted.receive(Packet.request(of, FIRST + 1, HOLD, HELLO));

            counted.receive(Packet.largeRequest(of, FIRST + 2, HOLD, LARGE, 0x7000, 1));

            assertThat(counted.held).hasSize(2);
            assertThat(counted.nic.readsPosted()).isZero();
            assertThat(counted.onlySent().failureText().message()).contains("limit of 1 calls");
        }
    }

    @Test
    void whenALimitIsNegativeThenItIsRejected() {
        assertThatExceptionOfType(RdmaConfigurationException.class).isThrownBy(() -> new LoadLimits(-1, Duration.ZERO));
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> new LoadLimits(1, Duration.ofMillis(-1)));
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> new LoadLimits(0, Duration.ZERO, -1));
    }
}
