package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.ECHO;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.TestSeed;
import io.rdmarpc.rpc.RpcStream;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.session.StreamTable;
import io.rdmarpc.rpc.engine.stream.EngineStream;
import io.rdmarpc.rpc.error.RdmaBackpressureException;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Streams between two engines: order, credits, ends. */
class StreamTest {

    private static final int LARGE = 20_000;

    private final StreamPair pair = new StreamPair();

    @AfterEach
    void close() {
        pair.close();
    }

    private static byte[] item(int number) {
        return EngineRig.bytes(number % 7 == 3 ? LARGE + number : 1 + number % 500);
    }

    private static List<byte[]> items(int count) {
        List<byte[]> items = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            items.add(item(i));
        }
        return items;
    }

    /** Sends messages while there is credit, up to the count; returns how many were sent in total. */
    private static int send(TestStream from, int first, int count) {
        int next = first;
        while (next < count && from.offer(item(next))) {
            next++;
        }
        return next;
    }

    @Test
    @DisplayName("FC-01 messages of any size arrive in order in both directions, and each direction ends by itself")
    void whenBothSendThenBothReceiveInOrder() {
        TestStream opened = pair.open();
        int up = 0;
        int down = 0;
        while (up < 50 || down < 80) {
            up = send(opened, up, 50);
            down = send(pair.accepted, down, 80);
            pair.step();
        }
        opened.stream.complete();
        pair.untilIdle();
        assertThat(pair.accepted.items).containsExactlyElementsOf(items(50));
        assertThat(pair.accepted.ends).isOne();
        assertThat(opened.ends).isZero();

        pair.accepted.stream.complete();
        pair.untilIdle();
        assertThat(opened.items).containsExactlyElementsOf(items(80));
        assertThat(opened.ends).isOne();
        assertThat(((EngineStream) opened.stream).isOver()).isTrue();
        assertThat(((EngineStream) pair.accepted.stream).isOver()).isTrue();
        pair.pass(Duration.ofSeconds(1));
        assertThat(pair.client.loop.needsTime()).isFalse();
        assertThat(pair.client.blocksInUse() + pair.server.blocksInUse()).isZero();
    }

    @Test
    @DisplayName("FC-01 without credit nothing is sent; a credit wakes the sender")
    void whenThereIsNoCreditThenTheSenderWaits() {
        TestStream opened = pair.open(2, Duration.ofMinutes(1));
        opened.greedy = false;
        pair.untilIdle();

        assertThat(send(pair.accepted, 0, 10)).isEqualTo(2);
        pair.untilIdle();
        assertThat(opened.items).hasSize(2);
        assertThat(pair.accepted.writable).isZero();

        opened.stream.request(3);
        pair.untilIdle();
        assertThat(pair.accepted.writable).isOne();
        assertThat(send(pair.accepted, 2, 10)).isEqualTo(5);
        pair.untilIdle();
        assertThat(opened.items).containsExactlyElementsOf(items(5));
    }

    @Test
    @DisplayName("FC-02 a receiver that grants no credits delays no call of its session")
    void whenAConsumerIsSlowThenCallsContinue() {
        TestStream opened = pair.open(1, Duration.ofMinutes(1));
        opened.greedy = false;
        pair.untilIdle();
        send(pair.accepted, 0, 10);
        pair.untilIdle();

        TestCall call = new TestCall();
        pair.calling.call(
                ECHO,
                EngineRig.filled(pair.calling.allocate(3), new byte[] {1, 2, 3}),
                Duration.ofSeconds(1).toNanos(),
                call);
        pair.untilIdle();

        assertThat(call.response()).containsExactly(1, 2, 3);
    }

    @Test
    @DisplayName("LO-10 a sender probes for a credit that was lost")
    void whenACreditIsLostThenTheSenderProbes() {
        TestStream opened = pair.open(1, Duration.ofMinutes(1));
        opened.greedy = false;
        pair.untilIdle();
        send(pair.accepted, 0, 2);
        pair.untilIdle();
        pair.lost = packet -> packet.type() == PacketType.STREAM_ACK;
        opened.stream.request(1);
        pair.pass(Duration.ofMillis(5));
        pair.lost = packet -> false;
        assertThat(pair.accepted.writable).isZero();

        pair.pass(Duration.ofMillis(500));

        assertThat(pair.accepted.writable).isOne();
        assertThat(pair.accepted.offer(item(1))).isTrue();
    }

    @ParameterizedTest(name = "loss {0}, duplicates {1}, reordered {2}")
    @CsvSource({"0.05, 0, 0", "0, 0.3, 0.3", "0.2, 0.2, 0.2"})
    @DisplayName("LO-01 LO-02 LO-03 LO-04 150 messages each way over a bad network: complete, in order, once")
    void whenTheNetworkIsBadThenNothingIsLost(double loss, double duplicates, double reordered) {
        long seed = TestSeed.next();
        pair.random = new SplittableRandom(seed);
        pair.loss = loss;
        pair.duplicates = duplicates;
        pair.reordered = reordered;
        TestStream opened = pair.open(8, Duration.ofMinutes(10));
        pair.until(() -> pair.accepted.stream != null);
        int[] sent = new int[2];
        pair.until(() -> {
            sent[0] = send(opened, sent[0], 150);
            sent[1] = send(pair.accepted, sent[1], 150);
            return sent[0] == 150 && sent[1] == 150;
        });
        opened.stream.complete();
        pair.accepted.stream.complete();

        pair.until(() -> opened.ends == 1 && pair.accepted.ends == 1);

        assertThat(opened.items).as("seed %d", seed).containsExactlyElementsOf(items(150));
        assertThat(pair.accepted.items).as("seed %d", seed).containsExactlyElementsOf(items(150));
        pair.loss = 0;
        pair.until(() -> ((EngineStream) opened.stream).isOver() && ((EngineStream) pair.accepted.stream).isOver());
    }

    @ParameterizedTest
    @CsvSource({"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"})
    @DisplayName("LT-01 a stream is cancelled at any moment, over a bad network: both ends are notified, no memory "
            + "is leaked")
    void whenAStreamIsCancelledAtAnyMomentThenBothEndsAreNotified(int moment) {
        long seed = TestSeed.next();
        pair.random = new SplittableRandom(seed);
        pair.loss = 0.2;
        pair.reordered = 0.2;
        TestStream opened = pair.open(8, Duration.ofMinutes(1));
        pair.until(() -> pair.accepted.stream != null);
        int up = 0;
        int down = 0;
        for (int i = 0; i < moment * 7; i++) {
            up = send(opened, up, 1000);
            down = send(pair.accepted, down, 1000);
            pair.step();
        }

        (moment % 2 == 0 ? opened : pair.accepted).stream.cancel();
        pair.until(() -> opened.hasFailed() && pair.accepted.hasFailed());

        assertThat(opened.failure().status()).as("seed %d", seed).isEqualTo(RpcStatus.CANCELLED);
        assertThat(pair.accepted.failure().status()).as("seed %d", seed).isEqualTo(RpcStatus.CANCELLED);
        pair.loss = 0;
        pair.until(() -> ((EngineStream) opened.stream).isOver() && ((EngineStream) pair.accepted.stream).isOver());
        assertThat(pair.client.blocksInUse() + pair.server.blocksInUse()).isZero();
    }

    @Test
    @DisplayName("LT-01 a stream whose first responses are lost is cancelled: the server is notified when one has "
            + "arrived")
    void whenResponsesToTheOpeningAreLostThenACancelledStreamEndsAtBothEnds() {
        int[] responses = new int[1];
        pair.lost = packet -> packet.type() == PacketType.RESPONSE && responses[0]++ < 2 * EngineRig.RETRANSMIT_LIMIT;
        TestStream opened = pair.open();
        opened.stream.cancel();

        pair.until(() -> opened.hasFailed() && pair.accepted.hasFailed());

        assertThat(responses[0]).as("responses").isGreaterThan(2 * EngineRig.RETRANSMIT_LIMIT);
        assertThat(opened.failure().status()).isEqualTo(RpcStatus.CANCELLED);
        assertThat(pair.accepted.failure().status()).isEqualTo(RpcStatus.CANCELLED);
    }

    @Test
    @DisplayName("LT-01 a client that has sent everything cancels the messages of the server")
    void whenTheClientHasCompletedAndCancelsThenTheServerStops() {
        TestStream opened = pair.open(1, Duration.ofMinutes(1));
        opened.greedy = false;
        pair.untilIdle();
        opened.stream.complete();
        send(pair.accepted, 0, 1);
        pair.untilIdle();

        opened.stream.cancel();
        pair.untilIdle();

        assertThat(pair.accepted.failure().status()).isEqualTo(RpcStatus.CANCELLED);
        assertThatExceptionOfType(RdmaRpcException.class).isThrownBy(() -> pair.accepted.offer(item(1)));
        assertThat(((EngineStream) pair.accepted.stream).isOver()).isTrue();
        assertThat(((EngineStream) opened.stream).isOver()).isTrue();
    }

    @Test
    @DisplayName("FL-04 a failure of the server arrives after the messages it has sent")
    void whenTheServerFailsThenTheClientGetsTheTextAfterTheMessages() {
        TestStream opened = pair.open();
        send(pair.accepted, 0, 5);

        pair.accepted.stream.fail(RpcStatus.HANDLER_FAILED, "a.Failure", "no more stock");
        pair.untilIdle();

        assertThat(opened.items).hasSize(5);
        assertThat(opened.failure()).isInstanceOf(RdmaRemoteException.class).hasMessageContaining("no more stock");
        assertThat(((RdmaRemoteException) opened.failure()).remoteType()).isEqualTo("a.Failure");
        assertThat(((EngineStream) opened.stream).isOver()).isTrue();
    }

    @Test
    @DisplayName("FL-18 details of a stream's failure reach the other end")
    void whenTheServerFailsWithDetailsThenTheClientGetsThem() {
        RdmaErrorDetails details = RdmaErrorDetails.builder()
                .retryDelay(Duration.ofMillis(20))
                .resource("item", "bolt")
                .build();
        TestStream opened = pair.open();

        pair.accepted.stream.fail(RpcStatus.OVERLOADED, "", "busy", details);
        pair.untilIdle();

        assertThat(opened.failure().status()).isEqualTo(RpcStatus.OVERLOADED);
        assertThat(opened.failure().errorDetails()).isEqualTo(details);
        assertThat(opened.failure().retryAfter()).isEqualTo(Duration.ofMillis(20));
    }

    @Test
    @DisplayName("FL-06 a stream whose deadline has passed fails at both ends")
    void whenTheDeadlinePassesThenBothEndsFail() {
        TestStream opened = pair.open(8, Duration.ofMillis(50));
        pair.pass(Duration.ofMillis(40));
        assertThat(opened.hasFailed()).isFalse();

        pair.pass(Duration.ofMillis(40));

        assertThat(opened.failure()).isInstanceOf(RdmaTimeoutException.class);
        assertThat(pair.accepted.failure()).isInstanceOf(RdmaTimeoutException.class);
        assertThat(((EngineStream) opened.stream).isOver()).isTrue();
    }

    @Test
    @DisplayName("FL-03 the end of the session fails its streams and frees their resources")
    void whenTheSessionEndsThenItsStreamsFail() {
        TestStream opened = pair.open();
        pair.lost = packet -> true;
        send(opened, 0, 8);
        send(pair.accepted, 0, 8);
        pair.client.runLoop();
        pair.server.runLoop();

        pair.client.remove(pair.calling, "gone");
        pair.server.remove(pair.serving, "gone");

        assertThat(opened.failure()).isInstanceOf(RdmaUnavailableException.class);
        assertThat(pair.accepted.failure()).isInstanceOf(RdmaUnavailableException.class);
        assertThat(pair.client.blocksInUse() + pair.server.blocksInUse()).isZero();
    }

    @Test
    @DisplayName("FC-02 a session has a limited number of streams; one that is over makes room")
    void whenThereAreTooManyStreamsThenTheNextIsRejected() {
        List<TestStream> streams = new ArrayList<>();
        // Idle streams without credits: the rings are too small for credits of all.
        pair.serverCredits = 0;
        for (int i = 0; i < StreamTable.STREAMS; i++) {
            streams.add(pair.open(0, Duration.ofMinutes(1)));
            pair.untilIdle();
        }
        assertThatExceptionOfType(RdmaBackpressureException.class).isThrownBy(pair::open);

        streams.getFirst().stream.cancel();
        pair.untilIdle();
        TestStream again = pair.open();
        send(pair.accepted, 0, 3);
        pair.untilIdle();

        assertThat(again.items).hasSize(3);
        assertThat(again.hasFailed()).isFalse();
    }

    @Test
    @DisplayName("LO-05 a packet of an unknown stream causes a notification, so that its sender stops")
    void whenAStreamIsUnknownThenItsSenderIsNotified() {
        TestStream opened = pair.open();
        pair.server.receive(new Packet(
                PacketType.STREAM_ITEM, 0, 0, pair.serving.id, pair.serving.cookie, 0, 999, 1, -1, new byte[1]));

        Packet response = pair.server.onlySent();

        assertThat(response.type()).isEqualTo(PacketType.STREAM_ACK | PacketType.TO_CLIENT);
        assertThat(response.flags()).isEqualTo(PacketHeader.FLAG_STREAM_GONE);
        assertThat(opened.hasFailed()).isFalse();
    }

    @Test
    @DisplayName("FC-04 a message beyond the credits is dropped and counted")
    void whenAPeerSendsBeyondItsCreditsThenThePacketIsDropped() {
        pair.open();
        int id = ((EngineStream) pair.accepted.stream).id();

        pair.server.receive(new Packet(
                PacketType.STREAM_ITEM, 0, 0, pair.serving.id, pair.serving.cookie, 8, id, 1, -1, new byte[1]));

        assertThat(pair.server.dropped(EngineCounters.Drop.STATE)).isOne();
        assertThat(pair.accepted.items).isEmpty();
    }

    @Test
    @DisplayName("LG-06 a message over the maximum is rejected before it takes a credit")
    void whenAMessageIsTooLongThenItIsNotSent() {
        pair.serverCredits = 4;
        TestStream opened = pair.open();
        assertThatExceptionOfType(RdmaMessageTooLargeException.class)
                .isThrownBy(() -> opened.offer(new byte[EngineRig.MAX_MESSAGE + 1]));
        assertThat(send(opened, 0, 20)).isEqualTo(4);
    }

    @Test
    void whenAMethodTakesCallsThenAStreamToItFails() {
        TestStream opened = new TestStream();
        opened.stream = pair.calling.openStream(ECHO, 1, Duration.ofSeconds(1).toNanos(), opened);
        pair.untilIdle();

        assertThat(opened.failure()).hasMessageContaining("takes calls, not streams");
    }

    @Test
    void whenAMethodTakesStreamsThenACallToItFails() {
        TestCall call = new TestCall();
        pair.calling.call(
                StreamPair.STREAM,
                EngineRig.filled(pair.calling.allocate(3), new byte[3]),
                Duration.ofSeconds(1).toNanos(),
                call);
        pair.untilIdle();

        assertThat(call.failure().status()).isEqualTo(RpcStatus.HANDLER_FAILED);
        assertThat(call.failure()).hasMessageContaining("ordinary call");
    }

    @Test
    void whenAStreamIsCancelledBeforeItIsAcceptedThenBothEndsAreNotified() {
        TestStream opened = pair.open(8, Duration.ofSeconds(1));
        opened.stream.cancel();
        pair.untilIdle();

        assertThat(opened.failure().status()).isEqualTo(RpcStatus.CANCELLED);
        assertThat(pair.accepted.failure().status()).isEqualTo(RpcStatus.CANCELLED);
        assertThat(((EngineStream) opened.stream).isOver()).isTrue();
    }

    @Test
    void whenAnEndIsCompletedThenNothingCanBeOffered() {
        TestStream opened = pair.open();
        opened.stream.complete();
        opened.stream.complete();

        assertThatIllegalStateException().isThrownBy(() -> opened.offer(item(0)));
        assertThatIllegalArgumentException().isThrownBy(() -> opened.stream.request(0));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> pair.open(RpcStream.MAX_CREDITS + 1, Duration.ofSeconds(1)));
        pair.untilIdle();
        assertThat(pair.accepted.ends).isOne();
    }

    @Test
    @DisplayName("LO-10 a peer that sends no acknowledgments ends the session")
    void whenNoAcknowledgmentArrivesThenTheSessionIsBroken() {
        TestStream opened = pair.open();
        pair.lost = packet -> true;
        send(opened, 0, 3);

        pair.pass(Duration.ofSeconds(20));

        assertThat(pair.client.hostOf(pair.calling).broken).hasSize(1);
    }
}
