package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.BACKLOG;
import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static io.rdmarpc.rpc.engine.EngineRig.HOLD;
import static io.rdmarpc.rpc.engine.EngineRig.TICK;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.error.RdmaNotExecutedException;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.message.InboundMessage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * The end of sessions: every call fails exactly once, and no resource is leaked. The rig checks the latter at its
 * close.
 */
class SessionEndTest {

    /** Number of calls that have slots. */
    private static final int SENT = 3;

    private static final byte[] HELLO = EngineRig.bytes(11);
    private static final byte[] LARGE = EngineRig.bytes(70_000);

    private final EngineRig rig = new EngineRig();

    @AfterEach
    void close() {
        rig.close();
    }

    @Test
    @DisplayName("CP-14 FL-03 calls in every state fail once when the session ends")
    void whenTheSessionEndsThenEveryCallFailsOnce() {
        ClientSession session = rig.client();
        rig.connect(session);
        List<TestCall> calls = new ArrayList<>();
        calls.add(rig.call(session, HELLO)); // slot 0: sent
        calls.add(rig.call(session, LARGE)); // slot 1: sent, memory lent
        calls.add(rig.call(session, HELLO)); // slot 2: its response is being READ
        TestCall abandoned = rig.call(session, LARGE, Duration.ofMillis(5)); // slot 3: timed out, memory still lent
        for (int i = 0; i < BACKLOG - 1; i++) {
            calls.add(rig.call(session, i % 2 == 0 ? HELLO : LARGE));
        }
        rig.runLoop();
        rig.receive(Packet.largeResponse(session, WINDOW + 2, 5000, 0x1000, 7));
        rig.pass(Duration.ofMillis(7));
        calls.add(rig.call(session, HELLO)); // in the inbox

        rig.remove(session, "the server is closing");

        assertThat(calls.subList(0, SENT))
                .allSatisfy(call -> assertThat(call.failure())
                        .isInstanceOf(RdmaUnavailableException.class)
                        .isNotInstanceOf(RdmaNotExecutedException.class)
                        .hasMessageContaining("the server is closing")
                        .hasMessageContaining("may or may not have run"));
        assertThat(calls.subList(SENT, calls.size()))
                .allSatisfy(call -> assertThat(call.failure())
                        .isInstanceOf(RdmaNotExecutedException.class)
                        .hasMessageContaining("the server is closing")
                        .hasMessageContaining("has not run"));
        assertThat(abandoned.ends()).isOne();
        rig.pass(TICK.multipliedBy(2));
        assertThat(rig.blocksInUse()).isZero();
        assertThat(rig.hostOf(session).drained).isOne();
        assertThat(rig.loop.gauges().statistics().callsFailed()).isEqualTo(calls.size() + 1L);
    }

    @Test
    @DisplayName("LT-11 the resources of a session are closed only when the NIC no longer uses its packets")
    void whenPacketsAreAtTheNicThenTheSessionIsNotReleased() {
        rig.nic.holdSends(true);
        ClientSession session = rig.client();
        rig.call(session, HELLO);
        rig.runLoop();

        rig.remove(session, "gone");
        rig.pass(Duration.ofMillis(100));
        assertThat(rig.hostOf(session).drained).isZero();
        assertThat(rig.blocksInUse()).isOne();

        rig.nic.completeSends();
        rig.pass(TICK.multipliedBy(2));
        assertThat(rig.hostOf(session).drained).isOne();
        assertThat(rig.blocksInUse()).isZero();
    }

    @Test
    @DisplayName("LT-11 packets that wait for room keep their session as well")
    void whenPacketsAreStalledThenTheSessionIsNotReleased() {
        rig.nic.rejectSends(true);
        ServerSession session = rig.server();
        for (int i = 0; i < 3; i++) {
            rig.receive(Packet.request(session, FIRST + i, EngineRig.ECHO, HELLO));
        }

        rig.remove(session, "gone");
        assertThat(rig.hostOf(session).drained).isZero();

        rig.nic.rejectSends(false);
        rig.pass(TICK.multipliedBy(2));
        assertThat(rig.hostOf(session).drained).isOne();
    }

    @Test
    @DisplayName("CP-12 ending a session twice has the effect of ending it once")
    void whenASessionIsRemovedTwiceThenItIsReleasedOnce() {
        ClientSession client = rig.client();
        ServerSession server = rig.server();
        TestCall call = rig.call(client, HELLO);
        rig.runLoop();

        for (int i = 0; i < 3; i++) {
            rig.remove(client, "reason " + i);
            rig.remove(server, "reason " + i);
            rig.pass(TICK.multipliedBy(2));
        }

        assertThat(call.failure()).hasMessageContaining("reason 0");
        assertThat(rig.hostOf(client).drained).isOne();
        assertThat(rig.hostOf(server).drained).isOne();
    }

    @Test
    @DisplayName("CP-03 sessions are added and removed: numbers are reused, late packets of old ones are dropped")
    void whenANumberIsReusedThenOldPacketsAreDropped() {
        ServerSession old = rig.server();
        rig.remove(old, "gone");
        rig.pass(TICK.multipliedBy(2));
        rig.loop.sessions().giveBackServerId(old.id);
        ServerSession fresh = rig.server();
        assertThat(fresh.id & 0xFFFF).as("same index").isEqualTo(old.id & 0xFFFF);

        rig.receive(Packet.request(old, FIRST, HOLD, HELLO));
        assertThat(rig.dropped(Drop.UNKNOWN_SESSION)).isOne();
        assertThat(rig.held).isEmpty();

        rig.receive(Packet.request(fresh, FIRST, HOLD, HELLO));
        assertThat(rig.held).hasSize(1);
    }

    @Test
    @DisplayName("CP-03 a connection that is ready after the end is closed unused")
    void whenTheConnectionIsReadyTooLateThenNothingIsRead() {
        ServerSession session = rig.server();
        rig.receive(Packet.largeRequest(session, FIRST, HOLD, 5000, 0x1000, 7));
        rig.loop.sessions().remove(session, "gone");
        rig.connect(session);

        assertThat(rig.nic.readsPosted()).isZero();
        assertThat(rig.arena.statistics().blocksInUse()).isZero();
    }

    @Test
    @DisplayName("FL-15 after the loop has stopped, shutting down ends all sessions")
    void whenTheEngineIsShutDownThenNoSessionIsLeft() {
        ClientSession client = rig.client();
        ServerSession server = rig.server();
        List<TestCall> calls = new ArrayList<>();
        for (int i = 0; i < WINDOW + 2; i++) {
            calls.add(rig.call(client, LARGE));
        }
        rig.runLoop();
        calls.add(rig.call(client, HELLO)); // still in the inbox
        rig.receive(Packet.request(server, FIRST, HOLD, HELLO));

        rig.loop.shutDown("the runtime was stopped");

        assertThat(calls)
                .allSatisfy(call -> assertThat(call.failure()).hasMessageContaining("the runtime was stopped"));
        assertThat(rig.hostOf(client).drained).isOne();
        assertThat(rig.hostOf(server).drained).isOne();
        assertThat(rig.loop.gauges().statistics().clientSessions()).isZero();
        assertThat(rig.loop.gauges().statistics().serverSessions()).isZero();
    }

    @Test
    @DisplayName("FL-03 a call after the shut-down fails; it does not wait for a stopped engine")
    void whenACallIsMadeAfterTheShutDownThenItFails() {
        ClientSession session = rig.client();
        rig.loop.shutDown("the runtime was stopped");

        TestCall call = new TestCall();
        session.call(EngineRig.ECHO, rig.slab.allocate(), 1_000_000_000, call);

        assertThat(call.failure()).hasMessageContaining("the runtime was stopped");
    }

    @Test
    @DisplayName("CP-14 FL-03 a handler that calls again during the shut-down: the call it was notified of and the new "
            + "one fail once")
    void whenACancelledCallIsMadeAgainDuringTheShutDownThenBothFailOnce() {
        ClientSession session = rig.client();
        List<TestCall> calls = new ArrayList<>();
        for (int i = 0; i < WINDOW; i++) {
            calls.add(rig.call(session, HELLO));
        }
        Again waiting = new Again(session);
        session.call(EngineRig.ECHO, EngineRig.filled(session.allocate(HELLO.length), HELLO), 1L << 40, waiting);
        calls.add(rig.call(session, HELLO));
        rig.runLoop();
        session.cancel(waiting);

        rig.loop.shutDown("the runtime was stopped");

        assertThat(waiting.ends).isOne();
        calls.add(waiting.again);
        assertThat(calls).allSatisfy(call -> assertThat(call.failure()).isInstanceOf(RdmaUnavailableException.class));
        assertThat(rig.hostOf(session).drained).isOne();
        rig.hostOf(session).removed = true;
        assertThat(rig.blocksInUse()).isZero();
    }

    /** A handler that calls again when its call has failed. */
    private static final class Again implements ResponseHandler {

        private final ClientSession session;
        private final TestCall again = new TestCall();
        private int ends;

        Again(ClientSession session) {
            this.session = session;
        }

        @Override
        public void onResponse(InboundMessage response) {
            response.close();
        }

        @Override
        public void onFailure(RdmaRpcException failure) {
            ends++;
            session.call(EngineRig.ECHO, EngineRig.filled(session.allocate(HELLO.length), HELLO), 1L << 40, again);
        }
    }

    @Test
    void whenCommandsSubmitCommandsForeverThenTheShutDownEnds() {
        Restless restless = new Restless();
        rig.loop.context().submit(restless);

        rig.loop.shutDown("the runtime was stopped");

        assertThat(restless.runs).isGreaterThan(1);
        assertThat(restless.isWithinItself)
                .as("a command ran inside another one")
                .isFalse();
        restless.continues = false;
    }

    /** A command that submits itself again each time it has run. */
    private final class Restless implements LongConsumer {

        private boolean continues = true;
        private boolean isRunning;
        private boolean isWithinItself;
        private int runs;

        @Override
        public void accept(long nowNanos) {
            isWithinItself |= isRunning;
            isRunning = true;
            runs++;
            if (continues && !isWithinItself) {
                rig.loop.context().submit(this);
            }
            isRunning = false;
        }
    }

    @Test
    @DisplayName("FL-03 a call during the shut-down fails as well")
    void whenACallIsMadeDuringTheShutDownThenItFails() {
        ClientSession session = rig.client();
        MessageBuffer request = session.allocate(10);
        TestCall call = new TestCall();
        rig.whenTheClockIsRead(() -> rig.loop.shutDown("the runtime was stopped"));

        session.call(EngineRig.ECHO, request, 1_000_000_000, call);

        assertThat(call.failure()).hasMessageContaining("the runtime was stopped");
        assertThat(rig.blocksInUse()).isZero();
    }

    @Test
    @DisplayName("LT-12 a response after the shut-down releases its memory")
    void whenAResponseIsSentAfterTheShutDownThenItsMemoryIsReleased() {
        ServerSession session = rig.server();
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        rig.loop.shutDown("the runtime was stopped");

        int posted = rig.nic.postedReceives();
        EngineRig.respond(rig.held.getFirst(), HELLO);

        assertThat(rig.blocksInUse()).isZero();
        assertThat(rig.loop.gauges().executingCalls()).isZero();
        assertThat(rig.nic.postedReceives())
                .as("its queue pair may already be closed")
                .isEqualTo(posted);
        rig.loop.resume();
        rig.runLoop();
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    @DisplayName("LT-12 a session that is added after the shut-down ends at once")
    void whenASessionIsAddedAfterTheShutDownThenItEndsAtOnce() {
        rig.loop.shutDown("the runtime was stopped");

        ClientSession client = rig.addClient();

        assertThat(client.isOpen()).isFalse();
        assertThat(rig.hostOf(client).drained).isOne();
        assertThat(rig.hostOf(client).broken).hasSize(1);
    }

    @Test
    @DisplayName("LT-12 after a restart the engine accepts sessions and calls as before")
    void whenTheEngineRunsAgainThenItWorks() {
        rig.client();
        rig.loop.shutDown("the runtime was stopped");
        rig.loop.resume();

        ClientSession session = rig.client();
        TestCall call = rig.call(session, HELLO);
        rig.runLoop();
        assertThat(call.ends()).as("waits for the thread that runs the loop").isZero();
        rig.receive(Packet.response(session, WINDOW, HELLO));

        assertThat(call.response()).isEqualTo(HELLO);
    }

    @Test
    @DisplayName("CP-14 random traffic, then the end at a random moment: all calls end once, nothing is leaked")
    void whenSessionsEndAtAnyMomentThenNothingIsLeaked() {
        long seed = TestSeed.next();
        SplittableRandom random = new SplittableRandom(seed);
        for (int round = 0; round < 60; round++) {
            ClientSession session = rig.client();
            rig.connect(session);
            List<TestCall> calls = new ArrayList<>();
            rig.nic.holdSends(random.nextBoolean());
            for (int step = random.nextInt(40); step > 0; step--) {
                step(random, session, calls);
            }
            rig.remove(session, "round " + round);
            rig.nic.completeSends();
            rig.pass(TICK.multipliedBy(2));
            assertThat(calls).as("seed %d", seed).allMatch(call -> call.ends() == 1);
            assertThat(rig.blocksInUse()).as("seed %d", seed).isZero();
            assertThat(rig.nic.violations()).as("seed %d", seed).isEmpty();
        }
    }

    private void step(SplittableRandom random, ClientSession session, List<TestCall> calls) {
        long index = random.nextInt(4 * WINDOW);
        switch (random.nextInt(9)) {
            case 0, 1 -> calls.add(rig.call(session, HELLO, Duration.ofMillis(1 + random.nextInt(20))));
            case 2 -> calls.add(rig.call(session, LARGE, Duration.ofMillis(1 + random.nextInt(20))));
            case 3 -> rig.receive(Packet.response(session, index, HELLO));
            case 4 -> rig.receive(Packet.largeResponse(session, index, 5000, 0x1000, 7));
            case 5 -> rig.receive(Packet.progress(session, index, random.nextBoolean()));
            case 6 -> rig.pass(Duration.ofMillis(random.nextInt(10)));
            case 7 -> rig.nic.completeSends();
            default -> rig.nic.reads().stream().limit(1).forEach(read -> read.complete(new byte[5000], 0x1000));
        }
        rig.runLoop();
    }
}
