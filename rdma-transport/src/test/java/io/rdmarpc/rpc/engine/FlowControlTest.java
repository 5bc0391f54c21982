package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.ECHO;
import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static io.rdmarpc.rpc.engine.EngineRig.HOLD;
import static io.rdmarpc.rpc.engine.EngineRig.RING;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.stats.EngineStatistics;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Windows, queues and rings: a full one causes a wait, and a reused entry never mixes data. */
class FlowControlTest {

    private static final int SEND_DEPTH = 64;

    private final EngineRig rig = new EngineRig();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @DisplayName("FC-04 the peer's window and the local send queue are separate: a full queue uses no room in a window")
    void whenTheSendQueueIsFullThenTheWindowStillCounts() {
        List<ClientSession> sessions = IntStream.range(0, SEND_DEPTH / WINDOW)
                .mapToObj(i -> rig.client())
                .toList();
        ClientSession last = rig.client();
        rig.nic.holdSends(true);
        sessions.forEach(session -> callUntilTheWindowIsFull(session, 10));
        rig.runLoop();
        assertThat(rig.sent()).as("as many as the send queue holds").hasSize(SEND_DEPTH);

        callUntilTheWindowIsFull(last, 20);
        rig.call(last, EngineRig.bytes(21));
        rig.runLoop();
        assertThat(rig.sent()).as("the queue is full").isEmpty();
        assertThat(last.activeSlots)
                .as("calls that have a place in the peer's window")
                .isEqualTo(WINDOW);
        assertThat(last.backlog()).as("calls that wait for one").hasSize(1);

        rig.nic.completeSends();
        rig.runLoop();
        assertThat(rig.sent())
                .as("the queue has room, the window has not")
                .hasSize(WINDOW)
                .allMatch(packet -> packet.length() == 20);
        rig.receive(Packet.response(last, FIRST, new byte[0]));
        assertThat(rig.sent()).as("the window has room").singleElement().matches(packet -> packet.length() == 21);
    }

    private void callUntilTheWindowIsFull(ClientSession session, int length) {
        for (int i = 0; i < WINDOW; i++) {
            rig.call(session, EngineRig.bytes(length));
        }
    }

    @Test
    @DisplayName("FC-07 rings and queues that wrap around many times and are released in any order: each message keeps "
            + "its bytes")
    void whenRingsWrapAroundThenNothingIsMixedUp() {
        ServerSession session = rig.server();
        SplittableRandom random = new SplittableRandom(42);
        long[] next =
                IntStream.range(0, WINDOW).mapToLong(slot -> WINDOW + slot).toArray();
        for (int round = 0; round < 40 * RING; round++) {
            int slot = random.nextInt(WINDOW);
            rig.receive(Packet.request(session, next[slot], HOLD, EngineRig.bytes(round % 900)));
            next[slot] += WINDOW;
            while (rig.held.size() > random.nextInt(RING)) {
                RpcRequest held = rig.held.remove(random.nextInt(rig.held.size()));
                int length = held.message().length();
                assertThat(held.message().payload().mismatch(segment(length)))
                        .as("round %d", round)
                        .isEqualTo(-1);
                EngineRig.respond(held, EngineRig.bytes(length));
            }
        }
        rig.runLoop();
        rig.held.forEach(held -> held.message().close());
        rig.runLoop();
        assertThat(rig.nic.postedReceives()).isEqualTo(RING);
        assertThat(rig.nic.unreceived()).isZero();
    }

    private static MemorySegment segment(int length) {
        return MemorySegment.ofArray(EngineRig.bytes(length));
    }

    @Test
    @DisplayName("FC-07 a client's slots increase their index without limit")
    void whenASlotIsUsedAgainThenItsIndexIsAWindowFurther() {
        ClientSession session = rig.client();
        for (long index = WINDOW; index < 1_000L * WINDOW; index += WINDOW) {
            byte[] body = EngineRig.bytes((int) (index % 500));
            TestCall call = rig.call(session, body);
            rig.runLoop();
            assertThat(rig.onlySent().index()).isEqualTo(index);
            rig.receive(Packet.response(session, index, body));
            assertThat(call.response()).isEqualTo(body);
        }
    }

    @Test
    @DisplayName("FL-11 a queue pair in error costs its session; large and small calls of another one continue")
    void whenAQueuePairFailsThenOnlyItsSessionEnds() {
        ServerSession broken = rig.server();
        ServerSession healthy = rig.server();
        for (ServerSession each : List.of(broken, healthy)) {
            rig.receive(Packet.largeRequest(each, FIRST, HOLD, 5_000, 0x7000_0000L, 9));
            rig.connect(each);
        }
        rig.nic.reads().getFirst().end(CompletionStatus.RETRY_EXC_ERR);
        rig.runLoop();
        rig.nic.reads().forEach(read -> read.end(CompletionStatus.SUCCESS));
        rig.runLoop();

        assertThat(rig.hostOf(broken).broken).hasSize(1);
        assertThat(rig.hostOf(healthy).broken).isEmpty();
        assertThat(rig.held).hasSize(1);
        rig.receive(Packet.request(healthy, FIRST + 1, ECHO, new byte[3]));
        assertThat(rig.sent()).extracting(Packet::index).contains(FIRST + 1);
    }

    @Test
    @DisplayName("LT-02 some of many calls end before their responses: the others are correct, late responses have "
            + "no effect")
    void whenSomeCallsEndEarlyThenTheOthersAreRight() {
        List<ClientSession> sessions =
                IntStream.range(0, 16).mapToObj(i -> rig.client()).toList();
        List<TestCall> calls = new ArrayList<>();
        for (ClientSession session : sessions) {
            for (int i = 0; i < WINDOW; i++) {
                calls.add(rig.call(session, EngineRig.bytes(i), Duration.ofMillis(i % 2 == 0 ? 3 : 1_000)));
            }
        }
        rig.runLoop();
        List<Packet> requests = rig.sent();
        rig.pass(Duration.ofMillis(5));
        for (int i = 0; i < calls.size(); i++) {
            Packet request = requests.get(i);
            rig.receive(Packet.response(sessions.get(i / WINDOW), request.index(), request.body()));
        }
        for (int i = 0; i < calls.size(); i++) {
            if (i % 2 == 0) {
                assertThat(calls.get(i).failure()).isInstanceOf(RdmaTimeoutException.class);
            } else {
                assertThat(calls.get(i).response()).isEqualTo(EngineRig.bytes(i % WINDOW));
            }
        }
    }

    @Test
    @DisplayName("LT-03 a call whose caller no longer waits frees its slot at its deadline")
    void whenNoCallerWaitsThenTheSlotBecomesFree() {
        ClientSession session = rig.client();
        for (int i = 0; i < WINDOW; i++) {
            rig.call(session, EngineRig.bytes(i), Duration.ofMillis(3));
        }
        TestCall waiting = rig.call(session, EngineRig.bytes(9));
        rig.runLoop();
        rig.sent();
        rig.pass(Duration.ofMillis(5));

        assertThat(rig.sent()).anyMatch(packet -> packet.length() == 9);
        assertThat(waiting.ends()).isZero();
    }

    @Test
    @DisplayName("ME-02 packets, bytes, calls, retransmissions and duplicates are counted")
    void shouldCountEvents() {
        ClientSession client = rig.client();
        ServerSession server = rig.server();
        rig.call(client, EngineRig.bytes(100));
        rig.pass(Duration.ofMillis(25));
        Packet request = Packet.request(server, FIRST, HOLD, EngineRig.bytes(7));
        rig.receive(request);
        rig.receive(request);

        EngineStatistics statistics = rig.loop.gauges().statistics();
        assertThat(statistics.callsStarted()).isOne();
        assertThat(statistics.retransmissions()).isOne();
        assertThat(statistics.requestsReceived()).isOne();
        assertThat(statistics.duplicates()).isOne();
        assertThat(statistics.packetsReceived()).isEqualTo(2);
        assertThat(statistics.bytesReceived()).isEqualTo(2L * request.bytes().length);
        List<Packet> sent = rig.sent();
        assertThat(statistics.packetsSent())
                .as("two copies and a progress report")
                .isEqualTo(3)
                .isEqualTo(sent.size());
        assertThat(statistics.bytesSent())
                .isEqualTo(
                        sent.stream().mapToLong(packet -> packet.bytes().length).sum());
        assertThat(statistics.clientSessions()).isOne();
        assertThat(statistics.serverSessions()).isOne();
    }
}
