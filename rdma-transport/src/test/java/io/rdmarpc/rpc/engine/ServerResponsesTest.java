package io.rdmarpc.rpc.engine;

import static io.rdmarpc.rpc.engine.EngineRig.ECHO;
import static io.rdmarpc.rpc.engine.EngineRig.FIRST;
import static io.rdmarpc.rpc.engine.EngineRig.HOLD;
import static io.rdmarpc.rpc.engine.EngineRig.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.engine.context.EngineCounters.Drop;
import io.rdmarpc.rpc.engine.server.ServerSession;
import io.rdmarpc.rpc.engine.server.ServerSlot;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaMessageTooLargeException;
import io.rdmarpc.rpc.error.RdmaTimeoutException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.rpc.wire.FailureText;
import io.rdmarpc.rpc.wire.PacketHeader;
import io.rdmarpc.rpc.wire.PacketType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** A handler's actions on a call, and the result at the client. */
class ServerResponsesTest {

    private static final int OTHER = 3;
    private static final byte[] HELLO = EngineRig.bytes(11);

    private final EngineRig rig = new EngineRig();
    private final ServerSession session = rig.server();
    private final int packetBytes = session.maxPacketPayload();

    @AfterEach
    void close() {
        rig.close();
    }

    private RpcRequest hold() {
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        return rig.held.getLast();
    }

    @Test
    @DisplayName("FL-04 a handler that throws responds with its exception")
    void whenAHandlerThrowsThenTheClientGetsTheText() {
        rig.serve(
                OTHER,
                request -> {
                    throw new IllegalStateException("no stock of süßholz");
                },
                null);

        rig.receive(Packet.request(session, FIRST, OTHER, HELLO));

        Packet response = rig.onlySent();
        assertThat(response.type()).isEqualTo(PacketType.RESPONSE);
        assertThat(response.status()).isEqualTo(RpcStatus.HANDLER_FAILED.code());
        assertThat(response.failureText())
                .isEqualTo(new FailureText("java.lang.IllegalStateException", "no stock of süßholz"));
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    void whenAHandlerThrowsAnErrorThenTheEngineSurvives() {
        rig.serve(
                OTHER,
                request -> {
                    throw new StackOverflowError();
                },
                null);

        rig.receive(Packet.request(session, FIRST, OTHER, HELLO));
        assertThat(rig.onlySent().failureText().type()).isEqualTo("java.lang.StackOverflowError");

        rig.receive(Packet.request(session, FIRST + 1, ECHO, HELLO));
        assertThat(rig.onlySent().body()).isEqualTo(HELLO);
    }

    @Test
    @DisplayName("FL-04 a handler whose own call failed has failed: that call's status does not apply")
    void whenAHandlerThrowsAnRpcExceptionThenItsStatusIsNotUsed() {
        rig.serve(
                OTHER,
                request -> {
                    throw new RdmaTimeoutException(
                            "the next server was too slow", new IllegalStateException("it is asleep"));
                },
                null);

        rig.receive(Packet.request(session, FIRST, OTHER, HELLO));

        Packet response = rig.onlySent();
        assertThat(response.status()).isEqualTo(RpcStatus.HANDLER_FAILED.code());
        assertThat(response.failureText())
                .isEqualTo(new FailureText(
                        RdmaTimeoutException.class.getName(),
                        "the next server was too slow; caused by java.lang.IllegalStateException: it is asleep"));
    }

    private static final RdmaErrorDetails DETAILS = RdmaErrorDetails.builder()
            .retryDelay(Duration.ofMillis(70))
            .reason("NO_STOCK", "shop")
            .build();

    @Test
    @DisplayName("FL-18 details of a failure are sent behind its message")
    void whenAHandlerFailsWithDetailsThenTheyAreSent() {
        hold().fail(RpcStatus.CONFLICT, "", "no stock", DETAILS);
        rig.runLoop();

        FailureText sent = rig.onlySent().failureText();
        assertThat(sent.message()).isEqualTo("no stock");
        assertThat(sent.errorDetails()).isEqualTo(DETAILS);
    }

    @Test
    @DisplayName("FL-18 a caller of protocol version 4 receives the retry delay and no other details")
    void whenTheCallerIsOfVersion4ThenOnlyTheRetryDelayIsSent() {
        rig.protocolVersion = 4;
        ServerSession old = rig.server();
        rig.receive(Packet.request(old, FIRST, HOLD, HELLO));

        rig.held.getLast().fail(RpcStatus.CONFLICT, "", "no stock", DETAILS);
        rig.runLoop();

        assertThat(rig.onlySent().failureText()).isEqualTo(new FailureText("", "no stock", 70));
    }

    @Test
    @DisplayName("FL-18 details that exceed a packet are truncated, and the message is not lost")
    void whenDetailsExceedAPacketThenTheyAreTruncated() {
        hold().fail(RpcStatus.CONFLICT, "", "no stock", DETAILS.withDebug("at shop.Orders.place\n".repeat(1000)));
        rig.runLoop();

        Packet response = rig.onlySent();
        assertThat(response.body().length).isLessThanOrEqualTo(session.maxPacketPayload());
        assertThat(response.failureText().message()).isEqualTo("no stock");
        RdmaErrorDetails received = response.failureText().errorDetails();
        assertThat(received.isTruncated()).isTrue();
        assertThat(received.reason()).isEqualTo("NO_STOCK");
        assertThat(received.debug()).startsWith("at shop.Orders.place\nat").endsWith("...");
    }

    @Test
    void whenAFailureHasStatusOkThenItIsStillAFailure() {
        hold().fail(RpcStatus.OK, "", "odd");
        rig.runLoop();

        assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.INTERNAL.code());
    }

    @Test
    @DisplayName("FL-04 a second response to a call causes an exception and is never sent")
    void whenAHandlerRespondsTwiceThenTheSecondIsRejected() {
        RpcRequest request = hold();
        EngineRig.respond(request, HELLO);

        assertThatIllegalStateException().isThrownBy(() -> EngineRig.respond(request, new byte[3]));
        assertThatIllegalStateException().isThrownBy(() -> request.fail(RpcStatus.INTERNAL, "", "late"));

        rig.runLoop();
        assertThat(rig.onlySent().body()).isEqualTo(HELLO);
    }

    @Test
    @DisplayName("FL-04 an exception of a handler after its response has no effect")
    void whenAHandlerThrowsAfterItsResponseThenTheResponseIsSent() {
        rig.serve(
                OTHER,
                request -> {
                    EngineRig.echo(request);
                    throw new IllegalStateException("too late");
                },
                null);

        rig.receive(Packet.request(session, FIRST, OTHER, HELLO));

        assertThat(rig.onlySent().body()).isEqualTo(HELLO);
    }

    @Test
    @DisplayName("LT-05 a response in a closed buffer is reported as a failure of the server")
    void whenTheResponsesBufferIsClosedThenTheClientIsNotified() {
        RpcRequest request = hold();
        MessageBuffer buffer = request.allocate(10);
        buffer.close();

        request.respond(buffer);
        rig.runLoop();

        assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.INTERNAL.code());
        assertThat(rig.loop.gauges().executingCalls()).isZero();
    }

    @Test
    @DisplayName("SM-11 a response to a session that has ended is dropped")
    void whenTheSessionHasEndedThenTheResponseIsDropped() {
        RpcRequest small = hold();
        rig.receive(Packet.request(session, FIRST + 1, HOLD, HELLO));
        RpcRequest large = rig.held.getLast();
        MessageBuffer lent = EngineRig.filled(large.allocate(5000), EngineRig.bytes(5000));
        rig.remove(session, "gone");

        EngineRig.respond(small, HELLO);
        large.respond(lent);
        rig.runLoop();

        assertThat(rig.sent()).isEmpty();
        assertThat(rig.dropped(Drop.LATE_RESPONSE)).isEqualTo(2);
        assertThat(rig.blocksInUse()).isZero();
        assertThat(rig.loop.gauges().executingCalls()).isZero();
    }

    @Test
    @DisplayName("FL-07 an executor that rejects calls sheds load")
    void whenTheExecutorRejectsThenTheClientMayTryAgain() {
        rig.serve(OTHER, EngineRig::echo, task -> {
            throw new RejectedExecutionException("queue full");
        });

        rig.receive(Packet.request(session, FIRST, OTHER, HELLO));

        Packet response = rig.onlySent();
        assertThat(response.status()).isEqualTo(RpcStatus.OVERLOADED.code());
        assertThat(response.failureText().message()).contains("queue full");
        assertThat(response.failureText().retryAfterMillis()).isPositive();
    }

    @Test
    @DisplayName("FL-04 any other exception of an executor is reported as a failure of the server")
    void whenTheExecutorThrowsThenTheClientIsNotified() {
        rig.serve(OTHER, EngineRig::echo, task -> {
            throw new OutOfMemoryError("unable to create native thread");
        });

        rig.receive(Packet.request(session, FIRST, OTHER, HELLO));

        Packet response = rig.onlySent();
        assertThat(response.status()).isEqualTo(RpcStatus.INTERNAL.code());
        assertThat(response.failureText().message()).contains("unable to create native thread");
        assertThat(rig.nic.postedReceives()).isEqualTo(EngineRig.RING);
    }

    @Test
    @DisplayName("SM-10 another thread may respond to a call at any time")
    void whenAnotherThreadRespondsThenTheEngineSends() throws InterruptedException {
        List<Runnable> tasks = new ArrayList<>();
        rig.serve(OTHER, EngineRig::echo, tasks::add);
        rig.receive(Packet.request(session, FIRST, OTHER, HELLO));
        assertThat(rig.loop.gauges().executingCalls()).isOne();

        Thread worker = new Thread(tasks.getFirst());
        worker.start();
        worker.join();
        rig.runLoop();

        assertThat(rig.onlySent().body()).isEqualTo(HELLO);
        assertThat(rig.loop.gauges().executingCalls()).isZero();
    }

    @Test
    @DisplayName("SM-07 LG-05 a response of exactly a packet is small, one byte more is large")
    void whenAResponseIsOneByteOverAPacketThenItIsLent() {
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        EngineRig.respond(rig.held.getLast(), EngineRig.bytes(packetBytes));
        rig.runLoop();
        Packet small = rig.onlySent();
        assertThat(small.type()).isEqualTo(PacketType.RESPONSE);
        assertThat(small.body()).isEqualTo(EngineRig.bytes(packetBytes));
        assertThat(small.bytes()).hasSizeLessThanOrEqualTo(EngineRig.MTU);

        rig.receive(Packet.request(session, FIRST + WINDOW, HOLD, HELLO));
        EngineRig.respond(rig.held.getLast(), EngineRig.bytes(packetBytes + 1));
        rig.runLoop();
        Packet large = rig.onlySent();
        assertThat(large.type()).isEqualTo(PacketType.LARGE_RESPONSE);
        assertThat(large.bytes()).hasSize(PacketHeader.BYTES + 16);
        assertThat(large.length()).isEqualTo(packetBytes + 1);
        assertThat(rig.lentBytes(large)).isEqualTo(EngineRig.bytes(packetBytes + 1));
    }

    @Test
    @DisplayName("LO-11 RELEASE frees the memory of a large response")
    void whenTheClientReleasesThenTheLentBlockIsFree() {
        RpcRequest request = hold();
        EngineRig.respond(request, EngineRig.bytes(5000));
        rig.runLoop();
        assertThat(rig.blocksInUse()).as("control packet and lent block").isEqualTo(2);

        rig.receive(Packet.release(session, FIRST));

        assertThat(rig.blocksInUse()).isZero();
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        rig.receive(Packet.release(session, FIRST));
        assertThat(rig.held).as("a late copy of the request does not run again").hasSize(1);
    }

    @Test
    @DisplayName("LO-11 RELEASE of another call frees nothing")
    void whenAReleaseIsOfAnotherCallThenTheResponseStays() {
        RpcRequest request = hold();
        EngineRig.respond(request, EngineRig.bytes(5000));
        rig.runLoop();
        Packet response = rig.onlySent();

        rig.receive(Packet.release(session, FIRST - WINDOW));
        rig.receive(Packet.release(session, FIRST + WINDOW));
        rig.receive(Packet.release(session, FIRST + 1));

        assertThat(rig.dropped(Drop.STALE)).isOne();
        assertThat(rig.dropped(Drop.STATE)).isEqualTo(2);
        assertThat(rig.lentBytes(response)).isEqualTo(EngineRig.bytes(5000));
    }

    @Test
    @DisplayName("LO-11 the slot's next call frees the memory of a large response whose RELEASE was lost")
    void whenTheReleaseWasLostThenTheNextCallFrees() {
        RpcRequest request = hold();
        EngineRig.respond(request, EngineRig.bytes(5000));
        rig.runLoop();

        rig.receive(Packet.request(session, FIRST + WINDOW, ECHO, HELLO));

        assertThat(rig.blocksInUse()).isZero();
    }

    @Test
    @DisplayName("LO-07 a large response that is sent again lends the same memory")
    void whenTheRequestArrivesAgainThenTheSameBlockIsLent() {
        RpcRequest request = hold();
        EngineRig.respond(request, EngineRig.bytes(5000));
        rig.runLoop();
        Packet first = rig.onlySent();

        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));

        assertThat(rig.onlySent().bytes()).isEqualTo(first.bytes());
    }

    @Test
    @DisplayName("LG-06 a response over the limit is rejected at the server and reported to the client")
    void whenAResponseIsOverTheLimitThenTheClientIsNotified() {
        RpcRequest request = hold();
        assertThatExceptionOfType(RdmaMessageTooLargeException.class)
                .isThrownBy(() -> request.allocate(EngineRig.MAX_MESSAGE + 1));
        MessageBuffer buffer = request.allocate(EngineRig.MAX_MESSAGE);
        assertThat(buffer.capacity()).isGreaterThan(EngineRig.MAX_MESSAGE);
        buffer.length(EngineRig.MAX_MESSAGE + 1);

        request.respond(buffer);
        rig.runLoop();

        assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.MESSAGE_TOO_LARGE.code());
    }

    @Test
    void whenASmallResponseIsInALargeBufferThenItIsStillSentInAPacket() {
        RpcRequest request = hold();
        MessageBuffer buffer = EngineRig.filled(request.allocate(100_000), HELLO);

        request.respond(buffer);
        rig.runLoop();

        Packet response = rig.onlySent();
        assertThat(response.type()).isEqualTo(PacketType.RESPONSE);
        assertThat(response.body()).isEqualTo(HELLO);
        assertThat(rig.hostOf(session).lending.statistics().blocksInUse()).isZero();
    }

    @Test
    void whenAResponseFillsASlabBlockBeyondAPacketThenItIsLent() {
        RpcRequest request = hold();
        MessageBuffer buffer = request.allocate(10);
        assertThat(buffer.capacity()).isGreaterThan(packetBytes);
        buffer.length(packetBytes + 1);

        request.respond(buffer);
        rig.runLoop();

        assertThat(rig.onlySent().type()).isEqualTo(PacketType.LARGE_RESPONSE);
    }

    @Test
    void whenTheFailuresTextIsLongThenItIsCutToAPacket() {
        hold().fail(RpcStatus.HANDLER_FAILED, "T", "ü".repeat(5000));
        rig.runLoop();

        Packet response = rig.onlySent();
        assertThat(response.bytes()).hasSizeLessThanOrEqualTo(EngineRig.MTU);
        assertThat(response.failureText().message()).hasSizeGreaterThan(400).matches("ü*");
    }

    /** Returns all blocks of the slab, which cannot grow from now on. */
    private List<RegisteredBlock> takeAllBlocks() {
        rig.nic.rejectMemory(true);
        List<RegisteredBlock> taken = new ArrayList<>();
        for (RegisteredBlock block = rig.slab.tryTakeBlock(); block != null; block = rig.slab.tryTakeBlock()) {
            taken.add(block);
        }
        return taken;
    }

    @Test
    @DisplayName("FC-03 responses retained for idle clients hold every block: the engine soon gets another one for "
            + "its own packets")
    void whenRetainedResponsesHoldEveryBlockThenTheSlabGrows() {
        RpcRequest request = hold();
        while (rig.slab.statistics().inUseBytes() < rig.slab.statistics().registeredBytes()) {
            ServerSession idle = rig.server();
            for (int i = 0; i < WINDOW; i++) {
                rig.receive(Packet.request(idle, FIRST + i, ECHO, EngineRig.bytes(ServerSlot.MAX_COPY_BYTES + 1)));
            }
        }
        long registered = rig.slab.statistics().registeredBytes();
        rig.sent();

        request.fail(RpcStatus.HANDLER_FAILED, "T", "not forever");
        rig.runLoop();

        assertThat(rig.onlySent().failureText().message()).isEqualTo("not forever");
        assertThat(rig.slab.statistics().registeredBytes()).isGreaterThan(registered);
        rig.receive(Packet.request(session, FIRST + 1, HOLD, HELLO));
        rig.receive(Packet.request(session, FIRST + 1, HOLD, HELLO));
        assertThat(rig.onlySent().type()).isEqualTo(PacketType.PROGRESS);
    }

    @Test
    @DisplayName("FC-03 without memory for a packet a response waits, a control packet is dropped")
    void whenThereIsNoMemoryForAPacketThenTheResponseWaits() {
        RpcRequest request = hold();
        List<RegisteredBlock> taken = takeAllBlocks();
        rig.receive(Packet.request(session, FIRST, HOLD, HELLO));
        assertThat(rig.dropped(Drop.NO_BUFFER)).isOne();
        request.fail(RpcStatus.HANDLER_FAILED, "T", "waits");
        rig.runCycle();
        rig.runCycle();
        assertThat(rig.sent()).isEmpty();

        taken.forEach(RegisteredBlock::free);
        rig.runLoop();

        assertThat(rig.onlySent().failureText()).isEqualTo(new FailureText("T", "waits"));
        assertThat(rig.loop.gauges().executingCalls()).isZero();
    }

    @Test
    @DisplayName("FC-03 a rejection without memory for its response is not recorded: the client retransmits")
    void whenARejectionHasNoMemoryThenTheNextCopyIsRejected() {
        List<RegisteredBlock> taken = takeAllBlocks();
        rig.receive(Packet.request(session, FIRST, 0xCAFE, HELLO));
        assertThat(rig.sent()).isEmpty();
        taken.forEach(RegisteredBlock::free);

        rig.receive(Packet.request(session, FIRST, 0xCAFE, HELLO));

        assertThat(rig.onlySent().status()).isEqualTo(RpcStatus.UNKNOWN_METHOD.code());
    }

    @Test
    @DisplayName("LO-08 memory of a response is free only when the NIC no longer uses it")
    void whenTheResponseIsAtTheNicThenItsMemoryIsNotReused() {
        rig.nic.holdSends(true);
        for (int i = 0; i < 20; i++) {
            rig.receive(Packet.request(session, FIRST + (long) i * WINDOW, ECHO, EngineRig.bytes(i)));
        }
        assertThat(rig.sent()).hasSize(20);
        assertThat(rig.blocksInUse()).as("one per response").isEqualTo(20);

        rig.nic.completeSends();
        rig.runLoop();

        assertThat(rig.blocksInUse()).isZero();
    }
}
