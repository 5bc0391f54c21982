package io.rdmarpc.verbs.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIndexOutOfBoundsException;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Checks of receives")
class ReceiveRequestChecksTest {

    private final Arena arena = Arena.ofConfined();
    private final ReceiveRequests requests = ReceiveRequests.allocate(arena, 4, 3);
    private final ReceiveRequestChecks shared = ReceiveRequestChecks.ofSharedQueue(2);

    @AfterEach
    void close() {
        arena.close();
    }

    private void assertWrong(ReceiveRequestChecks checks, @Nullable QueuePairState state, int index, String words) {
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> checks.check(requests, 0, state))
                .withMessageContaining(words)
                .satisfies(e -> assertThat(e.index()).isEqualTo(index));
        assertThat(requests.badIndex()).isEqualTo(index);
    }

    @Test
    void shouldRejectReceivesInAWrongState() {
        assertWrong(shared, QueuePairState.RESET, 0, "in state RESET");
        assertWrong(shared, null, 0, "The queue is closed");
        for (QueuePairState state : QueuePairState.values()) {
            if (state != QueuePairState.RESET) {
                assertThatCode(() -> shared.check(requests, 0, state)).doesNotThrowAnyException();
            }
        }
    }

    @Test
    void shouldRejectTooManyEntries() {
        requests.set(0, 1, 2);
        assertThatCode(() -> shared.check(requests, 0, QueuePairState.RTS)).doesNotThrowAnyException();
        requests.set(0, 1, 3);
        assertWrong(shared, QueuePairState.RTS, 0, "Receive 0 has 3 scatter/gather entries: 0 to 2 are possible");
        requests.set(0, 1, 4);
        assertWrong(
                ReceiveRequestChecks.ofSharedQueue(8), QueuePairState.RTS, 0, "has 4 scatter/gather entries: 0 to 3");
    }

    @Test
    void shouldRejectADatagramReceiveWithoutRoomForTheRouteHeader() {
        QueuePairCapabilities granted = new QueuePairCapabilities(1, 1, 1, 2, 0);
        ReceiveRequestChecks datagrams = ReceiveRequestChecks.of(
                new QueuePairConfig(QueuePairType.UD, new NoQueue(), new NoQueue(), granted, false), granted);
        requests.set(0, 1, 2);
        requests.setSge(0, 0, 4096, 39, 1);
        assertWrong(datagrams, QueuePairState.RTS, 0, "has 39 bytes: a datagram's needs 40");
        requests.setSge(0, 0, 4096, 0, 1);
        assertThatCode(() -> datagrams.check(requests, 0, QueuePairState.RTS)).doesNotThrowAnyException();
        requests.setSge(0, 0, 4096, 39, 1);
        requests.setSge(0, 1, 4096, 1, 1);
        assertThatCode(() -> datagrams.check(requests, 0, QueuePairState.RTS)).doesNotThrowAnyException();
    }

    @Test
    void shouldCheckTheWholeList() {
        requests.set(1, 1, 3);
        requests.setNext(0, 1);
        assertWrong(shared, QueuePairState.RTS, 1, "Receive 1 has 3");
        requests.set(1, 1, 1);
        requests.setNext(1, 1);
        assertWrong(shared, QueuePairState.RTS, 1, "has no end");
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> shared.check(requests, 4, QueuePairState.RTS))
                .withMessageContaining("is not in the array of 4");
    }

    @Test
    @DisplayName("reject writes outside of the array")
    void shouldRejectAnIndexOutsideOfTheArray() {
        assertThatIndexOutOfBoundsException().isThrownBy(() -> requests.set(4, 0, 0, 0, 0));
        assertThatIndexOutOfBoundsException().isThrownBy(() -> requests.setSge(0, 3, 0, 0, 0));
        assertThatIndexOutOfBoundsException().isThrownBy(() -> requests.chain(3, 2));
    }

    /** A queue that the test does not use. */
    private record NoQueue() implements CompletionQueue {

        @Override
        public int poll(WorkCompletions into, int max) {
            throw new AssertionError("polled");
        }

        @Override
        public int capacity() {
            return 1;
        }

        @Override
        public void close() {
            // There is nothing to close.
        }
    }
}
