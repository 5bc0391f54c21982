package io.rdmarpc.verbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.connect.QueuePairDrain;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@DisplayName("Draining a queue pair that is never flushed")
class QueuePairDrainTimeoutTest {

    private static final int DEAD = 17;
    private static final int BUSY = 18;
    private static final QueuePairCapabilities SIZES = new QueuePairCapabilities(4, 4, 1, 1, 0);

    /** Accepts requests and never completes them. */
    private static final class DeadQueuePair implements QueuePair {

        @Override
        public int number() {
            return DEAD;
        }

        @Override
        public QueuePairType type() {
            return QueuePairType.RC;
        }

        @Override
        public QueuePairCapabilities capabilities() {
            return SIZES;
        }

        @Override
        public QueuePairState queryState() {
            return QueuePairState.RTS;
        }

        @Override
        public void modify(QueuePairAttributes attributes) {}

        @Override
        public int postSend(SendRequests requests, int first) {
            return 0;
        }

        @Override
        public int postReceive(ReceiveRequests requests, int first) {
            return 0;
        }

        @Override
        public void close() {}
    }

    /** Always returns a completion of another queue pair that is still active. */
    private static final class BusyQueue implements CompletionQueue {

        @Override
        public int poll(WorkCompletions into, int max) {
            into.set(0, 1, CompletionStatus.SUCCESS, CompletionOpcode.SEND, 0, 0, BUSY, 0, 0);
            return 1;
        }

        @Override
        public int capacity() {
            return 16;
        }

        @Override
        public void close() {}
    }

    @Test
    void shouldTimeOutWhileOtherQueuePairsKeepTheCompletionQueueBusy() {
        CompletionQueue busy = new BusyQueue();
        QueuePairConfig config = new QueuePairConfig(QueuePairType.RC, busy, busy, SIZES, true);
        AtomicInteger others = new AtomicInteger();

        boolean drained = QueuePairDrain.begin(new DeadQueuePair(), config)
                .await(Duration.ofMillis(20), (completions, index) -> others.incrementAndGet());

        assertThat(drained).isFalse();
        assertThat(others).hasPositiveValue();
    }
}
