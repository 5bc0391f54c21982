package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.connect.QueuePairDrain;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(120)
@DisplayName("Draining a device's queue pair")
class QueuePairDrainDeviceTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int TOO_SHORT = 48;

    private final DeviceFixture fixture = new DeviceFixture();
    private final WorkCompletions completions = WorkCompletions.allocate(fixture.arena, 16);
    private final List<Long> flushed = new ArrayList<>();

    @AfterEach
    void close() {
        fixture.close();
    }

    private void keep(WorkCompletions batch, int index) {
        assertThat(CompletionStatus.describe(batch.status(index)))
                .isEqualTo(CompletionStatus.describe(CompletionStatus.WR_FLUSH_ERR));
        flushed.add(batch.wrId(index));
    }

    private static List<Long> range(long from, long to) {
        return LongStream.range(from, to).boxed().toList();
    }

    @Test
    @DisplayName("FL-15: a connection flushes sends and receives that were never matched")
    void shouldFlushAllRequestsOfAConnection() {
        QueuePairConfig config = fixture.config(QueuePairType.RC, new QueuePairCapabilities(8, 8, 1, 1, 0));
        QueuePair one = fixture.domain.createQueuePair(config);
        QueuePair other = fixture.domain.createQueuePair(config);
        fixture.connect(one, other);
        MemoryRegion memory = fixture.register(4096, AccessFlag.LOCAL_WRITE);
        postReceives(one, memory, 100, 5);
        // The peer has no receive, so that the first send is retried without limit and the others wait for it.
        SendRequests sends = SendRequests.allocate(fixture.arena, 4, 1);
        for (int i = 0; i < 4; i++) {
            sends.set(i, i, SendOpcode.SEND, 0, 1);
            sends.setSge(i, 0, memory.address(), 64, memory.lkey());
        }
        sends.chain(0, 4);
        assertThat(one.postSend(sends, 0)).isZero();

        boolean drained = QueuePairDrain.begin(one, config).await(PATIENCE, this::keep);

        assertThat(drained).as("drained, with %s flushed", flushed).isTrue();
        assertThat(flushed).hasSize(9).containsAll(range(0, 4)).containsAll(range(100, 105));
        assertThat(one.queryState()).isEqualTo(QueuePairState.ERR);
        one.close();
        assertThat(QueuePairDrain.begin(other, config).await(PATIENCE, this::keep))
                .isTrue();
    }

    @Test
    @DisplayName("FL-15: datagrams: every receive of a full queue is flushed")
    void shouldFlushAllReceivesOfADatagramQueuePair() {
        QueuePairConfig config = fixture.config(QueuePairType.UD, new QueuePairCapabilities(8, 8, 1, 1, 0));
        QueuePair qp = fixture.domain.createQueuePair(config);
        qp.modify(fixture.toInit().qkey(DeviceFixture.QKEY));
        MemoryRegion memory = fixture.register(4096, AccessFlag.LOCAL_WRITE);
        int posted = 0;
        while (tryPostReceive(qp, memory, posted)) {
            posted++;
        }
        assertThat(posted).isGreaterThanOrEqualTo(8);

        boolean drained = QueuePairDrain.begin(qp, config, fixture.domain.createAddressHandle(fixture.self()))
                .await(PATIENCE, this::keep);

        assertThat(drained)
                .as("drained, with %s of %s flushed", flushed, posted)
                .isTrue();
        assertThat(flushed).containsExactlyElementsOf(range(0, posted));
    }

    @Test
    @DisplayName("FL-15: the completions of another queue pair on the same queue are passed on")
    void shouldPassOnCompletionsOfOtherQueuePairs() {
        SelfSender other = new SelfSender(fixture, fixture.cq, 4);
        other.receive(41);
        other.sendQuietly();
        QueuePairConfig config = fixture.config(QueuePairType.RC, new QueuePairCapabilities(4, 4, 1, 1, 0));
        QueuePair one = fixture.domain.createQueuePair(config);
        QueuePair peer = fixture.domain.createQueuePair(config);
        fixture.connect(one, peer);
        List<Long> passed = new ArrayList<>();

        assertThat(QueuePairDrain.begin(one, config).await(PATIENCE, (batch, index) -> passed.add(batch.wrId(index))))
                .isTrue();

        assertThat(passed).containsExactly(41L);
    }

    /**
     * Tests at the level of verbs what a receive ring must do: the error is in the middle of the results of one poll.
     */
    @Test
    @DisplayName("FL-14: after an error in a batch the rest is processed and the failed queue pair is not used")
    void whenARequestOfABatchFailsThenTheOthersAreProcessed() {
        CompletionQueue cq = fixture.cq;
        SelfSender dying = new SelfSender(fixture, cq, 8);
        SelfSender healthy = new SelfSender(fixture, cq, 8);
        dying.receive(1);
        dying.receive(2, TOO_SHORT);
        dying.receive(3);
        for (long i = 11; i <= 14; i++) {
            healthy.receive(i);
        }
        healthy.sendQuietly();
        dying.sendQuietly();
        healthy.sendQuietly();
        healthy.sendTo(dying.qp, 0, 0);
        healthy.sendQuietly();
        settle(dying.qp);

        int count = cq.poll(completions, 16);
        boolean dead = false;
        int postedToDead = 0;
        List<Long> received = new ArrayList<>();
        List<Long> failed = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            boolean isDying = completions.qpNumber(i) == dying.qp.number();
            if (completions.status(i) != CompletionStatus.SUCCESS) {
                dead = true;
                failed.add(completions.wrId(i));
            } else {
                received.add(completions.wrId(i));
                if (!isDying) {
                    healthy.receive(completions.wrId(i));
                } else if (dead) {
                    postedToDead++;
                }
            }
        }

        assertThat(dead).isTrue();
        assertThat(received).contains(1L, 11L, 12L, 13L).doesNotContain(2L, 3L);
        assertThat(failed).first().isEqualTo(2L);
        assertThat(postedToDead).isZero();
        assertThat(dying.qp.queryState()).isEqualTo(QueuePairState.ERR);
        for (int round = 0; round < 4; round++) {
            healthy.sendQuietly();
        }
        List<Long> after = new ArrayList<>();
        QueuePairConfig config = fixture.config(QueuePairType.UD, new QueuePairCapabilities(8, 8, 1, 1, 0));
        assertThat(QueuePairDrain.begin(dying.qp, config, dying.self)
                        .await(PATIENCE, (batch, index) -> after.add(batch.wrId(index))))
                .isTrue();
        failed.addAll(after);
        assertThat(failed).as("each receive of the dead one comes back").contains(2L, 3L);
        assertThat(after).contains(14L, 11L, 12L, 13L);
    }

    /** Queries the state until it is ERR, although rxe processes a datagram to itself during the post. */
    private static void settle(QueuePair qp) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (qp.queryState() != QueuePairState.ERR && System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private void postReceives(QueuePair qp, MemoryRegion memory, long firstId, int count) {
        ReceiveRequests requests = ReceiveRequests.allocate(fixture.arena, count);
        for (int i = 0; i < count; i++) {
            requests.set(i, firstId + i, memory.address(), 256, memory.lkey());
        }
        requests.chain(0, count);
        assertThat(qp.postReceive(requests, 0)).isZero();
    }

    private boolean tryPostReceive(QueuePair qp, MemoryRegion memory, long wrId) {
        ReceiveRequests request = ReceiveRequests.allocate(fixture.arena, 1);
        request.set(0, wrId, memory.address(), 256, memory.lkey());
        request.chain(0, 1);
        return qp.postReceive(request, 0) == 0;
    }
}
