package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.connect.QueuePairDrain;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@DisplayName("FL-15: draining a queue pair")
class QueuePairDrainTest {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final MemoryNetwork network = new MemoryNetwork();
    private final TestNode node = TestNode.inMemory(network, 5001, LinkFaults.NONE, new FakeClock());
    private final List<Long> flushed = new ArrayList<>();

    @AfterEach
    void close() {
        node.close();
    }

    private QueuePairConfig config(QueuePairType type, int depth, CompletionQueue sends, CompletionQueue receives) {
        return new QueuePairConfig(
                type,
                sends,
                receives,
                new QueuePairCapabilities(depth, type == QueuePairType.UD ? depth : 0, 1, 1, 0),
                false);
    }

    private void toInit(QueuePair qp) {
        qp.modify(new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .pkeyIndex(0)
                .portNumber(1)
                .qkey(TestNode.QKEY));
    }

    private void keep(WorkCompletions completions, int index) {
        assertThat(completions.status(index)).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        flushed.add(completions.wrId(index));
    }

    @Test
    void shouldReturnEveryReceiveEvenOfAFullQueue() {
        CompletionQueue receives = node.context.createCompletionQueue(64);
        QueuePairConfig config = config(QueuePairType.UD, 32, node.cq, receives);
        QueuePair qp = node.domain.createQueuePair(config);
        toInit(qp);
        MemoryRegion memory = node.register(64, AccessFlag.LOCAL_WRITE);
        for (int i = 0; i < 32; i++) {
            assertThat(node.receive(qp, i, memory, 0, 64)).isZero();
        }

        boolean drained = QueuePairDrain.begin(qp, config, node.handleTo(node)).await(PATIENCE, this::keep);

        assertThat(drained).isTrue();
        assertThat(flushed)
                .containsExactlyElementsOf(LongStream.range(0, 32).boxed().toList());
        assertThat(qp.queryState()).isEqualTo(QueuePairState.ERR);
        qp.close();
    }

    @Test
    void shouldReturnReadsWithoutAResponse() {
        TestNode silent = TestNode.inMemory(network, 5002, LinkFaults.NONE, new FakeClock());
        QueuePairConfig config = config(QueuePairType.RC, 8, node.cq, node.cq);
        QueuePair qp = node.domain.createQueuePair(config);
        node.connect(qp, silent, 77, 1, 1);
        MemoryRegion memory = node.register(64, AccessFlag.LOCAL_WRITE);
        for (int i = 0; i < 8; i++) {
            assertThat(node.read(qp, i, memory, 0, 8, 0, 0)).isZero();
        }

        assertThat(QueuePairDrain.begin(qp, config).await(PATIENCE, this::keep)).isTrue();

        assertThat(flushed).containsExactly(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L);
        silent.close();
    }

    @Test
    void shouldAcceptCompletionsFromAnotherPoller() {
        QueuePairConfig config = config(QueuePairType.UD, 4, node.cq, node.cq);
        QueuePair qp = node.domain.createQueuePair(config);
        toInit(qp);
        node.receive(qp, 5, node.register(64, AccessFlag.LOCAL_WRITE), 0, 64);
        QueuePairDrain drain = QueuePairDrain.begin(qp, config, node.handleTo(node));
        assertThat(drain.isDrained()).isFalse();

        WorkCompletions completions = WorkCompletions.allocate(node.arena, 8);
        int taken = node.cq.poll(completions, 8);
        for (int i = 0; i < taken; i++) {
            if (!drain.onCompletion(completions, i)) {
                keep(completions, i);
            }
        }

        assertThat(flushed).containsExactly(5L);
        assertThat(drain.isDrained()).isTrue();
    }

    @Test
    void shouldIgnoreTheBeaconsOfAnotherQueuePair() {
        QueuePairConfig config = config(QueuePairType.RC, 1, node.cq, node.cq);
        QueuePairDrain drain = QueuePairDrain.begin(node.domain.createQueuePair(config), config);
        WorkCompletions completions = WorkCompletions.allocate(node.arena, 1);
        completions.set(0, QueuePairDrain.SEND_BEACON, 5, 0, 0, 0, 4711, 0, 0);

        assertThat(drain.onCompletion(completions, 0)).isFalse();
    }

    @Test
    void whenInResetThenThereIsNothingToDrain() {
        QueuePairConfig config = config(QueuePairType.RC, 1, node.cq, node.cq);
        QueuePair qp = node.domain.createQueuePair(config);

        assertThat(QueuePairDrain.begin(qp, config).await(Duration.ZERO, this::keep))
                .isTrue();
        assertThat(qp.queryState()).isEqualTo(QueuePairState.RESET);
    }

    @Test
    void shouldNeedAnAddressHandleForDatagrams() {
        QueuePairConfig config = config(QueuePairType.UD, 1, node.cq, node.cq);

        assertThatIllegalArgumentException()
                .isThrownBy(() -> QueuePairDrain.begin(node.domain.createQueuePair(config), config))
                .withMessageContaining("address handle");
    }

    @Test
    void whenTheCompletionQueueFailsThenDrainFails() {
        CompletionQueue small = node.context.createCompletionQueue(1);
        QueuePairConfig config = config(QueuePairType.UD, 4, small, small);
        QueuePair qp = node.domain.createQueuePair(config);
        toInit(qp);
        MemoryRegion memory = node.register(64, AccessFlag.LOCAL_WRITE);
        node.receive(qp, 1, memory, 0, 64);
        node.receive(qp, 2, memory, 0, 64);
        QueuePairDrain drain = QueuePairDrain.begin(qp, config, node.handleTo(node));

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> drain.await(PATIENCE, this::keep))
                .withMessageContaining("ibv_poll_cq")
                .withMessageContaining("close it, then free its memory");
    }

    @Test
    void whenNothingCompletesThenEndsWithTheTimeOut() {
        CompletionQueue dead = (CompletionQueue) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {CompletionQueue.class}, (self, method, arguments) -> {
                    return method.getName().equals("equals") ? (Object) true : (Object) 0;
                });
        QueuePairConfig real = config(QueuePairType.UD, 4, node.cq, node.cq);
        QueuePair qp = node.domain.createQueuePair(real);
        toInit(qp);
        QueuePairDrain drain = QueuePairDrain.begin(qp, config(QueuePairType.UD, 4, dead, dead), node.handleTo(node));

        assertThat(drain.await(Duration.ofMillis(50), this::keep)).isFalse();
    }
}
