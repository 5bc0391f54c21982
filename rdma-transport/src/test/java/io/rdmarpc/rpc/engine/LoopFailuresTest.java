package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.ECHO;
import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static io.rdmarpc.rpc.engine.EngineRig.TICK;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.ObservedResponseHandler;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.client.PreparedCall;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.context.LoopFailures;
import io.rdmarpc.rpc.engine.packet.CreditWaiter;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.InboundMessage;
import io.rdmarpc.transport.FakeNic.Verb;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("An engine with an unexpected exception")
class LoopFailuresTest {

    private static final byte[] HELLO = EngineRig.bytes(11);
    private static final byte[] LARGE = EngineRig.bytes(70_000);
    private static final Duration LIMIT = Duration.ofMillis(300);
    private static final List<Error> ERRORS = List.of(
            new InternalError("a fault occurred in an unsafe memory access operation"),
            new OutOfMemoryError("Java heap space"),
            new StackOverflowError("on purpose"));

    private final EngineRig rig = new EngineRig();

    @BeforeEach
    void expectFailures() {
        rig.expectFailures();
    }

    @AfterEach
    void close() {
        for (Verb verb : Verb.values()) {
            rig.nic.fail(verb, null);
        }
        rig.close();
    }

    static Stream<Error> errors() {
        return ERRORS.stream();
    }

    static Stream<Arguments> phasesAndErrors() {
        return Stream.of(Verb.POLL_SENDS, Verb.POLL_RECEIVES, Verb.POST_SEND, Verb.POST_RECEIVE)
                .flatMap(verb -> errors().map(error -> Arguments.of(verb, error)));
    }

    /** Sends and receives, so that each phase has work. */
    private List<TestCall> traffic(ClientSession client, ServerSession server) {
        List<TestCall> calls = new ArrayList<>();
        calls.add(rig.call(client, HELLO, LIMIT));
        calls.add(rig.call(client, LARGE, LIMIT));
        rig.nic.receive(Packet.request(server, FIRST, ECHO, HELLO).bytes(), EngineRig.PEER_QPN, EngineRig.PEER_GID);
        return calls;
    }

    @ParameterizedTest(name = "{0} throws {1}")
    @MethodSource("phasesAndErrors")
    @DisplayName("once in a phase of its duty cycle: calls continue")
    void whenAPhaseThrowsOnceThenCallsContinue(Verb verb, Error error) {
        ClientSession client = rig.client();
        ServerSession server = rig.server();
        rig.nic.fail(verb, error);
        List<TestCall> calls = traffic(client, server);
        rig.runCycles(1);
        rig.nic.fail(verb, null);
        rig.passRunning(LIMIT.plus(TICK.multipliedBy(2)));
        assertThat(calls).allSatisfy(call -> assertThat(call.failure()).isInstanceOf(RdmaTimeoutException.class));
        rig.nic.takeSent();

        TestCall call = rig.call(client, HELLO);
        rig.runLoop();
        Packet request = rig.sent().stream()
                .filter(packet -> packet.body().length == HELLO.length)
                .findFirst()
                .orElseThrow();
        rig.receive(Packet.response(client, request.index(), HELLO));

        assertThat(call.response()).isEqualTo(HELLO);
        assertThat(rig.loop.problem()).isNull();
        assertThat(rig.dropped(Drop.INTERNAL)).isPositive();
    }

    @ParameterizedTest(name = "{0} throws {1}")
    @MethodSource("phasesAndErrors")
    @DisplayName("repeatedly in a phase of its duty cycle: its calls fail with the reason, and it restarts")
    void whenAPhaseThrowsRepeatedlyThenTheEngineRestarts(Verb verb, Error error) {
        ClientSession client = rig.client();
        ServerSession server = rig.server();
        rig.nic.holdSends(true);
        rig.nic.fail(verb, error);
        List<TestCall> calls = traffic(client, server);
        // Each cycle has work, as under load.
        for (int i = 0; i < 2 * LoopFailures.MAX_FAILED_CYCLES && rig.loop.problem() == null; i++) {
            calls.add(rig.call(client, HELLO, LIMIT));
            rig.nic.receive(
                    Packet.request(server, FIRST + 1 + i, ECHO, HELLO).bytes(), EngineRig.PEER_QPN, EngineRig.PEER_GID);
            rig.nic.failReceive(0);
            rig.runCycles(2);
        }
        rig.runCycles(2 * LoopFailures.MAX_FAILED_CYCLES);

        assertThat(rig.loop.problem()).contains("the engine failed").contains(error.toString());
        assertThat(rig.hostOf(client).broken).hasSize(1).first().asString().contains(error.toString());
        assertThat(rig.hostOf(server).broken).hasSize(1);
        ClientSession late = rig.addClient();
        rig.runCycles(1);
        assertThat(rig.hostOf(late).broken)
                .as("of a session that is added after the failure")
                .hasSize(1);
        rig.hostOf(client).removed = true;
        rig.loop.sessions().remove(client, rig.hostOf(client).broken.getFirst());
        rig.runCycles(2);
        assertThat(calls).allSatisfy(call -> assertThat(call.ends()).isOne());
        assertThat(calls.getFirst().failure())
                .isInstanceOf(RdmaUnavailableException.class)
                .hasMessageContaining(error.toString());

        rig.nic.fail(verb, null);
        rig.nic.holdSends(false);
        rig.passRunning(Duration.ofNanos(LoopFailures.PAUSE_NANOS).plus(TICK));
        assertThat(rig.loop.problem()).isNull();
        assertThat(rig.loop.restarts()).isOne();
        works();
    }

    private void works() {
        rig.nic.takeSent();
        ServerSession fresh = rig.server();
        rig.receive(Packet.request(fresh, FIRST, ECHO, HELLO));
        assertThat(rig.sent()).extracting(Packet::body).contains(HELLO);
    }

    @Test
    @DisplayName("restarts at most once a minute")
    void whenItFailsAgainThenItWaitsForTheMinute() {
        rig.loop.fail("for the first time");
        rig.passRunning(Duration.ofNanos(LoopFailures.PAUSE_NANOS).plus(TICK));
        assertThat(rig.loop.restarts()).isOne();

        rig.clock.advance(Duration.ofSeconds(30));
        rig.loop.fail("for the second time");
        rig.expectFailures();
        rig.passRunning(Duration.ofSeconds(2));
        rig.clock.advance(Duration.ofSeconds(25));
        rig.runCycles(2);
        assertThat(rig.loop.problem()).contains("for the second time");

        rig.clock.advance(Duration.ofSeconds(5));
        rig.runCycles(2);
        assertThat(rig.loop.problem()).isNull();
        assertThat(rig.loop.restarts()).isEqualTo(2);
        // This test causes no counted failure.
        rig.loop.failures().caught("a step for the rig", new InternalError("on purpose"));
    }

    @ParameterizedTest
    @MethodSource("errors")
    @DisplayName("in a command: the following ones run")
    void whenACommandThrowsThenOthersRun(Error error) {
        List<Integer> ran = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            rig.loop.context().submit(_ -> {
                ran.add(number);
                throw error;
            });
        }
        rig.runLoop();

        assertThat(ran).containsExactly(0, 1, 2, 3, 4);
        assertThat(rig.dropped(Drop.INTERNAL)).isEqualTo(5);
        assertThat(rig.loop.problem()).isNull();
    }

    @ParameterizedTest
    @MethodSource("errors")
    @DisplayName("in a handler of a call's progress and end: other calls continue")
    void whenAHandlerThrowsThenOtherCallsContinue(Error error) {
        ClientSession client = rig.client();
        ObservedResponseHandler throwing = new ObservedResponseHandler() {
            @Override
            public void onSend() {
                throw error;
            }

            @Override
            public void onResponse(InboundMessage response) {
                throw error;
            }

            @Override
            public void onFailure(RdmaRpcException reason) {
                throw error;
            }
        };
        for (int i = 0; i < WINDOW - 1; i++) {
            MessageBuffer request = EngineRig.filled(client.allocate(HELLO.length), HELLO);
            client.call(ECHO, request, LIMIT.toNanos(), throwing);
        }
        TestCall call = rig.call(client, HELLO);
        rig.runLoop();
        Packet mine = rig.sent().getLast();
        rig.receive(Packet.response(client, WINDOW, HELLO));
        rig.receive(Packet.response(client, mine.index(), HELLO));
        rig.pass(LIMIT.plus(TICK));

        assertThat(call.response()).isEqualTo(HELLO);
        assertThat(client.outstanding()).isZero();
        rig.loop.failures().caught("a step for the rig", error);
    }

    @ParameterizedTest
    @MethodSource("errors")
    @DisplayName("in an inline handler: its caller gets the failure, and the next call is served")
    void whenAnInlineHandlerThrowsThenItsCallFails(Error error) {
        rig.serve(
                77,
                _ -> {
                    throw error;
                },
                null);
        ServerSession server = rig.server();
        rig.receive(Packet.request(server, FIRST, 77, HELLO));
        assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.HANDLER_FAILED.code());

        rig.receive(Packet.request(server, FIRST + 1, ECHO, HELLO));
        assertThat(rig.onlySent().body()).isEqualTo(HELLO);
        rig.loop.failures().caught("a step for the rig", error);
    }

    @ParameterizedTest
    @MethodSource("errors")
    @DisplayName("in a waiter for credits: the others are served, and the loop continues")
    void whenAWaiterForCreditsThrowsThenTheLoopContinues(Error error) {
        rig.loop.creditPool().await(new CreditWaiter() {
            @Override
            public boolean isQueuedForCredit() {
                return false;
            }

            @Override
            public void queuedForCredit(boolean queued) {}

            @Override
            public void onCredit(long nowNanos) {
                throw error;
            }
        });
        rig.runLoop();

        assertThat(rig.dropped(Drop.INTERNAL)).isOne();
        works();
    }

    @ParameterizedTest
    @MethodSource("errors")
    @DisplayName("on posting a READ: that message fails, and its session continues")
    void whenPostingAReadThrowsThenItIsPostedLater(Error error) {
        ServerSession server = rig.server();
        rig.connect(server);
        rig.nic.fail(Verb.POST_READ, error);
        rig.receive(Packet.request(server, FIRST, ECHO, HELLO));
        rig.nic.receive(
                Packet.largeRequest(server, FIRST + 1, ECHO, LARGE.length, 0x1000, 7)
                        .bytes(),
                EngineRig.PEER_QPN,
                EngineRig.PEER_GID);
        rig.runCycles(2);
        rig.nic.fail(Verb.POST_READ, null);
        rig.runCycles(2);

        assertThat(rig.loop.problem()).isNull();
        rig.nic.takeSent();
        rig.receive(Packet.request(server, FIRST + 2, ECHO, HELLO));
        assertThat(rig.onlySent().body()).isEqualTo(HELLO);
    }

    @ParameterizedTest
    @MethodSource("errors")
    @DisplayName("on starting a call: it fails with that, and its slot and credit are free again")
    void whenAStartThrowsThenTheCallFails(Error error) {
        ClientSession client = rig.client();
        List<RegisteredBlock> all = takeAllPackets();
        // A large request needs a packet of its own. There is none, and memory for more cannot be registered.
        rig.failBlocking(error);
        TestCall call = rig.call(client, LARGE, LIMIT);
        rig.runCycles(1);

        assertThat(call.failure().status()).isEqualTo(RpcStatus.INTERNAL);
        assertThat(call.failure()).hasMessageContaining("has not run").hasMessageContaining(error.toString());
        assertThat(client.outstanding()).isZero();
        assertThat(client.activeSlots).isZero();
        assertThat(rig.loop.gauges().statistics().callsFailed()).isOne();
        rig.failBlocking(null);
        all.forEach(RegisteredBlock::free);
        assertThat(rig.blocksInUse()).isZero();
        isSent(client);
    }

    private List<RegisteredBlock> takeAllPackets() {
        List<RegisteredBlock> all = new ArrayList<>();
        for (RegisteredBlock block = rig.slab.tryTakeBlock(); block != null; block = rig.slab.tryTakeBlock()) {
            all.add(block);
        }
        return all;
    }

    private void isSent(ClientSession client) {
        rig.nic.takeSent();
        TestCall next = rig.call(client, HELLO);
        rig.runLoop();
        rig.receive(Packet.response(client, rig.onlySent().index(), HELLO));
        assertThat(next.response()).isEqualTo(HELLO);
    }

    @ParameterizedTest
    @MethodSource("errors")
    @DisplayName("on sending the call of a caller that runs the loop: the call's timer ends it")
    void whenACallersOwnSendThrowsThenTheCallEnds(Error error) {
        ClientSession client = rig.client();
        PreparedCall call = (PreparedCall) client.prepareCall(RpcCall.End.NONE);
        EngineRig.filled(call.request(HELLO.length), HELLO);
        rig.nic.fail(Verb.POST_SEND, error);
        assertThat(rig.loop.ownership().tryAcquire()).isTrue();
        try {
            call.start(ECHO, LIMIT.toNanos(), true);
        } finally {
            rig.loop.ownership().release();
        }
        rig.nic.fail(Verb.POST_SEND, null);
        rig.passRunning(LIMIT.plus(TICK.multipliedBy(2)));

        assertThat(call.hasEnded()).isTrue();
        assertThatExceptionOfType(RdmaTimeoutException.class).isThrownBy(call::response);
        call.close();
        isSent(client);
    }

    @ParameterizedTest
    @MethodSource("errors")
    @DisplayName("on a response: the caller gets the failure")
    void whenAResponseThrowsThenTheCallerGetsTheFailure(Error error) {
        ServerSession server = rig.server();
        rig.receive(Packet.request(server, FIRST, EngineRig.HOLD, HELLO));
        MessageBuffer message = EngineRig.filled(rig.held.getFirst().allocate(LARGE.length), LARGE);
        List<RegisteredBlock> all = takeAllPackets();
        rig.failBlocking(error);
        rig.held.getFirst().respond(message);
        rig.runCycles(1);
        all.forEach(RegisteredBlock::free);
        rig.failBlocking(null);
        rig.runCycles(2);

        assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.INTERNAL.code());
        assertThat(rig.loop.gauges().executingCalls()).isZero();
    }
}
