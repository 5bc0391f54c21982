package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.ipc.IpcQueuePair;
import io.rdmarpc.verbs.ipc.ShmDatagramChannel;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.soft.shm.SharedDirectory;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Datagrams through the paths between two ends in one process. */
@Timeout(60)
class UdShmChannelTest {

    private static final int GRH = 40;
    private static final int SENDS_BEFORE_A_PATH = 16;
    private static final Duration SPIN = Duration.ofMillis(500);
    private static final Duration LONG = Duration.ofSeconds(30);

    private final SharedDirectory directory = SharedDirectory.create();
    private final TestNode a = TestNode.withShmChannel(directory);
    private final TestNode b = TestNode.withShmChannel(directory);
    private final QueuePair qpOfA = a.datagrams();
    private final QueuePair qpOfB = b.datagrams();
    private final AddressHandle toB = a.handleTo(b);
    private final MemoryRegion ofA = lasting(a);
    private final MemoryRegion ofB = b.register(64 << 10, AccessFlag.LOCAL_WRITE);
    private final ShmDatagramChannel fromA =
            Objects.requireNonNull(IpcQueuePair.of(qpOfA).datagramChannel());
    private final ShmDatagramChannel channelOfB =
            Objects.requireNonNull(IpcQueuePair.of(qpOfB).datagramChannel());
    private final Taken taken = new Taken(b.arena.allocate(8192, 64));

    UdShmChannelTest() throws IOException {}

    /** Stores the received datagrams one after the other. */
    private static final class Taken implements ShmDatagramChannel.Receiver {

        private final MemorySegment room;
        private final List<byte[]> datagrams = new ArrayList<>();
        private final List<Integer> sources = new ArrayList<>();
        private final List<Gid> gids = new ArrayList<>();
        private boolean full;

        private Taken(MemorySegment room) {
            this.room = room;
        }

        @Override
        public MemorySegment memory() {
            return room;
        }

        @Override
        public long room(int bytes) {
            return full ? -1 : 8;
        }

        @Override
        public void onDatagram(int bytes, int sourceQpn, long gidHigh, long gidLow) {
            datagrams.add(room.asSlice(8, bytes).toArray(ValueLayout.JAVA_BYTE));
            sources.add(sourceQpn);
            gids.add(new Gid(gidHigh, gidLow));
        }
    }

    private static MemoryRegion lasting(TestNode node) {
        return node.domain.registerLasting(node.arena.allocate(8192, 64), EnumSet.noneOf(AccessFlag.class));
    }

    @BeforeEach
    void openPath() {
        for (int i = 0; i < SENDS_BEFORE_A_PATH; i++) {
            b.receive(qpOfB, i, ofB, i * 1024L, 1024);
        }
        a.send(qpOfA, 0, ofA, 8, toB, qpOfB.number(), TestNode.QKEY);
        for (int i = 0; i < SENDS_BEFORE_A_PATH - 1; i++) {
            assertThat(send(8)).isFalse();
        }
        assertThat(b.next()).isNotNull();
    }

    @AfterEach
    void close() throws IOException {
        a.close();
        b.close();
        directory.close();
    }

    private boolean send(int length) {
        return send(length, TestNode.QKEY);
    }

    private boolean send(int length, int qkey) {
        return fromA.send(toB.handle(), qpOfB.number(), qkey, ofA.address(), length, ofA.lkey());
    }

    private int poll() {
        return channelOfB.poll(taken, 16);
    }

    /** Polls the completion queue, which discovers new paths, until the datagrams have arrived. */
    private void pollUntil(int datagrams) {
        while (taken.datagrams.size() < datagrams) {
            b.progress();
            poll();
        }
    }

    private static byte[] pattern(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) (i * 7 + 1);
        }
        return bytes;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 32, 255, 256, 257, 1023, 4096})
    void shouldDeliverADatagramWithoutAReceive(int length) {
        MemorySegment.copy(pattern(length), 0, ofA.segment(), ValueLayout.JAVA_BYTE, 0, length);
        assertThat(send(length)).isTrue();
        pollUntil(1);
        assertThat(taken.datagrams).containsExactly(pattern(length));
        assertThat(taken.sources).containsExactly(qpOfA.number());
        assertThat(taken.gids).containsExactly(Gid.of(TestNode.LOOPBACK));
        assertThat(b.next()).as("a completion").isNull();
        assertThat(b.shared().paths()).isOne();
        assertThat(channelOfB.inbound()).isEqualTo(1);
    }

    @Test
    void shouldKeepTheOrderOfManyDatagrams() {
        int sent = 0;
        for (int i = 0; i < 20_000; i++) {
            ofA.segment().set(ValueLayout.JAVA_INT, 0, i);
            while (!send(4 + i % 300)) {
                b.progress();
                poll();
            }
            sent++;
        }
        pollUntil(sent);
        for (int i = 0; i < sent; i++) {
            byte[] datagram = taken.datagrams.get(i);
            assertThat(datagram).hasSize(4 + i % 300);
            assertThat(MemorySegment.ofArray(datagram).get(ValueLayout.JAVA_INT_UNALIGNED, 0))
                    .isEqualTo(i);
        }
    }

    @Test
    void shouldCountPacketsOfPathsWithAllOthers() {
        assertThat(send(8)).isTrue();
        assertThat(send(8)).isTrue();
        pollUntil(2);
        assertThat(a.context.counters(1)).containsEntry("sent", 3L);
        assertThat(b.context.counters(1)).containsEntry("received", 3L);
        qpOfA.close();
        qpOfB.close();
        assertThat(a.context.counters(1)).containsEntry("sent", 3L);
        assertThat(b.context.counters(1)).containsEntry("received", 3L);
    }

    @Test
    void whenAPathIsFullThenTheSendIsRejected() {
        int room = 0;
        while (send(4096)) {
            room++;
        }
        assertThat(room).isBetween(20, 40);
        pollUntil(room);
        assertThat(send(4096)).isTrue();
        pollUntil(room + 1);
    }

    @Test
    void whenThereIsNoRoomThenAPostedReceiveIsUsed() {
        taken.full = true;
        MemorySegment.copy(pattern(100), 0, ofA.segment(), ValueLayout.JAVA_BYTE, 0, 100);
        assertThat(send(100)).isTrue();
        TestNode.Completion received = b.next();
        while (received == null) {
            poll();
            received = b.next();
        }
        assertThat(received.byteLength()).isEqualTo(GRH + 100);
        assertThat(received.sourceQp()).isEqualTo(qpOfA.number());
        assertThat(ofB.segment().asSlice(received.wrId() * 1024 + GRH, 100).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(pattern(100));
        assertThat(taken.datagrams).isEmpty();
    }

    @Test
    void whenTheKeyIsWrongThenTheDatagramIsDropped() {
        assertThat(send(8, TestNode.QKEY + 1)).isTrue();
        assertThat(send(8)).isTrue();
        pollUntil(1);
        assertThat(b.counters().dropped(DropReason.WRONG_QKEY)).isOne();
    }

    @Test
    void whenTheReceiverIsInErrorThenTheDatagramIsDropped() {
        assertThat(send(8)).isTrue();
        pollUntil(1);
        qpOfB.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        assertThat(send(8)).isTrue();
        assertThat(poll()).isOne();
        assertThat(taken.datagrams).hasSize(1);
        assertThat(b.counters().dropped(DropReason.WRONG_STATE)).isOne();
    }

    @Test
    void whenTheSenderIsNotReadyThenTheSendIsRejected() {
        qpOfA.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        assertThat(send(8)).isFalse();
    }

    @Test
    void whenMemoryIsNotRegisteredThenTheSendIsRejected() {
        assertThat(fromA.send(toB.handle(), qpOfB.number(), TestNode.QKEY, ofA.address() + 8, 8192, ofA.lkey()))
                .isFalse();
        assertThat(fromA.send(toB.handle(), qpOfB.number(), TestNode.QKEY, ofA.address() - 1, 8, ofA.lkey()))
                .isFalse();
        assertThat(fromA.send(toB.handle(), qpOfB.number(), TestNode.QKEY, ofA.address(), 8, ofA.lkey() + 1))
                .isFalse();
        assertThat(send(8)).isTrue();
        ofA.close();
        assertThat(send(8)).isFalse();
    }

    @Test
    void whenADatagramIsLongerThanTheMtuThenTheSendIsRejected() {
        assertThat(send(4097)).isFalse();
        assertThat(send(0)).as("an empty datagram").isFalse();
    }

    private boolean sendBy(AddressHandle way, int qpn) {
        return fromA.send(way.handle(), qpn, TestNode.QKEY, ofA.address(), 8, ofA.lkey());
    }

    @Test
    void shouldShareAPathBetweenAddressHandlesOfTheSameQueuePair() {
        assertThat(send(8)).isTrue();
        List<AddressHandle> others = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            AddressHandle other = a.handleTo(b);
            others.add(other);
            assertThat(sendBy(other, qpOfB.number())).isTrue();
        }
        for (AddressHandle other : others) {
            assertThat(sendBy(other, qpOfB.number())).isTrue();
        }
        pollUntil(601);
        assertThat(b.shared().paths()).isOne();
    }

    @Test
    void whenOneOfSeveralAddressHandlesIsClosedThenThePathContinues() {
        assertThat(send(8)).isTrue();
        AddressHandle other = a.handleTo(b);
        toB.close();
        assertThat(send(8)).isFalse();
        assertThat(sendBy(other, qpOfB.number())).isTrue();
        pollUntil(2);
        assertThat(channelOfB.inbound()).isEqualTo(1);
    }

    @Test
    void whenTheLastAddressHandleIsClosedThenItsPathEndsAndTheReaderReleasesIt() {
        assertThat(send(8)).isTrue();
        pollUntil(1);
        toB.close();
        assertThat(send(8)).isFalse();
        AddressHandle other = a.handleTo(b);
        assertThat(sendBy(other, b.datagrams().number()))
                .as("the first send on a new path")
                .isFalse();
        awaitUnused();
        assertThat(b.shared().brokenRings()).isZero();
    }

    @Test
    void whenTheSenderIsClosedThenTheReaderReleasesItsPath() {
        assertThat(send(8)).isTrue();
        assertThat(send(8)).isTrue();
        pollUntil(2);
        qpOfA.close();
        awaitUnused();
        assertThat(b.shared().brokenRings()).isZero();
    }

    /** Waits until the reader has released its paths; it looks for ended paths once a second. */
    private void awaitUnused() {
        while (channelOfB.inbound() > 0) {
            b.progress();
            poll();
        }
    }

    @Test
    void whenTheReaderIsClosedThenSendsAreRejectedAgain() {
        assertThat(send(8)).isTrue();
        pollUntil(1);
        qpOfB.close();
        assertThat(send(8)).as("a datagram that may be lost").isTrue();
        fromA.flush();
        assertThat(send(8)).isFalse();
        b.progress();
        assertThat(a.send(qpOfA, 9, ofA, 8, toB, qpOfB.number(), TestNode.QKEY)).isZero();
    }

    @Test
    void whenTheReaderDoesNotReadPathsThenItsReceivesAreUsed() {
        QueuePair plain = b.datagrams();
        b.receive(plain, 70, ofB, 0, 1024);
        b.receive(plain, 71, ofB, 1024, 1024);
        for (int i = 0; i < SENDS_BEFORE_A_PATH - 1; i++) {
            assertThat(fromA.send(toB.handle(), plain.number(), TestNode.QKEY, ofA.address(), 8, ofA.lkey()))
                    .isFalse();
        }
        assertThat(fromA.send(toB.handle(), plain.number(), TestNode.QKEY, ofA.address(), 8, ofA.lkey()))
                .isTrue();
        TestNode.Completion received = b.next();
        while (received == null) {
            received = b.next();
        }
        assertThat(received.wrId()).isEqualTo(70);
        assertThat(channelOfB.inbound()).isZero();
    }

    @Test
    void shouldKeepPathsOfSeveralSendersApart() {
        QueuePair second = a.datagrams();
        ShmDatagramChannel fromSecond =
                Objects.requireNonNull(IpcQueuePair.of(second).datagramChannel());
        for (int i = 0; i < SENDS_BEFORE_A_PATH - 1; i++) {
            assertThat(fromSecond.send(toB.handle(), qpOfB.number(), TestNode.QKEY, ofA.address(), 8, ofA.lkey()))
                    .isFalse();
        }
        for (int i = 0; i < 5; i++) {
            assertThat(send(8)).isTrue();
            assertThat(fromSecond.send(toB.handle(), qpOfB.number(), TestNode.QKEY, ofA.address(), 12, ofA.lkey()))
                    .isTrue();
        }
        pollUntil(10);
        assertThat(taken.sources.stream().filter(qpn -> qpn == qpOfA.number())).hasSize(5);
        assertThat(taken.sources.stream().filter(qpn -> qpn == second.number())).hasSize(5);
        assertThat(b.shared().paths()).isEqualTo(2);
    }

    @Test
    void whenAThreadWaitsForACompletionThenADatagramInAPathWakesIt() throws Exception {
        CompletionChannel channel = b.context.createCompletionChannel();
        CompletionQueue cq = b.context.createCompletionQueue(64, channel);
        QueuePairCapabilities sizes = new QueuePairCapabilities(16, 16, 1, 1, 0);
        QueuePair sleepy =
                b.domain.createQueuePair(new QueuePairConfig(QueuePairType.UD, cq, cq, sizes, false).unchecked());
        b.toSend(sleepy);
        ShmDatagramChannel paths =
                Objects.requireNonNull(IpcQueuePair.of(sleepy).datagramChannel());
        for (int i = 0; i < SENDS_BEFORE_A_PATH; i++) {
            fromA.send(toB.handle(), sleepy.number(), TestNode.QKEY, ofA.address(), 8, ofA.lkey());
        }
        WorkCompletions completions = WorkCompletions.allocate(b.arena, 4);
        while (paths.inbound() == 0) {
            assertThat(cq.poll(completions, 4)).isZero();
        }
        assertThat(paths.poll(taken, 4)).isOne();

        for (int i = 0; i < 20; i++) {
            assertThat(cq.requestNotification(false)).isZero();
            assertThat(paths.poll(taken, 4)).isZero();
            CompletableFuture<Integer> events = CompletableFuture.supplyAsync(() -> channel.await(LONG));
            // Longer each time, so that the datagram arrives before and during the waiter's sleep.
            TimeUnit.MILLISECONDS.sleep(i);
            assertThat(fromA.send(toB.handle(), sleepy.number(), TestNode.QKEY, ofA.address(), 8, ofA.lkey()))
                    .isTrue();
            fromA.flush();
            assertThat(events.get()).isOne();
            assertThat(paths.poll(taken, 4)).isOne();
        }
    }

    /** A send reads the state without the lock. */
    @Test
    void whenTheQueuePairRecoversThenASpinningSenderSeesIt() throws Exception {
        assertThat(send(8)).isTrue();
        qpOfA.modify(new QueuePairAttributes().state(QueuePairState.RESET));
        assertThat(send(8)).isFalse();
        CompletableFuture<Boolean> sent = new CompletableFuture<>();
        Thread user = Thread.ofPlatform().daemon().start(() -> {
            while (!send(8)) {
                // In compiled code this loop may read a plain field only once.
            }
            sent.complete(true);
        });
        Thread.sleep(SPIN);
        a.toSend(qpOfA);
        assertThat(sent.get(LONG.toSeconds(), TimeUnit.SECONDS)).isTrue();
        user.join();
    }
}
