package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static io.rdmarpc.rpc.engine.EngineRig.HOLD;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RpcCancellation;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.wire.PacketType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Cancellation by a caller: its effect on the call, its memory, and the handler at the server. */
class CancelTest {

    private static final byte[] HELLO = EngineRig.bytes(11);
    private static final int LENGTH = 10_000;
    private static final long REMOTE = 0x7000_0000L;
    private static final int RKEY = 0x1234;

    private final EngineRig rig = new EngineRig();

    @AfterEach
    void close() {
        rig.close();
    }

    @Nested
    class AtTheClient {

        private final ClientSession session = rig.client();

        private void cancel(TestCall call) {
            session.cancel(call);
            rig.runLoop();
        }

        @Test
        @DisplayName("LT-01 a call in flight is cancelled: it ends now, its slot is free, the server is notified")
        void whenACallInFlightIsCancelledThenItsSlotIsFree() {
            TestCall call = rig.call(session, HELLO);
            rig.runLoop();
            long index = rig.onlySent().index();

            cancel(call);

            assertThat(call.failure().status()).isEqualTo(RpcStatus.CANCELLED);
            Packet cancel = rig.onlySent();
            assertThat(cancel.type()).isEqualTo(PacketType.CANCEL);
            assertThat(cancel.index()).isEqualTo(index);
            assertThat(session.activeSlots).isZero();
            rig.pass(Duration.ofSeconds(1));
            assertThat(rig.sent()).as("no retransmission").isEmpty();
        }

        @Test
        @DisplayName("LT-01 a call in the backlog is cancelled: it is never sent")
        void whenACallInTheBacklogIsCancelledThenItIsNeverSent() {
            List<TestCall> calls = new ArrayList<>();
            for (int i = 0; i <= WINDOW; i++) {
                calls.add(rig.call(session, HELLO));
            }
            rig.runLoop();
            rig.sent();

            cancel(calls.getLast());

            assertThat(calls.getLast().failure().status()).isEqualTo(RpcStatus.CANCELLED);
            assertThat(rig.sent()).isEmpty();
            assertThat(rig.blocksInUse()).isEqualTo(WINDOW);
        }

        private void callCancelledMeanwhile(TestCall call, TestCall cancelled) {
            MessageBuffer request = EngineRig.filled(session.allocate(HELLO.length), HELLO);
            rig.whenTheClockIsRead(() -> session.cancel(cancelled));
            session.call(EngineRig.ECHO, request, TimeUnit.MINUTES.toNanos(1), call);
            rig.runLoop();
        }

        @Test
        @DisplayName("LT-01 a call that another thread cancels while it is being made is never sent")
        void whenACallIsCancelledWhileItIsMadeThenItIsNeverSent() {
            TestCall call = new TestCall();
            callCancelledMeanwhile(call, call);

            assertThat(call.failure().status()).isEqualTo(RpcStatus.CANCELLED);
            assertThat(session.outstanding()).isZero();
            assertThat(rig.sent()).isEmpty();
        }

        @Test
        @DisplayName("LT-01 cancelling a call that has ended does not affect a later call of the same handler")
        void whenAnEndedCallIsCancelledThenTheNextOneOfItsHandlerContinues() {
            TestCall reused = new TestCall();
            callCancelledMeanwhile(new TestCall(), reused);
            rig.receive(Packet.response(session, rig.onlySent().index(), HELLO));
            rig.clock.advanceNanos(1);

            session.call(
                    EngineRig.ECHO,
                    EngineRig.filled(session.allocate(HELLO.length), HELLO),
                    TimeUnit.MINUTES.toNanos(1),
                    reused);
            rig.runLoop();

            rig.receive(Packet.response(session, rig.onlySent().index(), HELLO));
            assertThat(reused.response()).isEqualTo(HELLO);
        }

        @Test
        @DisplayName("LT-01 a call that has ended cannot be cancelled any more")
        void whenACallHasEndedThenCancellingDoesNothing() {
            TestCall call = rig.call(session, HELLO);
            rig.runLoop();
            rig.receive(Packet.response(session, rig.onlySent().index(), HELLO));

            cancel(call);

            assertThat(call.response()).isEqualTo(HELLO);
            assertThat(rig.sent()).isEmpty();
        }

        @Test
        @DisplayName("LT-01 a call whose response is being READ is cancelled: its slot and memory wait for the NIC")
        void whenACallIsCancelledDuringTheReadThenTheSlotWaitsForTheNic() {
            rig.connect(session);
            TestCall call = rig.call(session, HELLO);
            rig.runLoop();
            rig.receive(Packet.largeResponse(session, rig.onlySent().index(), LENGTH, REMOTE, RKEY));

            cancel(call);

            assertThat(call.failure().status()).isEqualTo(RpcStatus.CANCELLED);
            assertThat(rig.sent())
                    .as("a CANCEL now would free the memory that is being READ")
                    .isEmpty();
            assertThat(session.activeSlots).isOne();
            rig.onlyRead().complete(EngineRig.bytes(LENGTH), REMOTE);
            rig.runLoop();
            assertThat(session.activeSlots).isZero();
            assertThat(rig.onlySent().type()).isEqualTo(PacketType.RELEASE);
            assertThat(call.ends()).isOne();
            assertThat(rig.arena.statistics().blocksInUse()).isZero();
        }

        @Test
        @DisplayName("LT-01 a large request is cancelled: its memory is kept until the server reports that it does "
                + "not READ it")
        void whenALargeRequestIsCancelledThenItsMemoryWaitsForTheServer() {
            TestCall call = rig.call(session, EngineRig.bytes(LENGTH));
            rig.runLoop();
            long index = rig.onlySent().index();

            cancel(call);

            assertThat(call.failure().status()).isEqualTo(RpcStatus.CANCELLED);
            assertThat(rig.hostOf(session).lending.statistics().blocksInUse()).isOne();
            rig.receive(Packet.progress(session, index, true));
            assertThat(rig.hostOf(session).lending.statistics().blocksInUse()).isZero();
            assertThat(session.activeSlots).isZero();
        }

        @Test
        @DisplayName("LT-02 half of 64 calls are cancelled: the others complete correctly")
        void whenSomeOfManyAreCancelledThenTheOthersAreRight() {
            List<ClientSession> sessions = new ArrayList<>();
            List<TestCall> calls = new ArrayList<>();
            List<Packet> requests = new ArrayList<>();
            for (int i = 0; i < 64; i++) {
                if (i % WINDOW == 0) {
                    sessions.add(rig.client());
                }
                calls.add(rig.call(sessions.getLast(), EngineRig.bytes(i)));
                rig.runLoop();
                requests.add(rig.onlySent());
            }

            for (int i = 0; i < 64; i += 2) {
                sessions.get(i / WINDOW).cancel(calls.get(i));
            }
            rig.runLoop();
            for (int i = 0; i < 64; i++) {
                rig.receive(Packet.response(
                        sessions.get(i / WINDOW), requests.get(i).index(), EngineRig.bytes(i)));
            }

            for (int i = 0; i < 64; i++) {
                if (i % 2 == 0) {
                    assertThat(calls.get(i).failure().status()).isEqualTo(RpcStatus.CANCELLED);
                } else {
                    assertThat(calls.get(i).response()).isEqualTo(EngineRig.bytes(i));
                }
            }
            assertThat(rig.dropped(Drop.STALE)).isEqualTo(32);
        }

        @Test
        @DisplayName("LT-03 a cancelled call makes room for one that waits")
        void whenACallIsCancelledThenTheNextOneStarts() {
            List<TestCall> calls = new ArrayList<>();
            for (int i = 0; i <= WINDOW; i++) {
                calls.add(rig.call(session, HELLO));
            }
            rig.runLoop();
            rig.sent();

            cancel(calls.getFirst());

            assertThat(rig.sent()).extracting(Packet::type).containsExactly(PacketType.CANCEL, PacketType.REQUEST);
        }
    }

    @Nested
    class AtTheServer {

        private final ServerSession session = rig.server();
        private final List<String> notified = new ArrayList<>();

        private RpcRequest hold() {
            rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
            return rig.held.getLast();
        }

        private void cancel() {
            rig.receive(Packet.cancel(session, FIRST));
        }

        @Test
        @DisplayName("LT-01 the handler is notified once that its caller has cancelled; its response is dropped")
        void whenTheCallerCancelsThenTheHandlerIsNotified() {
            RpcRequest request = hold();
            request.cancellation().onCancel(() -> notified.add("cancelled"));
            assertThat(request.isCancelled()).isFalse();

            cancel();
            cancel();

            assertThat(notified).containsExactly("cancelled");
            assertThat(request.isCancelled()).isTrue();
            assertThat(request.cancellation().isCancelled()).isTrue();
            EngineRig.respond(request, HELLO);
            rig.runLoop();
            assertThat(rig.sent()).isEmpty();
            assertThat(rig.dropped(Drop.LATE_RESPONSE)).isOne();
        }

        @Test
        void whenAListenerIsAddedAfterTheCancelThenItIsNotifiedAtOnce() {
            RpcRequest request = hold();
            cancel();

            request.cancellation().onCancel(() -> notified.add("cancelled"));

            assertThat(notified).hasSize(1);
        }

        @Test
        void whenTheCallIsCompletedThenNoListenerIsNotified() {
            RpcRequest request = hold();
            request.cancellation().onCancel(() -> notified.add("cancelled"));
            EngineRig.respond(request, HELLO);
            rig.runLoop();

            cancel();
            rig.pass(Duration.ofMinutes(2));

            assertThat(notified).isEmpty();
        }

        @Test
        void whenAListenerThrowsThenTheEngineSurvives() {
            RpcCancellation cancellation = hold().cancellation();
            cancellation.onCancel(() -> {
                throw new IllegalStateException("must not");
            });
            cancellation.onCancel(() -> notified.add("cancelled"));

            cancel();

            assertThat(notified).hasSize(1);
            assertThat(rig.dropped(Drop.INTERNAL)).isZero();
        }

        @Test
        @DisplayName("FL-06 a deadline that passes while the handler runs cancels it")
        void whenTheDeadlinePassesThenTheHandlerIsNotified() {
            rig.receive(Packet.request(session, FIRST, HOLD, HELLO).withRemainingMicros(5_000));
            rig.held.getLast().cancellation().onCancel(() -> notified.add("late"));
            rig.runLoop();

            rig.pass(Duration.ofMillis(4));
            assertThat(notified).isEmpty();
            assertThat(rig.loop.needsTime()).isTrue();
            rig.pass(Duration.ofMillis(2));

            assertThat(notified).containsExactly("late");
            assertThat(rig.loop.needsTime()).isFalse();
        }

        @Test
        void whenTheSessionEndsThenTheHandlerIsNotified() {
            hold().cancellation().onCancel(() -> notified.add("gone"));

            rig.remove(session, "gone");

            assertThat(notified).hasSize(1);
        }

        @Test
        void whenTheSlotsNextCallArrivesThenTheHandlerOfTheLastIsNotified() {
            hold().cancellation().onCancel(() -> notified.add("moved on"));

            rig.receive(Packet.request(session, FIRST + WINDOW, HOLD, HELLO));

            assertThat(notified).hasSize(1);
            assertThat(rig.held.getLast().isCancelled()).isFalse();
        }

        @Test
        @DisplayName("LT-01 a handler that has requested interrupts is interrupted")
        void whenTheHandlerWaitsInterruptiblyThenItIsInterrupted() throws Exception {
            CompletableFuture<String> outcome = new CompletableFuture<>();
            CompletableFuture<Void> waiting = new CompletableFuture<>();
            rig.serve(
                    3,
                    request -> {
                        try (RpcCancellation.Scope _ = request.cancellation().interrupting()) {
                            waiting.complete(null);
                            Thread.sleep(Duration.ofMinutes(1));
                            outcome.complete("slept");
                        } catch (InterruptedException e) {
                            outcome.complete("interrupted");
                        }
                        request.fail(RpcStatus.CANCELLED, "", "cancelled");
                    },
                    task -> Thread.ofVirtual().start(task));
            rig.receive(Packet.request(session, FIRST, 3, HELLO));
            waiting.get(10, TimeUnit.SECONDS);

            cancel();

            assertThat(outcome.get(10, TimeUnit.SECONDS)).isEqualTo("interrupted");
            while (rig.loop.gauges().executingCalls() > 0) {
                rig.runLoop();
            }
        }

        @Test
        void whenTheScopeIsClosedThenItsInterruptIsCleared() {
            RpcRequest request = hold();
            RpcCancellation.Scope scope = request.cancellation().interrupting();
            cancel();
            assertThat(Thread.currentThread().isInterrupted()).isTrue();

            scope.close();

            assertThat(Thread.currentThread().isInterrupted()).isFalse();
        }

        @Test
        @DisplayName("LT-01 a call that is cancelled before it arrives does not run; the next one does")
        void whenTheCancelOvertakesTheRequestThenItDoesNotRun() {
            cancel();
            rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
            assertThat(rig.held).isEmpty();

            rig.receive(Packet.request(session, FIRST + WINDOW, HOLD, HELLO));
            assertThat(rig.held).hasSize(1);
        }

        @Test
        @DisplayName(
                "LT-01 a call that is cancelled while its arguments are READ does not run; the client may reuse them")
        void whenTheCallerCancelsDuringTheReadThenItDoesNotRun() {
            rig.connect(session);
            rig.receive(Packet.largeRequest(session, FIRST, HOLD, LENGTH, REMOTE, RKEY));
            cancel();
            assertThat(rig.sent()).as("the NIC may still READ").isEmpty();

            rig.onlyRead().complete(EngineRig.bytes(LENGTH), REMOTE);
            rig.runLoop();

            Packet progress = rig.onlySent();
            assertThat(progress.type()).isEqualTo(PacketType.PROGRESS);
            assertThat(progress.saysRequestRead()).isTrue();
            assertThat(rig.held).isEmpty();
            assertThat(rig.arena.statistics().blocksInUse()).isZero();
        }
    }
}
