package io.rdmarpc.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.rdmarpc.async.error.RdmaCompletionsExhaustedException;
import io.rdmarpc.async.error.RdmaConnectionLostException;
import io.rdmarpc.async.error.RdmaExchangeException;
import io.rdmarpc.async.error.RdmaOperation;
import io.rdmarpc.async.error.RdmaOperationBackpressureException;
import io.rdmarpc.async.error.RdmaOperationException;
import io.rdmarpc.async.error.RdmaOperationNotSupportedException;
import io.rdmarpc.async.error.RdmaOperationRejectedException;
import io.rdmarpc.async.error.RdmaRegionBusyException;
import io.rdmarpc.async.error.RdmaRegionClosedException;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AtomicCapability;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations on a device that completes work requests only when a test decides it. */
@Timeout(60)
@DisplayName("An operation")
@SuppressWarnings("FutureReturnValueIgnored") // many operations only occupy the device
class OperationsTest {

    private static final int DEPTH = 4;
    private static final int BACKLOG = 3;
    private static final RemoteMemoryRange REMOTE = RemoteMemoryRange.of(0x10000, 4096, 5);

    private final FakeDevice device = new FakeDevice();
    private final RdmaNode node = RdmaNode.open(device, config(Duration.ofSeconds(5)));
    private final RdmaConnection connection = node.prepare().complete(FakeDevice.PEER);
    private final FakeDevice.Queues queues = device.queuePair(0);
    private final LocalRegion region = node.allocate(4096);

    private static RdmaNodeConfig config(Duration closeTimeout) {
        return RdmaNodeConfig.DEFAULTS
                .withPolling(PollingMode.MANUAL, null)
                .withQueues(DEPTH, DEPTH, BACKLOG, 2 * DEPTH)
                .withTimeouts(Duration.ofSeconds(5), closeTimeout);
    }

    @AfterEach
    void checkThatNothingIsLeftOpen() {
        node.close();
        assertThat(device.violations()).isEmpty();
        assertThat(device.openRegions()).isZero();
        assertThat(device.isClosed()).isTrue();
    }

    private static <T extends Throwable> T failure(CompletableFuture<?> future, Class<T> type) {
        assertThat(future).isCompletedExceptionally();
        Throwable cause =
                catchThrowableOfType(CompletionException.class, future::join).getCause();
        assertThat(cause).isInstanceOf(type);
        return type.cast(cause);
    }

    @Nested
    @DisplayName("transfers")
    class Carries {

        @Test
        void shouldPostItsArgumentsToTheDevice() {
            CompletableFuture<Void> write = connection.write(region.slice(8, 100), REMOTE.slice(16, 100));

            FakeDevice.Posted posted = queues.sends().getFirst();
            assertThat(posted.opcode()).isEqualTo(SendOpcode.RDMA_WRITE);
            assertThat(posted.address()).isEqualTo(region.remote().address() + 8);
            assertThat(posted.length()).isEqualTo(100);
            assertThat(posted.remoteAddress()).isEqualTo(0x10010);
            assertThat(posted.rkey()).isEqualTo(5);
            assertThat(write).isNotDone();

            queues.completeSend(0);

            assertThat(node.poll()).isEqualTo(1);
            assertThat(write).isCompletedWithValue(null);
            assertThat(connection.pending()).isZero();
        }

        @Test
        void shouldReturnTheOriginalValueOfAnAtomic() {
            CompletableFuture<Long> swap = connection.compareAndSwap(REMOTE.slice(8, 8), 1, 2);
            CompletableFuture<Long> add = connection.fetchAndAdd(REMOTE.slice(16, 8), 3);

            queues.completeSend(41);
            queues.completeSend(42);
            node.poll();

            assertThat(swap).isCompletedWithValue(41L);
            assertThat(add).isCompletedWithValue(42L);
        }

        @Test
        void shouldReturnTheLengthOfAMessage() {
            CompletableFuture<Received> received = connection.receive(region.slice());

            queues.completeReceive(new byte[] {1, 2, 3});
            node.poll();

            assertThat(received.join().length()).isEqualTo(3);
            assertThat(received.join().immediate()).isEmpty();
            assertThat(region.slice(0, 3).toBytes()).containsExactly(1, 2, 3);
        }

        @Test
        void shouldCompleteInTheExecutorOfTheNode() {
            List<Runnable> tasks = new ArrayList<>();
            FakeDevice other = new FakeDevice();
            try (RdmaNode patient =
                    RdmaNode.open(other, config(Duration.ofSeconds(5)).withPolling(PollingMode.MANUAL, tasks::add))) {
                RdmaConnection mine = patient.prepare().complete(FakeDevice.PEER);
                CompletableFuture<Void> send = mine.send(patient.allocate(8).slice());
                other.queuePair(0).completeSend(0);
                patient.poll();
                assertThat(send).isNotDone();

                tasks.forEach(Runnable::run);

                assertThat(send).isCompletedWithValue(null);
            }
        }
    }

    @Nested
    @DisplayName("is rejected before it is posted:")
    class Rejected {

        @ParameterizedTest
        @ValueSource(longs = {1, 4, 7})
        void shouldRejectAnUnalignedAtomic(long offset) {
            RdmaOperationRejectedException rejected = failure(
                    connection.compareAndSwap(REMOTE.slice(offset, 8), 0, 1), RdmaOperationRejectedException.class);

            assertThat(rejected).hasMessageContaining("not a multiple of 8");
            assertThat(rejected.operation()).isEqualTo(RdmaOperation.COMPARE_AND_SWAP);
            assertThat(rejected.status()).isEqualTo(RdmaOperationException.NO_STATUS);
            assertThat(connection.isOpen()).isTrue();
        }

        @ParameterizedTest
        @ValueSource(longs = {0, 4, 16})
        void shouldRejectAnAtomicOfOtherThan8Bytes(long length) {
            assertThat(failure(
                            connection.fetchAndAdd(REMOTE.slice(0, length), 1), RdmaOperationRejectedException.class))
                    .hasMessageContaining("works on 8 bytes");
        }

        @Test
        void shouldRejectARemoteRangeShorterThanTheSlice() {
            assertThat(failure(
                            connection.write(region.slice(0, 9), REMOTE.slice(0, 8)),
                            RdmaOperationRejectedException.class))
                    .hasMessageContaining("8 bytes, the local slice 9");
        }

        @Test
        void shouldRejectAMessageLongerThanThePortAllows() {
            try (LocalRegion large = node.allocate((1 << 20) + 1)) {
                assertThat(failure(connection.send(large.slice()), RdmaOperationRejectedException.class))
                        .hasMessageContaining("the limit of this port is 1048576 bytes");
            }
        }

        @Test
        void shouldRejectASliceThatTheDeviceMayNotWrite() {
            try (Arena arena = Arena.ofShared();
                    LocalRegion readOnly = node.register(arena.allocate(64), AccessFlag.REMOTE_READ)) {
                assertThat(failure(connection.read(readOnly.slice(), REMOTE), RdmaOperationRejectedException.class))
                        .hasMessageContaining("LOCAL_WRITE");
                assertThat(failure(connection.receive(readOnly.slice()), RdmaOperationRejectedException.class))
                        .hasMessageContaining("LOCAL_WRITE");
            }
        }

        @Test
        void whenTheDeviceDoesNotSupportItThenItFails() {
            device.sendErrno(Errno.EOPNOTSUPP);

            CompletableFuture<Void> send = connection.send(region.slice());

            assertThat(failure(send, RdmaOperationNotSupportedException.class).bytes())
                    .isEqualTo(4096);
            assertThat(region.slice().writable()).isNotNull();
            assertThat(connection.isOpen()).isTrue();
        }

        @Test
        void whenTheDeviceHasNoAtomicsThenTheyAreRejected() {
            device.atomics(AtomicCapability.NONE);
            RdmaConnection without = node.prepare().complete(FakeDevice.PEER);

            CompletableFuture<Long> add = without.fetchAndAdd(REMOTE.slice(0, 8), 1);

            assertThat(failure(add, RdmaOperationNotSupportedException.class))
                    .hasMessageContaining("this device has no atomics");
            assertThat(device.queuePair(1).sends()).isEmpty();
            assertThat(without.isOpen()).isTrue();
        }

        @Test
        void whenItsRegionWasClosedThenItIsRejected() {
            region.close();

            assertThat(failure(connection.send(region.slice()), RdmaRegionClosedException.class))
                    .hasMessageContaining("the region was closed");
            assertThatExceptionOfType(RdmaRegionClosedException.class)
                    .isThrownBy(() -> region.slice().readable());
        }
    }

    @Nested
    @DisplayName("keeps its slice until the device has finished:")
    class Ownership {

        @Test
        void whenAWriteIsCancelledThenTheSliceIsReadableButNotWritable() {
            LocalSlice slice = region.slice(0, 64).put(new byte[64]);
            CompletableFuture<Void> write = connection.write(slice, REMOTE);

            assertThat(write.cancel(true)).isTrue();

            assertThat(slice.readable().byteSize()).isEqualTo(64);
            assertThat(catchThrowableOfType(RdmaRegionBusyException.class, slice::writable)
                            .owner())
                    .isEqualTo(RdmaOperation.WRITE);
            failure(connection.read(slice, REMOTE), RdmaRegionBusyException.class);
            failure(connection.receive(slice), RdmaRegionBusyException.class);
            assertThat(connection.write(slice, REMOTE)).isNotDone();

            queues.completeSend(0);
            queues.completeSend(0);
            node.poll();

            assertThat(slice.writable().byteSize()).isEqualTo(64);
            assertThat(write).isCancelled();
        }

        @ParameterizedTest
        @ValueSource(booleans = {true, false})
        void whenAReadOrReceiveIsCancelledThenTheSliceIsNeitherReadableNorWritable(boolean read) {
            LocalSlice slice = region.slice(0, 64);
            CompletableFuture<?> future = read ? connection.read(slice, REMOTE) : connection.receive(slice);

            future.cancel(false);

            assertThatExceptionOfType(RdmaRegionBusyException.class).isThrownBy(slice::readable);
            assertThatExceptionOfType(RdmaRegionBusyException.class).isThrownBy(slice::writable);
            failure(connection.write(slice, REMOTE), RdmaRegionBusyException.class);
            failure(connection.send(slice), RdmaRegionBusyException.class);
            assertThat(region.slice(64, 64).writable()).isNotNull();

            if (read) {
                queues.completeSend(0);
            } else {
                queues.completeReceive(new byte[64]);
            }
            node.poll();

            assertThat(slice.writable()).isNotNull();
        }

        @Test
        void whenItTimesOutThenTheSliceStaysClaimed() {
            LocalSlice slice = region.slice(0, 64);
            CompletableFuture<Received> late = connection.receive(slice).orTimeout(1, TimeUnit.MILLISECONDS);

            assertThatExceptionOfType(CompletionException.class).isThrownBy(late::join);

            assertThatExceptionOfType(RdmaRegionBusyException.class).isThrownBy(slice::readable);
            assertThat(connection.pending()).isEqualTo(1);
        }

        @Test
        void whenTheUserCompletesTheFutureThenTheSliceStaysClaimed() {
            CompletableFuture<Void> read = connection.read(region.slice(), REMOTE);

            assertThat(read.complete(null)).isTrue();
            assertThat(connection.write(region.slice(0, 1), REMOTE).completeExceptionally(new IllegalStateException()))
                    .isFalse();

            assertThatExceptionOfType(RdmaRegionBusyException.class)
                    .isThrownBy(() -> region.slice(4095, 1).readable());
        }

        @Test
        void shouldNotConflictWithAdjacentSlices() {
            CompletableFuture<Void> left = connection.read(region.slice(0, 10), REMOTE);
            CompletableFuture<Void> right = connection.read(region.slice(10, 10), REMOTE);
            CompletableFuture<Void> across = connection.read(region.slice(9, 2), REMOTE);

            assertThat(left).isNotDone();
            assertThat(right).isNotDone();
            failure(across, RdmaRegionBusyException.class);
        }

        @Test
        void whenTheRegionIsClosedThenItIsReleasedWithTheLastOperation() {
            LocalRegion busy = node.allocate(64);
            CompletableFuture<Void> write = connection.write(busy.slice(), REMOTE);
            CompletableFuture<Received> receive = connection.receive(region.slice());
            write.cancel(true);

            busy.close();
            busy.close();

            assertThat(busy.released()).isNotDone();
            assertThat(device.openRegions()).isEqualTo(3);
            queues.completeSend(0);
            node.poll();
            busy.released().orTimeout(5, TimeUnit.SECONDS).join();
            assertThat(device.openRegions()).isEqualTo(2);
            assertThat(receive).isNotDone();
        }

        @Test
        void whenNothingIsPendingThenAClosedRegionIsReleasedAtOnce() {
            LocalRegion idle = node.allocate(64);

            idle.close();

            assertThat(idle.released()).isCompleted();
        }

        @Test
        void whenCancelledBeforeItWasPostedThenItIsWithdrawn() {
            for (int i = 0; i < DEPTH; i++) {
                connection.send(region.slice(i, 1));
            }
            LocalSlice slice = region.slice(100, 10);
            CompletableFuture<Void> waiting = connection.read(slice, REMOTE);
            assertThatExceptionOfType(RdmaRegionBusyException.class).isThrownBy(slice::readable);

            waiting.cancel(false);

            assertThat(slice.writable()).isNotNull();
            for (int i = 0; i < DEPTH; i++) {
                queues.completeSend(0);
            }
            node.poll();
            assertThat(queues.sends()).isEmpty();
            assertThat(connection.pending()).isZero();
        }
    }

    @Nested
    @DisplayName("waits for a slot:")
    class BackPressure {

        @Test
        void whenQueueAndBacklogAreFullThenItIsRejected() {
            List<CompletableFuture<Void>> taken = new ArrayList<>();
            for (int i = 0; i < DEPTH + BACKLOG; i++) {
                taken.add(connection.send(region.slice(i, 1)));
            }

            RdmaOperationBackpressureException rejected =
                    failure(connection.send(region.slice(99, 1)), RdmaOperationBackpressureException.class);

            assertThat(rejected).hasMessageContaining("4 operations are posted and 3 wait");
            assertThat(region.slice(99, 1).writable()).isNotNull();
            assertThat(queues.sends()).hasSize(DEPTH);
            assertThat(connection.receive(region.slice(200, 1))).isNotDone();
            for (int i = 0; i < DEPTH + BACKLOG; i++) {
                queues.completeSend(0);
                node.poll();
            }
            assertThat(taken)
                    .allMatch(CompletableFuture::isDone)
                    .noneMatch(CompletableFuture::isCompletedExceptionally);
        }

        @Test
        void shouldBePostedInOrder() {
            long base = region.remote().address();
            for (int i = 0; i < DEPTH + BACKLOG; i++) {
                connection.send(region.slice(i, 1));
            }
            for (int i = 0; i < DEPTH + BACKLOG; i++) {
                assertThat(queues.sends().getFirst().address()).isEqualTo(base + i);
                queues.completeSend(0);
                node.poll();
            }
        }

        @Test
        void whenTheDeviceIsFullBeforeItsDepthIsReachedThenItIsRetried() {
            connection.send(region.slice(0, 1));
            device.sendErrno(Errno.ENOMEM);
            CompletableFuture<Void> second = connection.send(region.slice(1, 1));
            assertThat(second).isNotDone();

            device.sendErrno(0);
            queues.completeSend(0);
            node.poll();
            queues.completeSend(0);
            node.poll();

            assertThat(second).isCompletedWithValue(null);
        }

        @Test
        void whenTheDeviceIsFullWithoutPostedOperationsThenItFails() {
            device.sendErrno(Errno.ENOMEM);

            assertThat(failure(connection.send(region.slice()), RdmaOperationException.class))
                    .hasMessageContaining("ENOMEM");
        }
    }

    @Nested
    @DisplayName("ends with its connection:")
    class Ending {

        @Test
        void whenOneFailsThenAllOthersOfTheConnectionFail() {
            RdmaConnection other = node.prepare().complete(FakeDevice.PEER);
            CompletableFuture<Void> unharmed = other.send(region.slice(300, 1));
            CompletableFuture<Void> bad = connection.write(region.slice(0, 10), REMOTE);
            List<CompletableFuture<?>> pending = new ArrayList<>();
            for (int i = 0; i < DEPTH + BACKLOG - 1; i++) {
                pending.add(connection.send(region.slice(100 + i, 1)));
            }
            pending.add(connection.receive(region.slice(200, 1)));

            queues.failSend(CompletionStatus.REM_ACCESS_ERR, 0x88);
            node.poll();

            RdmaOperationException failure = failure(bad, RdmaOperationException.class);
            assertThat(failure.status()).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
            assertThat(failure.statusName()).isEqualTo("REM_ACCESS_ERR (10)");
            assertThat(failure.vendorError()).isEqualTo(0x88);
            assertThat(failure.bytes()).isEqualTo(10);
            assertThat(failure.remedy()).contains("The peer does not allow it");
            assertThat(pending)
                    .allSatisfy(future -> assertThat(failure(future, RdmaConnectionLostException.class))
                            .hasCause(failure));
            assertThat(connection.isOpen()).isFalse();
            failure(connection.send(region.slice()), RdmaConnectionLostException.class);
            assertThat(unharmed).isNotDone();
            assertThat(other.isOpen()).isTrue();
            connection.ended().orTimeout(10, TimeUnit.SECONDS).join();
            assertThat(device.openQueuePairs()).isEqualTo(1);
        }

        @Test
        void whenTheConnectionIsClosedThenPendingOperationsFail() {
            CompletableFuture<Received> receive = connection.receive(region.slice());

            connection.close();
            connection.close();

            assertThat(failure(receive, RdmaConnectionLostException.class)).hasMessageContaining("closed on this side");
            assertThat(region.slice().writable()).isNotNull();
            assertThat(device.openQueuePairs()).isZero();
        }

        @Test
        void whenTheDeviceNeverFlushesThenOperationsEndWithTheQueuePair() {
            FakeDevice dead = new FakeDevice();
            dead.flushing(false);
            CompletableFuture<Received> receive;
            LocalRegion memory;
            try (RdmaNode mine = RdmaNode.open(dead, config(Duration.ofMillis(50)))) {
                RdmaConnection silent = mine.prepare().complete(FakeDevice.PEER);
                memory = mine.allocate(8);
                receive = silent.receive(memory.slice());
                memory.close();

                silent.close();

                failure(receive, RdmaConnectionLostException.class);
                memory.released().orTimeout(5, TimeUnit.SECONDS).join();
            }
            assertThat(dead.violations()).isEmpty();
        }

        @Test
        void whenACompletionArrivesAfterTheCloseThenItIsIgnored() {
            connection.send(region.slice());
            FakeDevice.Posted posted = queues.sends().getFirst();
            connection.close();
            RdmaConnection next = node.prepare().complete(FakeDevice.PEER);
            CompletableFuture<Void> send = next.send(region.slice());

            queues.completeAgain(posted);
            node.poll();

            assertThat(send).isNotDone();
        }

        @Test
        void whenACompletionArrivesTwiceThenTheSecondIsIgnored() {
            connection.send(region.slice());
            FakeDevice.Posted posted = queues.sends().getFirst();
            queues.completeSend(0);
            queues.completeAgain(posted);

            assertThat(node.poll()).isEqualTo(2);

            assertThat(connection.pending()).isZero();
        }

        @Test
        void whenTheCompletionQueueFailsThenAllOperationsFail() {
            FakeDevice broken = new FakeDevice();
            try (RdmaNode mine = RdmaNode.open(broken, config(Duration.ofMillis(50)))) {
                RdmaConnection lost = mine.prepare().complete(FakeDevice.PEER);
                CompletableFuture<Void> send = lost.send(mine.allocate(8).slice());
                broken.pollErrno(Errno.EIO);
                mine.poll();

                lost.ended().orTimeout(10, TimeUnit.SECONDS).join();

                assertThat(failure(send, RdmaConnectionLostException.class)).hasMessageContaining("ibv_poll_cq");
            }
        }

        @Test
        void whenACallbackClosesEverythingThenTheCloseCompletes() {
            CompletableFuture<Void> closed = connection.send(region.slice()).thenRun(connection::close);
            queues.completeSend(0);
            node.poll();

            assertThat(closed).isCompleted();
            assertThat(connection.isOpen()).isFalse();
        }

        @Test
        void whenACallbackOfAPollClosesTheNodeThenItIsClosedAfterwards() {
            CompletableFuture<Void> closed = connection.send(region.slice()).thenRun(node::close);
            queues.completeSend(0);

            node.poll();

            assertThat(closed).isCompletedWithValue(null);
            assertThat(device.isClosed()).isTrue();
        }

        @Test
        void whenACallbackOnThePollingThreadClosesTheNodeThenItDoesNotWaitForItself() throws Exception {
            FakeDevice other = new FakeDevice();
            RdmaNode mine = RdmaNode.open(other, config(Duration.ofSeconds(5)).withPolling(PollingMode.THREAD, null));
            RdmaConnection busy = mine.prepare().complete(FakeDevice.PEER);
            CompletableFuture<Received> pending = busy.receive(mine.allocate(8).slice());
            CompletableFuture<String> closedBy = busy.send(mine.allocate(8).slice())
                    .thenApply(sent -> {
                        mine.close();
                        return Thread.currentThread().getName();
                    });

            other.queuePair(0).completeSend(0);

            assertThat(closedBy.get(10, TimeUnit.SECONDS)).isEqualTo("rdma-poller-fake0");
            mine.close();
            failure(pending, RdmaConnectionLostException.class);
            assertThat(other.isClosed()).isTrue();
            assertThat(other.violations()).isEmpty();
        }

        @Test
        void whenTheNodeIsClosedThenOperationsAreRejected() {
            CompletableFuture<Void> send = connection.send(region.slice());

            node.close();
            node.close();

            failure(send, RdmaConnectionLostException.class);
            failure(connection.send(region.slice()), RdmaRegionClosedException.class);
            assertThatExceptionOfType(RdmaExchangeException.class).isThrownBy(node::prepare);
            assertThatExceptionOfType(RdmaExchangeException.class).isThrownBy(() -> node.allocate(8));
        }
    }

    @Nested
    @DisplayName("reserves room in the completion queue:")
    class Room {

        @Test
        void whenASecondConnectionOpensThenTheQueueGrows() {
            RdmaConnection second = node.prepare().complete(FakeDevice.PEER);
            for (int i = 0; i < DEPTH; i++) {
                connection.send(region.slice(i, 1));
                connection.receive(region.slice(100 + i, 1));
                second.send(region.slice(200 + i, 1));
                second.receive(region.slice(300 + i, 1));
            }

            connection.close();
            second.close();

            assertThat(device.violations()).isEmpty();
        }

        @Test
        void whenTheQueueCannotGrowThenTheConnectionIsRejected() {
            device.growing(false);

            RdmaCompletionsExhaustedException rejected =
                    catchThrowableOfType(RdmaCompletionsExhaustedException.class, node::prepare);

            assertThat(rejected.reserved()).isEqualTo(2 * DEPTH);
            assertThat(rejected.requested()).isEqualTo(2 * DEPTH);
            assertThat(rejected.capacity()).isEqualTo(2 * DEPTH);
            connection.close();
            node.prepare().close();
        }
    }

    @Test
    void shouldKeepSlicesInsideTheirRegion() {
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> region.slice(4000, 97));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> region.slice(-1, 1));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> region.slice(0, -1));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> region.slice(10, 10).slice(5, 6));
        assertThatExceptionOfType(IndexOutOfBoundsException.class)
                .isThrownBy(() -> region.slice(10, 2).put(new byte[3]));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> REMOTE.slice(4090, 7));
        region.slice(10, 10).slice(5, 5).writable().set(ValueLayout.JAVA_BYTE, 0, (byte) 7);
        assertThat(region.slice(15, 1).toBytes()).containsExactly(7);
        assertThat(region.slice(15, 1).remote().address())
                .isEqualTo(region.remote().address() + 15);
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> region.slice().readable().set(ValueLayout.JAVA_BYTE, 0, (byte) 1));
    }

    @Test
    void shouldAllowPollOnlyInManualMode() {
        try (RdmaNode busy =
                RdmaNode.open(new FakeDevice(), config(Duration.ofSeconds(1)).withPolling(PollingMode.THREAD, null))) {
            assertThatExceptionOfType(IllegalStateException.class).isThrownBy(busy::poll);
            assertThat(busy.polling()).isEqualTo(PollingMode.THREAD);
        }
        assertThat(config(Duration.ofSeconds(1)).withProvider("soft", Map.of()).polling())
                .isEqualTo(PollingMode.MANUAL);
    }
}
