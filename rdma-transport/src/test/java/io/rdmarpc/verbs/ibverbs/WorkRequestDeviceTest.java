package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(120)
@DisplayName("Work requests of a device's connection")
class WorkRequestDeviceTest {

    private static final int IMMEDIATE = 0xCAFE_0001;

    private DeviceFixture fixture;

    @BeforeEach
    void open() {
        fixture = new DeviceFixture();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private ConnectedPair connected() {
        return new ConnectedPair(fixture, QueuePairType.RC);
    }

    private static void fill(MemorySegment memory, int seed) {
        for (long i = 0; i < memory.byteSize(); i++) {
            memory.set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31 + seed));
        }
    }

    @Test
    void shouldWriteAndReadBack() {
        ConnectedPair pair = connected();
        fill(pair.local.segment(), 1);

        pair.post(pair.request(1, SendOpcode.RDMA_WRITE, 3000));
        pair.awaitSuccess(1);
        assertThat(fixture.completions.opcode(0)).isEqualTo(CompletionOpcode.RDMA_WRITE);
        assertThat(MemorySegment.mismatch(pair.local.segment(), 0, 3000, pair.remote.segment(), 0, 3000))
                .isEqualTo(-1);

        pair.post(pair.request(0, 2, SendOpcode.RDMA_READ, SendFlags.SIGNALED, 4096, 3000));
        pair.awaitSuccess(1);
        assertThat(fixture.completions.opcode(0)).isEqualTo(CompletionOpcode.RDMA_READ);
        assertThat(MemorySegment.mismatch(pair.local.segment(), 4096, 7096, pair.remote.segment(), 0, 3000))
                .isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"RC", "UC"})
    void shouldWriteWithImmediateData(QueuePairType type) {
        ConnectedPair pair = new ConnectedPair(fixture, type);
        fill(pair.local.segment(), 2);
        pair.receive(1, 0);

        SendRequests request = pair.request(2, SendOpcode.RDMA_WRITE_WITH_IMM, 2000);
        request.setImmediate(0, IMMEDIATE);
        pair.post(request);
        pair.awaitSuccess(2);

        int received = fixture.indexOf(1, 2);
        assertThat(fixture.completions.opcode(received)).isEqualTo(CompletionOpcode.RECV_RDMA_WITH_IMM);
        assertThat(fixture.completions.flags(received) & WorkCompletions.FLAG_WITH_IMM)
                .isNotZero();
        assertThat(fixture.completions.immediate(received)).isEqualTo(IMMEDIATE);
        assertThat(fixture.completions.byteLength(received)).isEqualTo(2000);
        assertThat(MemorySegment.mismatch(pair.local.segment(), 0, 2000, pair.remote.segment(), 0, 2000))
                .isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"RC", "UC"})
    void shouldSendWithAndWithoutImmediateData(QueuePairType type) {
        ConnectedPair pair = new ConnectedPair(fixture, type);
        pair.local.segment().setString(0, "with and without");
        pair.receive(1, 64);
        pair.receive(2, 64);

        SendRequests request = pair.request(0, 3, SendOpcode.SEND_WITH_IMM, 0, 0, 32);
        request.setImmediate(0, IMMEDIATE);
        pair.request(1, 4, SendOpcode.SEND, SendFlags.SIGNALED | SendFlags.SOLICITED, 0, 0);
        request.setNext(0, 1);
        pair.post(request);
        pair.awaitSuccess(3);

        int with = fixture.indexOf(1, 3);
        assertThat(fixture.completions.opcode(with)).isEqualTo(CompletionOpcode.RECV);
        assertThat(fixture.completions.flags(with) & WorkCompletions.FLAG_WITH_IMM)
                .isNotZero();
        assertThat(fixture.completions.immediate(with)).isEqualTo(IMMEDIATE);
        assertThat(fixture.completions.byteLength(with)).isEqualTo(32);
        int without = fixture.indexOf(2, 3);
        assertThat(fixture.completions.flags(without) & WorkCompletions.FLAG_WITH_IMM)
                .isZero();
        assertThat(fixture.completions.byteLength(without)).isZero();
        assertThat(pair.remote.segment().getString(0)).isEqualTo("with and without");
    }

    @Test
    void shouldSendADatagramWithImmediateData() {
        fixture.exchangeDatagram(IMMEDIATE);
        int received = fixture.indexOf(1, 2);
        assertThat(fixture.completions.flags(received))
                .isEqualTo(WorkCompletions.FLAG_GRH | WorkCompletions.FLAG_WITH_IMM);
        assertThat(fixture.completions.immediate(received)).isEqualTo(IMMEDIATE);
    }

    @Test
    void shouldCompareAndSwap() {
        ConnectedPair pair = connected();
        MemorySegment target = pair.remote.segment();
        target.set(ValueLayout.JAVA_LONG, 0, 41);

        SendRequests request = pair.request(1, SendOpcode.ATOMIC_CMP_AND_SWP, 8);
        request.setCompareAndSwap(0, pair.remote.address(), pair.remote.rkey(), 41, Long.MIN_VALUE + 42);
        pair.post(request);
        pair.awaitSuccess(1);
        assertThat(fixture.completions.opcode(0)).isEqualTo(CompletionOpcode.COMP_SWAP);
        assertThat(pair.local.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(41);
        assertThat(target.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(Long.MIN_VALUE + 42);

        pair.post(request);
        pair.awaitSuccess(1);
        assertThat(pair.local.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(Long.MIN_VALUE + 42);
        assertThat(target.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(Long.MIN_VALUE + 42);
    }

    @Test
    void shouldFetchAndAdd() {
        ConnectedPair pair = connected();
        pair.remote.segment().set(ValueLayout.JAVA_LONG, 8, 1000);

        SendRequests request = pair.request(1, SendOpcode.ATOMIC_FETCH_AND_ADD, 8);
        request.setFetchAndAdd(0, pair.remote.address() + 8, pair.remote.rkey(), -1);
        pair.post(request);
        pair.awaitSuccess(1);

        assertThat(fixture.completions.opcode(0)).isEqualTo(CompletionOpcode.FETCH_ADD);
        assertThat(pair.local.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1000);
        assertThat(pair.remote.segment().get(ValueLayout.JAVA_LONG, 8)).isEqualTo(999);
    }

    @Test
    @DisplayName("the device's maximum number of scatter/gather entries, at both ends")
    void shouldGatherAndScatterUpToTheLimit() {
        int most = fixture.context.attributes().maxSge();
        QueuePairConfig config = fixture.config(QueuePairType.RC, new QueuePairCapabilities(4, 4, most, most, 0));
        ConnectedPair pair = new ConnectedPair(fixture, config, ConnectedPair.OPEN);
        fill(pair.local.segment(), 3);
        SendRequests send = SendRequests.allocate(fixture.arena, 1, most);
        ReceiveRequests receive = ReceiveRequests.allocate(fixture.arena, 1, most);
        send.set(0, 1, SendOpcode.SEND, SendFlags.SIGNALED, most);
        receive.set(0, 2, most);
        for (int i = 0; i < most; i++) {
            // Gathered from the end in pieces of 1, 2, ..., scattered in order with the opposite sizes.
            send.setSge(0, i, pair.local.address() + ConnectedPair.SIZE - 100L * (i + 1), i + 1, pair.local.lkey());
            receive.setSge(0, i, pair.remote.address() + 100L * i, most - i, pair.remote.lkey());
        }
        int bytes = most * (most + 1) / 2;
        assertThat(pair.other.postReceive(receive, 0)).isZero();
        pair.post(send);
        pair.awaitSuccess(2);

        assertThat(fixture.completions.byteLength(fixture.indexOf(2, 2))).isEqualTo(bytes);
        assertThat(gathered(send, pair.local, most)).isEqualTo(scattered(receive, pair.remote, most));
    }

    private static byte[] gathered(SendRequests send, MemoryRegion from, int entries) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < entries; i++) {
            bytes.writeBytes(slice(from, send.sgeAddress(0, i), send.sgeLength(0, i)));
        }
        return bytes.toByteArray();
    }

    private static byte[] scattered(ReceiveRequests receive, MemoryRegion from, int entries) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (int i = 0; i < entries; i++) {
            bytes.writeBytes(slice(from, receive.sgeAddress(0, i), receive.sgeLength(0, i)));
        }
        return bytes.toByteArray();
    }

    private static byte[] slice(MemoryRegion region, long address, int length) {
        return region.segment().asSlice(address - region.address(), length).toArray(ValueLayout.JAVA_BYTE);
    }

    @Test
    void shouldSendInlineDataFromUnregisteredMemory() {
        ConnectedPair pair = connected();
        MemorySegment text = fixture.arena.allocateFrom("copied at the post");
        pair.receive(1, 64);
        SendRequests request = pair.request(2, SendOpcode.SEND, 0);
        request.set(0, 2, SendOpcode.SEND, SendFlags.SIGNALED | SendFlags.INLINE, 1);
        request.setSge(0, 0, text.address(), (int) text.byteSize(), 0);

        pair.post(request);
        text.fill((byte) 0);
        pair.awaitSuccess(2);

        assertThat(pair.remote.segment().getString(0)).isEqualTo("copied at the post");
    }

    @Test
    void shouldCompleteUnsignaledWorkWithTheNextSignaledRequest() throws InterruptedException {
        ConnectedPair pair = connected();
        fill(pair.local.segment(), 4);
        for (int i = 0; i < 8; i++) {
            pair.request(i, i, SendOpcode.RDMA_WRITE, i == 7 ? SendFlags.SIGNALED : 0, i * 100L, 100);
            pair.sends.setRemote(i, pair.remote.address() + i * 100L, pair.remote.rkey());
        }
        pair.sends.chain(0, 8);
        pair.post(pair.sends);
        pair.awaitSuccess(1);

        assertThat(fixture.completions.wrId(0)).isEqualTo(7);
        assertThat(MemorySegment.mismatch(pair.local.segment(), 0, 800, pair.remote.segment(), 0, 800))
                .isEqualTo(-1);
        pair.awaitSilence();
    }

    @Test
    void whenTheQueuePairSignalsAllThenEveryRequestCompletes() {
        QueuePairConfig config =
                new QueuePairConfig(QueuePairType.RC, fixture.cq, fixture.cq, ConnectedPair.SMALL, true);
        ConnectedPair pair = new ConnectedPair(fixture, config, ConnectedPair.OPEN);

        pair.post(pair.request(0, 5, SendOpcode.RDMA_WRITE, 0, 0, 10));
        pair.awaitSuccess(1);

        assertThat(fixture.completions.wrId(0)).isEqualTo(5);
    }

    @Test
    @DisplayName("a fenced send of the data of an earlier READ")
    void shouldFence() {
        ConnectedPair pair = connected();
        MemoryRegion inbox = fixture.register(ConnectedPair.SIZE, AccessFlag.LOCAL_WRITE);
        fill(pair.remote.segment(), 5);
        pair.receives.set(0, 1, inbox.address(), 4000, inbox.lkey());
        pair.receives.setNext(0, -1);
        assertThat(pair.other.postReceive(pair.receives, 0)).isZero();

        pair.request(0, 2, SendOpcode.RDMA_READ, 0, 0, 4000);
        pair.request(1, 3, SendOpcode.SEND, SendFlags.SIGNALED | SendFlags.FENCE, 0, 4000);
        pair.sends.setNext(0, 1);
        pair.post(pair.sends);
        pair.awaitSuccess(2);

        assertThat(MemorySegment.mismatch(pair.remote.segment(), 0, 4000, inbox.segment(), 0, 4000))
                .isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"RC", "UC"})
    void shouldSendEmptyMessages(QueuePairType type) {
        ConnectedPair pair = new ConnectedPair(fixture, type);
        pair.receive(1, 64);
        SendRequests request = pair.request(2, SendOpcode.SEND, 0);
        request.set(0, 2, SendOpcode.SEND, SendFlags.SIGNALED, 0);
        pair.post(request);
        pair.awaitSuccess(2);
        assertThat(fixture.completions.byteLength(fixture.indexOf(1, 2))).isZero();

        pair.post(pair.request(3, SendOpcode.RDMA_WRITE, 0));
        pair.awaitSuccess(1);
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"RC", "UC"})
    void shouldWriteManyPackets(QueuePairType type) {
        ConnectedPair pair = new ConnectedPair(fixture, type);
        fill(pair.local.segment(), 6);

        pair.post(pair.request(1, SendOpcode.RDMA_WRITE, ConnectedPair.SIZE));
        pair.awaitSuccess(1);
        // An unreliable write is complete when it has been sent.
        pair.receive(2, 0);
        SendRequests last = pair.request(3, SendOpcode.SEND, 0);
        pair.post(last);
        pair.awaitSuccess(2);

        assertThat(pair.local.segment().mismatch(pair.remote.segment())).isEqualTo(-1);
    }

    @Test
    void shouldPostAListOfReceives() {
        ConnectedPair pair = connected();
        for (int i = 0; i < 4; i++) {
            pair.receives.set(i, i, pair.remote.address() + 64L * i, 64, pair.remote.lkey());
            pair.request(i, 10 + i, SendOpcode.SEND, i == 3 ? SendFlags.SIGNALED : 0, 16L * i, 16);
        }
        fill(pair.local.segment(), 7);
        pair.receives.chain(0, 4);
        pair.sends.chain(0, 4);
        assertThat(pair.other.postReceive(pair.receives, 0)).isZero();
        pair.post(pair.sends);
        pair.awaitSuccess(5);

        for (int i = 0; i < 4; i++) {
            assertThat(MemorySegment.mismatch(
                            pair.local.segment(), 16L * i, 16L * i + 16, pair.remote.segment(), 64L * i, 64L * i + 16))
                    .isEqualTo(-1);
        }
    }
}
