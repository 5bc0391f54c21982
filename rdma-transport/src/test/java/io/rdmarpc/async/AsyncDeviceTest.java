package io.rdmarpc.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdmarpc.async.error.RdmaConnectionLostException;
import io.rdmarpc.async.error.RdmaOperationException;
import io.rdmarpc.async.error.RdmaOperationRejectedException;
import io.rdmarpc.async.error.RdmaRegionBusyException;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Runs every operation, and its failures, on a real device in each polling mode. */
@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "no RDMA device found; config/soft-roce-vm/run creates one")
@Timeout(240)
@ParameterizedClass
@EnumSource(names = {"EVENTS", "THREAD", "MANUAL"})
class AsyncDeviceTest {

    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int BYTES = 1 << 16;
    private static final AccessFlag[] EVERYTHING = {
        AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC
    };

    @Parameter
    PollingMode mode;

    private RdmaNode here;
    private RdmaNode there;
    private RdmaListener listener;
    private RdmaConnection connection;
    private RdmaConnection accepted;
    private LocalRegion mine;
    private LocalRegion theirs;

    @BeforeEach
    void connect() {
        here = RdmaNode.open(config());
        there = RdmaNode.open(config());
        listener = there.listen(ANY);
        connection = here.connect(listener.address());
        accepted = listener.accept(PATIENCE);
        mine = here.allocate(BYTES, EVERYTHING);
        theirs = there.allocate(BYTES, EVERYTHING);
    }

    private RdmaNodeConfig config() {
        return RdmaNodeConfig.DEFAULTS
                .withProvider("ibverbs", Map.of())
                .withPolling(mode, null)
                .withQueues(16, 16, 64, 128)
                .withTimeouts(PATIENCE, Duration.ofSeconds(20));
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
        assertThat(connection.ended()).isCompleted();
        assertThat(mine.released()).isCompleted();
    }

    private <T> T get(CompletableFuture<T> future) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (mode == PollingMode.MANUAL && !future.isDone() && System.nanoTime() - end < 0) {
            here.poll();
            there.poll();
        }
        try {
            return future.copy().get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException | InterruptedException e) {
            throw new AssertionError(future + " did not complete within " + PATIENCE, e);
        } catch (java.util.concurrent.ExecutionException e) {
            throw new CompletionException(e.getCause());
        }
    }

    private <T extends Throwable> T failure(CompletableFuture<?> future, Class<T> type) {
        Throwable cause = catchThrowableOfType(CompletionException.class, () -> get(future))
                .getCause();
        assertThat(cause).isInstanceOf(type);
        return type.cast(cause);
    }

    private static byte[] pattern(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 31 ^ i >> 9);
        }
        return bytes;
    }

    private static byte[] text(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void shouldSendAndReceive() {
        CompletableFuture<Received> received = accepted.receive(theirs.slice(0, 100));

        get(connection.send(mine.slice().put(text("a message"))));

        assertThat(get(received).length()).isEqualTo(9);
        assertThat(get(received).immediate()).isEmpty();
        assertThat(theirs.slice(0, 9).toBytes()).isEqualTo(text("a message"));
    }

    @Test
    void shouldDeliverSendWithImmediateOnce() {
        CompletableFuture<Received> first = accepted.receive(theirs.slice(0, 100));
        CompletableFuture<Received> second = accepted.receive(theirs.slice(100, 100));
        CompletableFuture<Received> third = accepted.receive(theirs.slice(200, 0));

        get(connection.sendWithImmediate(mine.slice(0, 10), 0xCAFE_0001));
        get(connection.send(mine.slice(0, 10)));
        get(connection.sendWithImmediate(mine.slice(0, 0), 7));

        assertThat(get(first).immediate()).hasValue(0xCAFE_0001);
        assertThat(get(second).immediate()).isEmpty();
        assertThat(get(third)).isEqualTo(new Received(0, java.util.OptionalInt.of(7), false));
    }

    @Test
    void whenWritingWithImmediateThenReceiveCompletesAndItsSliceIsUnchanged() {
        CompletableFuture<Received> received = accepted.receive(theirs.slice(0, 100));

        get(connection.writeWithImmediate(
                mine.slice().put(text("written")), theirs.slice(1000, 100).remote(), -5));

        assertThat(get(received)).isEqualTo(new Received(7, java.util.OptionalInt.of(-5), true));
        assertThat(theirs.slice(1000, 7).toBytes()).isEqualTo(text("written"));
        assertThat(theirs.slice(0, 7).toBytes()).containsOnly(0);
    }

    @Test
    void shouldWriteAndReadBack() {
        byte[] bytes = pattern(BYTES / 2 - 1);
        LocalSlice back = mine.slice(BYTES / 2, bytes.length);

        get(connection.write(mine.slice().put(bytes), theirs.remote().slice(1, bytes.length)));
        get(connection.read(
                back,
                RemoteMemoryRange.decode(theirs.slice(1, bytes.length).remote().encode())));

        assertThat(back.toBytes()).isEqualTo(bytes);
    }

    @Test
    void shouldCompareAndSwapAndFetchAndAdd() {
        LocalSlice word = theirs.slice(64, 8);
        word.writable().set(ValueLayout.JAVA_LONG, 0, 40);

        assertThat(get(connection.compareAndSwap(word.remote(), 40, 41))).isEqualTo(40);
        assertThat(get(connection.compareAndSwap(word.remote(), 40, 99))).isEqualTo(41);
        assertThat(get(connection.fetchAndAdd(word.remote(), -1))).isEqualTo(41);
        assertThat(word.readable().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(40);

        failure(connection.compareAndSwap(theirs.slice(65, 8).remote(), 0, 1), RdmaOperationRejectedException.class);
        failure(connection.compareAndSwap(theirs.slice(64, 4).remote(), 0, 1), RdmaOperationRejectedException.class);
        assertThat(get(connection.fetchAndAdd(word.remote(), 0))).isEqualTo(40);
    }

    @Test
    void shouldExchangeTenMessagesAtATime() {
        for (int round = 0; round < 20; round++) {
            List<CompletableFuture<?>> all = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                all.add(accepted.receive(theirs.slice(i * 100L, 100)));
                mine.slice(i * 100L, 100).put(text("round " + round + " message " + i));
            }
            for (int i = 0; i < 10; i++) {
                all.add(connection.send(mine.slice(i * 100L, 100)));
            }
            all.forEach(this::get);
            for (int i = 0; i < 10; i++) {
                assertThat(theirs.slice(i * 100L, 100).toBytes()).startsWith(text("round " + round + " message " + i));
            }
        }
    }

    @Test
    void shouldQueueOperationsBeyondTheSendDepth() {
        List<CompletableFuture<Void>> writes = new ArrayList<>();
        for (int i = 0; i < 80; i++) {
            writes.add(connection.write(
                    mine.slice(0, 100).slice(i, 1), theirs.slice(i, 1).remote()));
        }
        writes.forEach(this::get);
        assertThat(connection.pending()).isZero();
    }

    @Test
    void whenReceiveIsCancelledThenItKeepsItsSliceUntilAMessageArrives() {
        LocalSlice slice = theirs.slice(0, 100);
        CompletableFuture<Received> cancelled = accepted.receive(slice);
        cancelled.cancel(true);
        assertThatExceptionOfType(RdmaRegionBusyException.class).isThrownBy(slice::readable);
        failure(accepted.receive(slice), RdmaRegionBusyException.class);
        CompletableFuture<Received> next = accepted.receive(theirs.slice(100, 100));

        get(connection.send(mine.slice().put(text("first"))));
        get(connection.send(mine.slice().put(text("second"))));

        assertThat(get(next).length()).isEqualTo(6);
        assertThat(slice.slice(0, 5).toBytes()).isEqualTo(text("first"));
    }

    @Test
    void whenReadIsCancelledThenRegionIsReleasedAfterTheDeviceHasFinished() {
        LocalRegion large = here.allocate(1 << 20);
        LocalRegion source = there.allocate(1 << 20, EVERYTHING);
        source.slice().put(pattern(1 << 20));
        CompletableFuture<Void> read = connection.read(large.slice(), source.remote());
        CompletableFuture<Void> fence = connection.read(mine.slice(0, 8), source.remote());
        boolean cancelled = read.cancel(true);
        if (mode == PollingMode.MANUAL) {
            assertThat(cancelled).isTrue();
            assertThatExceptionOfType(RdmaRegionBusyException.class)
                    .isThrownBy(() -> large.slice().readable());
            failure(connection.write(large.slice(0, 1), source.remote()), RdmaRegionBusyException.class);
        }
        large.close();

        get(fence);

        get(large.released());
        // A polling thread may complete the read before the cancellation.
        assertThat(read.isCancelled()).isEqualTo(cancelled);
        assertThat(connection.isOpen()).isTrue();
    }

    @Test
    void whenRegionIsClosedWhileBusyThenItIsReleasedWithItsLastOperation() {
        LocalRegion busy = there.allocate(100);
        CompletableFuture<Received> received = accepted.receive(busy.slice());
        busy.close();
        assertThat(busy.released()).isNotDone();

        get(connection.send(mine.slice().put(text("late"))));

        assertThat(get(received).length()).isEqualTo(4);
        get(busy.released());
    }

    @Test
    void whenWritingToReadOnlyMemoryThenOnlyThatConnectionEnds() {
        LocalRegion readOnly = there.allocate(4096, AccessFlag.REMOTE_READ);
        RdmaConnection other = here.connect(listener.address());
        RdmaConnection otherAccepted = listener.accept(PATIENCE);
        CompletableFuture<Received> pending = connection.receive(mine.slice(100, 100));
        CompletableFuture<Received> theirPending = accepted.receive(theirs.slice(100, 100));

        RdmaOperationException rejected =
                failure(connection.write(mine.slice(0, 8), readOnly.remote()), RdmaOperationException.class);

        assertThat(rejected.status()).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
        assertThat(rejected).hasMessageContaining("REM_ACCESS_ERR").hasMessageContaining("WRITE of 8 bytes");
        failure(pending, RdmaConnectionLostException.class);
        failure(theirPending, RdmaOperationException.class);
        get(connection.ended());
        get(other.read(mine.slice(0, 8), readOnly.remote()));
        assertThat(otherAccepted.isOpen()).isTrue();
    }

    @Test
    void whenReceiveIsPostedLateThenSendWaitsForIt() throws InterruptedException {
        CompletableFuture<Void> early = connection.send(mine.slice().put(text("early")));
        Thread.sleep(50);
        CompletableFuture<Received> late = accepted.receive(theirs.slice(0, 100));

        assertThat(get(late).length()).isEqualTo(5);
        get(early);
    }

    @Test
    void whenReceiveIsNeverPostedThenSendFails() {
        RdmaOperationException rejected = failure(connection.send(mine.slice(0, 8)), RdmaOperationException.class);

        assertThat(rejected.status()).isEqualTo(CompletionStatus.RNR_RETRY_EXC_ERR);
        assertThat(rejected.remedy()).contains("must call receive");
    }

    @Test
    void whenMessageIsTooLongThenBothSidesFail() {
        CompletableFuture<Received> received = accepted.receive(theirs.slice(0, 4));

        assertThat(failure(connection.send(mine.slice(0, 100)), RdmaOperationException.class)
                        .status())
                .isIn(CompletionStatus.REM_INV_REQ_ERR, CompletionStatus.REM_OP_ERR);
        failure(received, RdmaOperationException.class);
        get(accepted.ended());
    }

    @Test
    void whenPeerClosesThenPendingOperationsFail() {
        List<CompletableFuture<?>> pending = Stream.iterate(0, i -> i + 1)
                .limit(30)
                .<CompletableFuture<?>>map(i -> connection.receive(mine.slice(i * 10L, 10)))
                .toList();

        accepted.close();

        pending.forEach(future -> failure(future, RdmaConnectionLostException.class));
        get(connection.ended());
        assertThat(connection.isOpen()).isFalse();
    }

    @Test
    void shouldGrowTheCompletionQueueWithConnections() {
        List<RdmaConnection> many = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            many.add(connection.another());
            many.add(listener.accept(PATIENCE));
        }
        for (int i = 0; i < 6; i++) {
            LocalSlice into = mine.slice(i * 8L, 8);
            get(many.get(2 * i).read(into, theirs.remote().slice(0, 8)));
        }
        many.forEach(RdmaConnection::startClosing);
        many.forEach(one -> get(one.ended()));
    }

    @Test
    void shouldConnectFromExchangedEndpointsWithCallerMemory() {
        try (java.lang.foreign.Arena arena = java.lang.foreign.Arena.ofShared()) {
            MemorySegment own = arena.allocate(4096, 4096);
            own.setString(0, "mine");
            LocalRegion region = there.register(own, AccessFlag.REMOTE_READ);
            PreparedConnection a = here.prepare();
            PreparedConnection b = there.prepare();
            RdmaConnection raw = a.complete(b.endpoint());
            b.complete(a.endpoint());

            get(raw.read(
                    mine.slice(0, 4),
                    RemoteMemoryRange.of(own.address(), 4, region.remote().rkey())));

            assertThat(mine.slice(0, 4).toBytes()).isEqualTo(text("mine"));
            region.close();
            assertThat(region.released()).isCompleted();
        }
    }

    @Test
    void shouldRunTheExamplesOfTheManual() throws Exception {
        if (mode != PollingMode.MANUAL) {
            assertThat(AsyncExample.readHello(config())).isEqualTo("hello");
            assertThat(AsyncExample.allOperations(connection, accepted, here, theirs))
                    .isEqualTo(7);
        }
    }

    @Test
    void whenPeerProcessIsKilledThenConnectionEnds() throws IOException {
        try (AsyncPeer peer = AsyncPeer.start("ibverbs")) {
            RdmaConnection remote = here.connect(peer.address());
            CompletableFuture<Received> echo = remote.receive(mine.slice(0, 64));
            get(remote.send(mine.slice(64, 64).put(text("to another process and back"))));
            assertThat(get(echo).length()).isEqualTo(27);
            get(remote.read(mine.slice(0, 20), peer.region()));
            assertThat(mine.slice(0, 20).toBytes()).isEqualTo(text("from another process"));
            assertThat(get(remote.fetchAndAdd(peer.region().slice(1024, 8), 5))).isZero();
            List<CompletableFuture<?>> pending = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                pending.add(remote.receive(mine.slice(1000 + i, 1)));
            }

            peer.kill();

            long killed = System.nanoTime();
            pending.forEach(future -> failure(future, RdmaConnectionLostException.class));
            get(remote.ended());
            assertThat(Duration.ofNanos(System.nanoTime() - killed)).isLessThan(Duration.ofSeconds(40));
            get(connection.read(mine.slice(0, 8), theirs.remote().slice(0, 8)));
        }
    }

    @Nested
    class AnotherNode extends NodeIsolationCases {
        AnotherNode() {
            super(RdmaNodeConfig.DEFAULTS.withProvider("ibverbs", Map.of()).withTimeouts(PATIENCE, PATIENCE));
        }
    }
}
