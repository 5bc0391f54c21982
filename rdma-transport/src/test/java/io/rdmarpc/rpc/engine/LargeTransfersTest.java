package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static io.rdmarpc.rpc.engine.EngineRig.HOLD;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.MemoryStatistics;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.engine.client.ClientSession;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.engine.session.EngineSession;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.message.MessageOrigin;
import io.rdmarpc.rpc.wire.PacketType;
import io.rdmarpc.transport.FakeNic;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Messages that do not fit a packet: memory, a connection, one READ, and the time at which memory may be freed. */
class LargeTransfersTest {

    private static final int LENGTH = 300_000;
    private static final int MEGABYTE = 1_000_000;
    private static final byte[] LARGE = EngineRig.bytes(LENGTH);
    private static final byte[] HELLO = EngineRig.bytes(11);
    private static final long REMOTE = 0x7000_0000L;
    private static final int RKEY = 0x99;

    private final EngineRig rig = new EngineRig();

    @AfterEach
    void close() {
        rig.close();
    }

    private void completeReads() {
        rig.nic.reads().forEach(read -> read.complete(LARGE, REMOTE));
        rig.runLoop();
    }

    private MemoryStatistics lent(EngineSession session) {
        return rig.hostOf(session).lending.statistics();
    }

    @Nested
    class AtTheServer {

        private final ServerSession session = rig.server();
        private final Packet request = Packet.largeRequest(session, FIRST, HOLD, LENGTH, REMOTE, RKEY);

        @Test
        @DisplayName("LG-01 a large request waits for a connection, is READ, and runs")
        void whenThereIsNoConnectionThenTheRequestWaitsForOne() {
            rig.receive(request);
            assertThat(rig.hostOf(session).connectionsWanted).isOne();
            assertThat(rig.nic.readsPosted()).isZero();

            rig.connect(session);
            FakeNic.Read read = rig.onlyRead();
            assertThat(read.remoteAddress()).isEqualTo(REMOTE);
            assertThat(read.length()).isEqualTo(LENGTH);
            assertThat(read.rkey()).isEqualTo(RKEY);
            assertThat(rig.held).as("not before the bytes have arrived").isEmpty();

            completeReads();
            assertThat(rig.held.getFirst().message().payload().toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(LARGE);
            assertThat(rig.loop.gauges().statistics().reads()).isOne();
            assertThat(rig.loop.gauges().statistics().readBytes()).isEqualTo(LENGTH);
        }

        @Test
        @DisplayName("LG-04 waiting requests cause one connection and are all READ")
        void whenSeveralWaitThenOneConnectionIsRequested() {
            for (int i = 0; i < WINDOW; i++) {
                rig.receive(Packet.largeRequest(session, FIRST + i, HOLD, LENGTH, REMOTE, RKEY));
            }
            assertThat(rig.hostOf(session).connectionsWanted).isOne();

            rig.connect(session);
            assertThat(rig.nic.reads()).hasSize(WINDOW);
            completeReads();
            assertThat(rig.held).hasSize(WINDOW);
        }

        @Test
        @DisplayName("LO-07 a retransmitted large request posts no second READ; the client is notified of the progress")
        void whenTheRequestArrivesAgainThenThereIsOneRead() {
            rig.receive(request);
            rig.receive(request);
            assertThat(rig.onlySent().saysRequestRead()).isFalse();
            rig.connect(session);
            rig.receive(request);
            assertThat(rig.onlySent().saysRequestRead())
                    .as("while it is being READ")
                    .isFalse();
            completeReads();
            rig.receive(request);
            Packet progress = rig.onlySent();
            assertThat(progress.type()).isEqualTo(PacketType.PROGRESS);
            assertThat(progress.saysRequestRead()).as("after it was READ").isTrue();

            assertThat(rig.nic.readsPosted()).isOne();
            assertThat(rig.held).hasSize(1);
            assertThat(rig.hostOf(session).connectionsWanted).isOne();
        }

        private FakeNic.View askToSee() {
            rig.nic.showMemory(true);
            rig.connect(session);
            rig.receive(request);
            return rig.nic.views().getLast();
        }

        @Test
        @DisplayName("large requests of a peer that serves no READ use its part of memory, and leave the rest")
        void whenAPeerServesNoReadThenItsOtherRequestsWaitWithoutMemory() {
            try (EngineRig small = new EngineRig(8 << 20)) {
                ServerSession slow = small.server(new MessageOrigin("slow", "its connection"));
                ServerSession other = small.server(new MessageOrigin("other", "its connection"));
                small.connect(slow);
                small.connect(other);
                for (int i = 0; i < WINDOW; i++) {
                    small.receive(Packet.largeRequest(slow, FIRST + i, HOLD, MEGABYTE, REMOTE, RKEY));
                }
                assertThat(small.arena.statistics().blocksInUse()).isEqualTo(2);
                assertThat(small.loop.gauges().traffic().readsWaiting()).isEqualTo(WINDOW - 2);

                small.receive(Packet.largeRequest(other, FIRST, HOLD, LENGTH, REMOTE, RKEY));
                small.nic.reads().getLast().complete(LARGE, REMOTE);
                small.runLoop();
                assertThat(small.held).hasSize(1);

                while (small.held.size() < WINDOW + 1) {
                    small.nic.reads().forEach(read -> read.complete(new byte[MEGABYTE], REMOTE));
                    small.runLoop();
                }
                assertThat(small.loop.gauges().traffic().readsWaiting()).isZero();
            }
        }

        @Test
        @DisplayName("CP-14 a session that ends while its request waits for the peer's part: the request ends as well")
        void whenTheSessionEndsWhileItsRequestWaitsThenTheRequestEnds() {
            try (EngineRig small = new EngineRig(4 << 20)) {
                ServerSession first = small.server();
                ServerSession second = small.server();
                small.connect(first);
                small.connect(second);
                small.receive(Packet.largeRequest(first, FIRST, HOLD, MEGABYTE, REMOTE, RKEY));
                small.receive(Packet.largeRequest(second, FIRST, HOLD, MEGABYTE, REMOTE, RKEY));
                assertThat(small.nic.readsPosted()).isOne();

                small.remove(second, "gone");
                small.nic.reads().getFirst().complete(new byte[MEGABYTE], REMOTE);
                small.runLoop();

                assertThat(small.nic.readsPosted()).isOne();
                assertThat(small.held).hasSize(1);
            }
        }

        @Test
        @DisplayName("FL-06 a request whose deadline passes while it waits for the peer's part is rejected")
        void whenTheDeadlineOfAWaitingRequestHasPassedThenItIsRejected() {
            try (EngineRig small = new EngineRig(4 << 20)) {
                ServerSession waiting = small.server();
                small.connect(waiting);
                small.receive(Packet.largeRequest(waiting, FIRST, HOLD, MEGABYTE, REMOTE, RKEY));
                small.receive(Packet.largeRequest(waiting, FIRST + 1, HOLD, MEGABYTE, REMOTE, RKEY)
                        .withRemainingMicros(500_000));

                small.pass(Duration.ofMillis(1_600));

                assertThat(small.onlySent().status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED.code());
                assertThat(small.loop.gauges().traffic().readsWaiting()).isZero();
                assertThat(small.nic.readsPosted()).isOne();
            }
        }

        @Test
        @DisplayName("a READ without progress for the timeout ends only its session")
        void whenAReadMakesNoProgressThenItsSessionEnds() {
            ServerSession other = rig.server();
            rig.receive(request);
            rig.connect(session);

            rig.pass(Duration.ofSeconds(4));

            assertThat(rig.hostOf(session).broken).hasSize(1);
            assertThat(rig.hostOf(session).broken.getFirst())
                    .contains("made no progress for 3000 ms")
                    .contains("rdma.rc.read-timeout");
            assertThat(rig.loop.gauges().traffic().readsStalled()).isOne();
            assertThat(rig.hostOf(other).broken).isEmpty();
        }

        @Test
        @DisplayName("READs of which one completes in time continue, regardless of their total time")
        void whenReadsMakeProgressThenTheSessionContinues() {
            rig.connect(session);
            for (int i = 0; i < WINDOW; i++) {
                rig.receive(Packet.largeRequest(session, FIRST + i, HOLD, LENGTH, REMOTE, RKEY));
            }
            for (int i = 0; i < WINDOW; i++) {
                rig.pass(Duration.ofMillis(2_900));
                rig.nic.reads().getFirst().complete(LARGE, REMOTE);
                rig.runLoop();
            }
            assertThat(rig.held).hasSize(WINDOW);
            assertThat(rig.hostOf(session).broken).isEmpty();
        }

        @Test
        @DisplayName("a large request that can be viewed in place needs no memory and no READ")
        void whenTheMemoryCanBeViewedThenNothingIsRead() {
            FakeNic.View view = askToSee();
            assertThat(rig.held).as("not before the peer has responded").isEmpty();

            view.show(LARGE);
            rig.runLoop();

            assertThat(rig.held.getFirst().message().payload().toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(LARGE);
            assertThat(rig.nic.readsPosted()).isZero();
            assertThat(rig.arena.statistics().blocksInUse()).isZero();
            assertThat(rig.loop.gauges().statistics().readBytes()).isEqualTo(LENGTH);
        }

        @Test
        @DisplayName("a large request that can be viewed at once runs in the duty cycle in which it arrives")
        void whenTheMemoryIsViewedAtOnceThenTheCallRuns() {
            rig.nic.showAtOnce(LARGE);
            rig.connect(session);
            for (int i = 0; i < WINDOW; i++) {
                rig.receive(Packet.largeRequest(session, FIRST + i, HOLD, LENGTH, REMOTE, RKEY));
                assertThat(rig.held).hasSize(i + 1);
            }
            assertThat(rig.held.getLast().message().payload().toArray(ValueLayout.JAVA_BYTE))
                    .isEqualTo(LARGE);
            assertThat(rig.loop.gauges().statistics().reads()).isEqualTo(WINDOW);
        }

        @Test
        @DisplayName("the response to a large request that is viewed at once leaves before the next one runs")
        void whenALargeRequestIsCompletedAtOnceThenItsResponseLeaves() {
            List<Integer> left = new ArrayList<>();
            rig.serve(
                    77,
                    request -> {
                        left.add(rig.nic.takeSent().size());
                        EngineRig.respond(request, HELLO);
                    },
                    null);
            rig.nic.showAtOnce(LARGE);
            rig.connect(session);
            for (int i = 0; i < 3; i++) {
                Packet next = Packet.largeRequest(session, FIRST + i, 77, LENGTH, REMOTE, RKEY);
                rig.nic.receive(next.bytes(), EngineRig.PEER_QPN, EngineRig.PEER_GID);
            }
            assertThat(rig.loop.invoke()).isPositive();

            assertThat(left).containsExactly(0, 1, 1);
        }

        @Test
        @DisplayName("the view of a large request ends when its call is completed")
        void whenTheCallIsCompletedThenTheViewEnds() {
            FakeNic.View view = askToSee();
            view.show(LARGE);
            rig.runLoop();
            assertThat(view.isClosed()).isFalse();

            rig.held.getFirst().fail(RpcStatus.HANDLER_FAILED, "", "on purpose");

            assertThat(view.isClosed()).isTrue();
        }

        @Test
        @DisplayName("a large request whose view has no memory is READ, and so are the next ones")
        void whenTheMemoryCannotBeViewedThenItIsRead() {
            FakeNic.View view = askToSee();
            view.end(CompletionStatus.SUCCESS);
            rig.runLoop();

            assertThat(view.isClosed()).isTrue();
            assertThat(rig.onlyRead().length()).isEqualTo(LENGTH);
            rig.receive(Packet.largeRequest(session, FIRST + 1, HOLD, LENGTH, REMOTE, RKEY));
            assertThat(rig.nic.reads()).hasSize(2);
            completeReads();
            assertThat(rig.held).hasSize(2);
            assertThat(rig.nic.views()).hasSize(1);
        }

        @Test
        @DisplayName("LG-12 a bad address also ends the session if its memory is to be viewed")
        void whenTheViewFailsThenTheSessionIsBroken() {
            FakeNic.View view = askToSee();
            view.end(CompletionStatus.REM_ACCESS_ERR);
            rig.runLoop();

            assertThat(rig.hostOf(session).broken.getFirst()).contains("300000 bytes failed with REM_ACCESS_ERR");
            assertThat(view.isClosed()).isTrue();
            assertThat(rig.held).isEmpty();
        }

        @Test
        @DisplayName("memory that a session has lent is not reused after its end: the peer may still view it")
        void whenTheSessionEndsThenItsLentMemoryIsNotReused() {
            rig.serve(77, request -> EngineRig.respond(request, LARGE), null);
            rig.connect(session);
            rig.receive(Packet.request(session, FIRST, 77, HELLO));
            assertThat(lent(session).blocksInUse()).isOne();

            rig.loop.sessions().remove(session, "gone");
            rig.runCycle();

            assertThat(lent(session).blocksInUse()).isZero();
            assertThat(lent(session).chunks()).isOne();
            assertThat(rig.hostOf(session).lending.tryAllocate(LENGTH)).isNull();
        }

        @Test
        @DisplayName("CP-14 a session that ends before its request is viewed: the call does not run")
        void whenTheSessionEndsBeforeTheViewThenTheCallDoesNotRun() {
            FakeNic.View view = askToSee();
            rig.loop.sessions().remove(session, "gone");
            view.show(LARGE);
            rig.runLoop();

            assertThat(rig.held).isEmpty();
            assertThat(view.isClosed()).isTrue();
        }

        @Test
        @DisplayName("LO-05 the slot's next call is dropped while the previous request is being READ")
        void whenTheSlotIsReadingThenItsNextCallIsDropped() {
            rig.receive(request);

            rig.receive(Packet.request(session, FIRST + WINDOW, HOLD, HELLO));
            rig.receive(Packet.release(session, FIRST));

            assertThat(rig.dropped(Drop.STATE)).isOne();
            rig.connect(session);
            completeReads();
            assertThat(rig.held).hasSize(1);
        }

        @Test
        @DisplayName("LG-12 a bad address ends only the session")
        void whenTheReadFailsThenTheSessionIsBroken() {
            ServerSession other = rig.server();
            rig.receive(request);
            rig.connect(session);

            rig.onlyRead().end(CompletionStatus.REM_ACCESS_ERR);
            rig.runLoop();

            assertThat(rig.hostOf(session).broken).hasSize(1);
            assertThat(rig.hostOf(session).broken.getFirst())
                    .contains("an RDMA READ of 300000 bytes failed with REM_ACCESS_ERR");
            assertThat(rig.held).isEmpty();
            assertThat(rig.sent()).isEmpty();
            assertThat(rig.arena.statistics().blocksInUse()).isZero();
            rig.receive(Packet.request(other, FIRST, HOLD, HELLO));
            assertThat(rig.held).hasSize(1);
            assertThat(rig.hostOf(other).broken).isEmpty();
        }

        @Test
        @DisplayName("LG-08 without memory a large request is rejected, and its session continues")
        void whenThereIsNoMemoryThenTheClientMayTryAgain() {
            rig.nic.rejectMemory(true);
            rig.receive(request);

            Packet rejection = rig.onlySent();
            assertThat(rejection.status()).isEqualTo(RpcStatus.BACKPRESSURE.code());
            assertThat(rejection.failureText().message()).startsWith("cannot READ the request: ");
            rig.nic.rejectMemory(false);
            rig.connect(session);
            rig.receive(Packet.largeRequest(session, FIRST + WINDOW, HOLD, LENGTH, REMOTE, RKEY));
            completeReads();
            assertThat(rig.held).hasSize(1);
        }

        @Test
        @DisplayName("CP-14 a session that ends while its request is being READ: the memory waits for the NIC")
        void whenTheSessionEndsWhileReadingThenTheMemoryWaitsForTheFlush() {
            rig.receive(request);
            rig.connect(session);
            assertThat(rig.arena.statistics().blocksInUse()).isOne();

            rig.loop.sessions().remove(session, "gone");
            rig.runLoop();
            assertThat(rig.arena.statistics().blocksInUse())
                    .as("the NIC may still write")
                    .isOne();
            assertThat(rig.hostOf(session).drained).isZero();

            rig.remove(session, "gone");
            rig.pass(EngineRig.TICK.multipliedBy(2));
            assertThat(rig.arena.statistics().blocksInUse()).isZero();
            assertThat(rig.hostOf(session).drained).isOne();
            assertThat(rig.held).isEmpty();
        }

        @Test
        @DisplayName("CP-14 a READ that succeeds after the end of its session: the call does not run")
        void whenTheReadEndsAfterTheSessionThenTheCallDoesNotRun() {
            rig.receive(request);
            rig.connect(session);
            rig.loop.sessions().remove(session, "gone");

            completeReads();

            assertThat(rig.held).isEmpty();
            assertThat(rig.arena.statistics().blocksInUse()).isZero();
        }

        @Test
        @DisplayName("CP-14 a session that ends while memory is registered for its request")
        void whenTheSessionEndsWhileTheArenaGrowsThenTheMemoryIsReleased() {
            rig.nic.receive(request.bytes(), EngineRig.PEER_QPN, EngineRig.PEER_GID);
            rig.runCycle();

            rig.remove(session, "gone");

            assertThat(rig.arena.statistics().blocksInUse()).isZero();
            assertThat(rig.arena.statistics().chunks()).as("it had grown").isOne();
        }

        @Test
        @DisplayName("a session that ends while memory is registered for its request is released after that")
        void whenTheSessionEndsWhileTheArenaGrowsThenItIsReleasedAfterwards() {
            rig.nic.receive(request.bytes(), EngineRig.PEER_QPN, EngineRig.PEER_GID);
            rig.runCycle();
            rig.loop.sessions().remove(session, "gone");
            for (int tick = 0; tick < 50; tick++) {
                rig.clock.advanceNanos(EngineRig.TICK.toNanos());
                rig.runCycle();
            }
            assertThat(rig.hostOf(session).drained).isZero();

            rig.remove(session, "gone");
            rig.pass(EngineRig.TICK.multipliedBy(50));
            assertThat(rig.hostOf(session).drained).isOne();
        }

        @Test
        @DisplayName("FL-06 LO-11 a client whose call times out while it runs is notified that its memory was READ")
        void whenTheCallTimesOutWhileItRunsThenTheClientIsNotifiedThatItsMemoryIsFree() {
            rig.receive(request);
            rig.connect(session);
            completeReads();
            assertThat(rig.held).hasSize(1);
            rig.sent();

            // A client whose call timed out sends a RELEASE, then asks whether its memory was READ.
            rig.receive(Packet.release(session, FIRST));
            rig.receive(request.withRemainingMicros(0));

            Packet progress = rig.onlySent();
            assertThat(progress.type()).isEqualTo(PacketType.PROGRESS);
            assertThat(progress.index()).isEqualTo(FIRST);
            assertThat(progress.saysRequestRead()).isTrue();
            assertThat(rig.held).as("executions").hasSize(1);
        }

        @Test
        @DisplayName("FL-06 a large request whose deadline has passed on arrival is not READ")
        void whenTheDeadlineHasPassedThenNothingIsRead() {
            rig.receive(request.withRemainingMicros(0));

            assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED.code());
            assertThat(rig.hostOf(session).connectionsWanted).isZero();
        }

        @Test
        @DisplayName("FL-06 a large request whose deadline passes while it is being READ is not executed")
        void whenTheDeadlinePassesWhileReadingThenTheMethodDoesNotRun() {
            rig.connect(session);
            rig.receive(request.withRemainingMicros(5_000));
            rig.clock.advance(Duration.ofMillis(5));

            completeReads();

            assertThat(rig.held).isEmpty();
            assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.DEADLINE_EXCEEDED.code());
            assertThat(rig.arena.statistics().blocksInUse()).isZero();
        }

        @ParameterizedTest
        @ValueSource(ints = {0, -1, EngineRig.MAX_MESSAGE + 1, Integer.MAX_VALUE, Integer.MIN_VALUE})
        @DisplayName("LO-12 a large request of invalid length is dropped")
        void whenTheLengthIsInvalidThenItIsDropped(int length) {
            rig.receive(request.withLength(length));

            assertThat(rig.dropped(Drop.LENGTH)).isOne();
            assertThat(rig.hostOf(session).connectionsWanted).isZero();
        }

        @Test
        @DisplayName("LG-06 the largest message is accepted")
        void whenTheRequestIsOfTheLargestLengthThenItIsRead() {
            rig.connect(session);
            rig.receive(request.withLength(EngineRig.MAX_MESSAGE));

            assertThat(rig.onlyRead().length()).isEqualTo(EngineRig.MAX_MESSAGE);
        }
    }

    @Nested
    class AtTheClient {

        /** The first call is in slot 0. */
        private static final long INDEX = WINDOW;

        private final ClientSession session = rig.client();

        private TestCall smallCall() {
            TestCall call = rig.call(session, HELLO);
            rig.runLoop();
            rig.sent();
            return call;
        }

        private Packet largeResponse() {
            return Packet.largeResponse(session, INDEX, LENGTH, REMOTE, RKEY);
        }

        @Test
        @DisplayName("a large response that can be viewed is passed on in place, and released when it is closed")
        void whenTheMemoryCanBeViewedThenTheResponseIsAvailable() {
            rig.nic.showMemory(true);
            rig.connect(session);
            TestCall call = smallCall();
            rig.receive(largeResponse());
            FakeNic.View view = rig.nic.views().getLast();
            view.show(LARGE);
            rig.runLoop();

            assertThat(call.response()).isEqualTo(LARGE);
            assertThat(rig.onlySent().type()).isEqualTo(PacketType.RELEASE);
            assertThat(rig.nic.readsPosted()).isZero();
            assertThat(view.isClosed()).as("by the caller").isTrue();
        }

        @Test
        @DisplayName("LG-02 a large response is READ, passed on, and released at the server")
        void whenALargeResponseArrivesThenItIsReadAndReleased() {
            TestCall call = smallCall();
            rig.receive(largeResponse());
            assertThat(rig.hostOf(session).connectionsWanted).isOne();
            rig.connect(session);
            assertThat(rig.onlyRead().rkey()).isEqualTo(RKEY);
            assertThat(call.ends()).isZero();

            completeReads();

            assertThat(call.response()).isEqualTo(LARGE);
            Packet release = rig.onlySent();
            assertThat(release.type()).isEqualTo(PacketType.RELEASE);
            assertThat(release.index()).isEqualTo(INDEX);
            assertThat(release.session()).isEqualTo(EngineRig.PEER_SESSION);
            assertThat(rig.blocksInUse()).isZero();
        }

        @Test
        @DisplayName("LO-07 a duplicate large response posts no second READ and does not release the memory that "
                + "is being READ")
        void whenTheResponseArrivesTwiceThenThereIsOneRead() {
            TestCall call = smallCall();
            rig.connect(session);
            rig.receive(largeResponse());
            rig.receive(largeResponse());
            rig.receive(largeResponse());
            assertThat(rig.nic.readsPosted()).isOne();
            assertThat(rig.dropped(Drop.STALE)).isEqualTo(2);
            assertThat(rig.sent())
                    .as("a RELEASE now would free the memory that is being READ")
                    .isEmpty();

            completeReads();
            assertThat(rig.sent()).hasSize(1);
            assertThat(call.response()).isEqualTo(LARGE);
            rig.receive(largeResponse());
            assertThat(rig.onlySent().type())
                    .as("the server did not receive the first one")
                    .isEqualTo(PacketType.RELEASE);
            assertThat(rig.nic.readsPosted()).isOne();
        }

        @Test
        @DisplayName("LO-01 during a READ the request is not retransmitted")
        void whenTheResponseIsBeingReadThenTheRequestIsNotRetransmitted() {
            smallCall();
            rig.connect(session);
            rig.receive(largeResponse());

            rig.pass(Duration.ofSeconds(2));

            assertThat(rig.sent()).isEmpty();
            assertThat(session.isOpen()).isTrue();
        }

        @Test
        @DisplayName("LO-09 a call that times out while its response is being READ: the slot waits, the READ has "
                + "no effect")
        void whenTheCallTimesOutWhileReadingThenTheSlotWaits() {
            TestCall call = rig.call(session, HELLO, Duration.ofMillis(10));
            rig.runLoop();
            rig.connect(session);
            rig.receive(largeResponse());
            rig.sent();
            rig.pass(Duration.ofMillis(11));
            assertThat(call.failure()).isInstanceOf(RdmaTimeoutException.class);
            for (int i = 0; i < WINDOW; i++) {
                rig.call(session, HELLO);
            }
            rig.runLoop();
            assertThat(rig.sent()).as("calls in the other slots").hasSize(WINDOW - 1);

            completeReads();

            assertThat(rig.sent())
                    .extracting(Packet::type)
                    .containsExactlyInAnyOrder(PacketType.RELEASE, PacketType.REQUEST);
            assertThat(rig.arena.statistics().blocksInUse()).isZero();
        }

        @Test
        @DisplayName("LG-09 a READ that fails ends the call and the session")
        void whenTheReadFailsThenTheSessionIsBroken() {
            TestCall call = smallCall();
            TestCall other = rig.call(session, HELLO);
            rig.connect(session);
            rig.receive(largeResponse());

            rig.onlyRead().end(CompletionStatus.RETRY_EXC_ERR);
            rig.runLoop();

            assertThat(call.failure())
                    .isInstanceOf(RdmaUnavailableException.class)
                    .hasMessageContaining("failed with RETRY_EXC_ERR");
            assertThat(rig.hostOf(session).broken).hasSize(1);
            rig.remove(session, "broken");
            assertThat(other.failure()).isInstanceOf(RdmaUnavailableException.class);
        }

        @Test
        @DisplayName("LG-08 without memory for the response the call fails and the server is notified")
        void whenThereIsNoMemoryForTheResponseThenTheCallFails() {
            TestCall call = smallCall();
            rig.nic.rejectMemory(true);

            rig.receive(largeResponse());

            assertThat(call.failure())
                    .as("not backpressure, because the method has run")
                    .isInstanceOf(RdmaUnavailableException.class)
                    .hasMessageStartingWith("the method has run, but the client cannot READ its response: ");
            assertThat(rig.onlySent().type()).isEqualTo(PacketType.RELEASE);
            assertThat(session.isOpen()).isTrue();
        }

        @Test
        @DisplayName("LG-01 a large request lends its memory until the response")
        void whenTheRequestIsLargeThenItsMemoryIsLentUntilTheResponse() {
            TestCall call = rig.call(session, LARGE);
            rig.runLoop();
            Packet request = rig.onlySent();
            assertThat(request.type()).isEqualTo(PacketType.LARGE_REQUEST);
            assertThat(request.length()).isEqualTo(LENGTH);
            assertThat(rig.lentBytes(request)).isEqualTo(LARGE);

            rig.receive(Packet.progress(session, INDEX, true));
            rig.receive(Packet.response(session, INDEX, HELLO));

            assertThat(call.response()).isEqualTo(HELLO);
            assertThat(lent(session).blocksInUse()).isZero();
            assertThat(lent(session).registeredBytes()).as("kept for the next").isPositive();
        }

        @Test
        @DisplayName("LO-10 a lost large request is retransmitted with the same memory")
        void whenTheRequestIsLostThenTheSameMemoryIsLent() {
            rig.call(session, LARGE);
            rig.runLoop();
            Packet first = rig.onlySent();

            rig.pass(Duration.ofMillis(20));

            Packet again = rig.onlySent();
            assertThat(again.remoteAddress()).isEqualTo(first.remoteAddress());
            assertThat(again.rkey()).isEqualTo(first.rkey());
            assertThat(lent(session).blocksInUse()).isOne();
        }

        private TestCall abandonedCall() {
            TestCall call = rig.call(session, LARGE, Duration.ofMillis(10));
            rig.runLoop();
            rig.sent();
            rig.pass(Duration.ofMillis(12));
            assertThat(call.failure()).isInstanceOf(RdmaTimeoutException.class);
            return call;
        }

        @Test
        @DisplayName("FL-06 LT-01 a large request that times out keeps its memory until the server has READ it")
        void whenALargeCallTimesOutThenItsMemoryWaitsForTheServer() {
            abandonedCall();
            List<Packet> sent = rig.sent();
            assertThat(sent).extracting(Packet::type).contains(PacketType.CANCEL, PacketType.LARGE_REQUEST);
            assertThat(sent).allMatch(packet -> packet.index() == INDEX);
            assertThat(sent.getLast().remainingMicros())
                    .as("so that it does not run now")
                    .isZero();
            assertThat(lent(session).blocksInUse()).isOne();

            rig.receive(Packet.progress(session, INDEX, false));
            assertThat(lent(session).blocksInUse()).as("not READ yet").isOne();
            rig.receive(Packet.progress(session, INDEX, true));
            assertThat(lent(session).blocksInUse()).isZero();
            rig.pass(Duration.ofSeconds(2));
            assertThat(rig.sent()).isEmpty();
            assertThat(session.isOpen()).isTrue();
        }

        @Test
        @DisplayName("SM-11 the late response of an abandoned call ends it silently")
        void whenTheLateResponseArrivesThenTheMemoryIsFree() {
            abandonedCall();

            rig.receive(Packet.failure(session, INDEX, RpcStatus.DEADLINE_EXCEEDED, "", "not run"));

            assertThat(lent(session).blocksInUse()).isZero();
            assertThat(rig.droppedInAll()).isZero();
        }

        @Test
        @DisplayName("SM-11 the late large response of an abandoned call is released, not READ")
        void whenTheLateResponseIsLargeThenItIsReleased() {
            abandonedCall();
            rig.sent();

            rig.receive(largeResponse());

            assertThat(rig.onlySent().type()).isEqualTo(PacketType.RELEASE);
            assertThat(rig.nic.readsPosted()).isZero();
            assertThat(lent(session).blocksInUse()).isZero();
        }

        @Test
        @DisplayName("LT-01 an abandoned call whose server does not respond ends the session, then its memory is free")
        void whenTheServerDoesNotReportTheReadThenTheSessionIsBroken() {
            abandonedCall();

            rig.pass(Duration.ofSeconds(2));

            assertThat(rig.hostOf(session).broken).hasSize(1);
            assertThat(lent(session).blocksInUse()).isOne();
            rig.remove(session, "broken");
            assertThat(lent(session).blocksInUse()).isZero();
        }

        @Test
        @DisplayName("FC-03 without a packet for the control message a large call waits at the front of the backlog")
        void whenThereIsNoPacketForTheControlMessageThenTheCallWaits() {
            List<RegisteredBlock> taken = new ArrayList<>();
            TestCall call = rig.call(session, LARGE);
            rig.nic.rejectMemory(true);
            for (RegisteredBlock block = rig.slab.tryTakeBlock(); block != null; block = rig.slab.tryTakeBlock()) {
                taken.add(block);
            }
            rig.runLoop();
            assertThat(rig.sent()).isEmpty();

            taken.forEach(RegisteredBlock::free);
            rig.pass(EngineRig.TICK.multipliedBy(2));

            assertThat(rig.onlySent().type()).isEqualTo(PacketType.LARGE_REQUEST);
            rig.receive(Packet.response(session, INDEX, HELLO));
            assertThat(call.response()).isEqualTo(HELLO);
        }
    }

    @Test
    @DisplayName("LG-03 a large request with a large response in one engine that is both ends")
    void whenBothDirectionsAreLargeThenNothingIsMixedUp() {
        ServerSession server = rig.server();
        ClientSession client = rig.client();
        rig.connect(server);
        rig.connect(client);

        TestCall call = rig.call(client, EngineRig.bytes(5000));
        rig.receive(Packet.largeRequest(server, FIRST, HOLD, LENGTH, REMOTE, RKEY));
        completeReads();
        EngineRig.respond(rig.held.getFirst(), EngineRig.bytes(70_000));
        rig.runLoop();
        rig.receive(Packet.largeResponse(client, WINDOW, LENGTH, REMOTE, RKEY));
        completeReads();

        assertThat(call.response()).isEqualTo(LARGE);
        Packet response = rig.sent().stream()
                .filter(packet -> packet.type() == PacketType.LARGE_RESPONSE)
                .findFirst()
                .orElseThrow();
        assertThat(rig.lentBytes(response)).isEqualTo(EngineRig.bytes(70_000));
    }
}
