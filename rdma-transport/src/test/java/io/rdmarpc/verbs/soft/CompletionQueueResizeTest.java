package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.WorkCompletions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A completion queue of another size")
class CompletionQueueResizeTest {

    private final TestNode node = TestNode.inMemory(new MemoryNetwork(), 5001, LinkFaults.NONE, new FakeClock());
    private final WorkCompletions completions = WorkCompletions.allocate(node.arena, 16);

    @AfterEach
    void close() {
        node.close();
    }

    /** Adds the completions of flushed receives, numbered from 1. */
    private void fill(CompletionQueue cq, int count) {
        QueuePairCapabilities sizes = new QueuePairCapabilities(1, 16, 1, 1, 0);
        QueuePair qp =
                node.domain.createQueuePair(new QueuePairConfig(QueuePairType.RC, cq, cq, sizes, false).unchecked());
        qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        for (int i = 1; i <= count; i++) {
            node.receives.set(0, i, 0, 0, 0);
            node.receives.chain(0, 1);
            assertThat(qp.postReceive(node.receives, 0)).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 7, 8, 100})
    void shouldKeepItsCompletionsInOrder(int entries) {
        CompletionQueue cq = node.context.createCompletionQueue(6);
        fill(cq, 4);
        assertThat(cq.poll(completions, 3)).isEqualTo(3);
        fill(cq, 4);

        assertThat(cq.resize(entries)).isEqualTo(entries);
        assertThat(cq.capacity()).isEqualTo(entries);

        assertThat(cq.poll(completions, 16)).isEqualTo(5);
        long[] wrIds = {4, 1, 2, 3, 4};
        for (int i = 0; i < wrIds.length; i++) {
            assertThat(completions.wrId(i)).isEqualTo(wrIds[i]);
        }
    }

    @Test
    void shouldHoldMoreThanBefore() {
        CompletionQueue cq = node.context.createCompletionQueue(2);
        cq.resize(10);
        fill(cq, 10);

        assertThat(cq.poll(completions, 16)).isEqualTo(10);
        assertThat(cq.poll(completions, 16)).isZero();
    }

    @Test
    void whenCompletionsDoNotFitThenResizeFails() {
        CompletionQueue cq = node.context.createCompletionQueue(8);
        fill(cq, 4);

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> cq.resize(3))
                .withMessageContaining("4 completions in the queue")
                .withMessageContaining("Poll first");
        assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(() -> cq.resize(0));
        assertThat(cq.poll(completions, 16)).isEqualTo(4);
    }
}
