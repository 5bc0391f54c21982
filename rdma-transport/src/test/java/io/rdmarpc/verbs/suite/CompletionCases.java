package io.rdmarpc.verbs.suite;

import static io.rdmarpc.verbs.suite.Connection.AT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.WorkCompletions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Completion queues: batches, order, sizes, sharing. */
abstract class CompletionCases extends VerbsCases {

    private static final long PATIENCE_NANOS = 20_000_000_000L;

    CompletionCases(SuiteProvider provider) {
        super(provider);
    }

    private CompletionQueue queue(int entries) {
        return fixture.closing(here.context.createCompletionQueue(entries));
    }

    private Connection completingIn(CompletionQueue forSends, CompletionQueue forReceives) {
        QueuePair qp = here.domain.createQueuePair(
                here.config(QueuePairType.RC, forSends, forReceives).unchecked());
        return fixture.closing(new Connection(fixture, qp, there.create(QueuePairType.RC)))
                .connect();
    }

    private WorkCompletions entries(int count) {
        return WorkCompletions.allocate(here.arena, count);
    }

    private static void postWrites(Connection pair, int first, int count, int flags) {
        for (int i = 0; i < count; i++) {
            pair.request(i, first + i, SendOpcode.RDMA_WRITE, AT, 8);
            pair.here.sends.set(i, first + i, SendOpcode.RDMA_WRITE, flags, 1);
        }
        pair.here.sends.chain(0, count);
        pair.post();
    }

    /** Polls both ends until the queue has returned this many completions. */
    private int pollUntil(CompletionQueue queue, WorkCompletions into, int batch, int count) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        int got = 0;
        while (got < count) {
            there.poll();
            int n = queue.poll(into, batch);
            assertThat(n).isBetween(0, batch);
            for (int i = 0; i < n; i++) {
                assertThat(into.status(i)).isZero();
                assertThat(into.wrId(i)).isEqualTo(got++);
            }
            assertThat(System.nanoTime() - end).as("%s of %s", got, count).isNegative();
        }
        return got;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 16, 64})
    void shouldPollAtMostTheRequestedNumber(int batch) {
        CompletionQueue queue = queue(64);
        Connection pair = completingIn(queue, queue);
        postWrites(pair, 0, 30, SendFlags.SIGNALED);
        assertThat(pollUntil(queue, entries(64), batch, 30)).isEqualTo(30);
        assertThat(queue.poll(entries(64), 64)).isZero();
    }

    @Test
    void shouldPollNothingForAMaximumOfZero() {
        CompletionQueue queue = queue(8);
        WorkCompletions into = entries(4);
        assertThat(queue.poll(into, 4)).isZero();
        Connection pair = completingIn(queue, queue);
        postWrites(pair, 0, 1, SendFlags.SIGNALED);
        assertThat(queue.poll(into, 0)).isZero();
        pollUntil(queue, into, 4, 1);
    }

    @Test
    void shouldReuseEntriesOverTime() {
        CompletionQueue queue = queue(20);
        Connection pair = completingIn(queue, queue);
        WorkCompletions into = entries(20);
        long end = System.nanoTime() + PATIENCE_NANOS;
        int got = 0;
        for (int round = 0; round < 50; round++) {
            postWrites(pair, 20 * round, 20, SendFlags.SIGNALED);
            while (got < 20 * (round + 1)) {
                there.poll();
                int n = queue.poll(into, 7);
                for (int i = 0; i < n; i++) {
                    assertThat(into.wrId(i)).isEqualTo(got++);
                }
                assertThat(System.nanoTime() - end).isNegative();
            }
        }
    }

    /** A request without a completion uses no entry. */
    @Test
    void shouldUseNoEntryForUnsignaledRequests() {
        CompletionQueue queue = queue(2);
        Connection pair = completingIn(queue, queue);
        for (int round = 0; round < 5; round++) {
            postWrites(pair, 100, 20, 0);
            postWrites(pair, 0, 1, SendFlags.SIGNALED);
            pollUntil(queue, entries(2), 2, 1);
        }
    }

    @Test
    void shouldSeparateSendAndReceiveQueues() {
        CompletionQueue forSends = queue(16);
        CompletionQueue forReceives = queue(16);
        Connection pair = completingIn(forSends, forReceives);
        here.receive(pair.qp, 0, pair.local, AT + 100, 10);
        there.request(0, 5, SendOpcode.SEND, pair.remote, AT, 10);
        there.post(pair.peer);
        WorkCompletions into = entries(4);
        pollUntil(forReceives, into, 4, 1);
        assertThat(forSends.poll(into, 4)).isZero();
        postWrites(pair, 0, 1, SendFlags.SIGNALED);
        pollUntil(forSends, into, 4, 1);
        assertThat(forReceives.poll(into, 4)).isZero();
    }

    /** Two queue pairs share one queue: the completions of each are in order. */
    @Test
    void shouldShareAQueueBetweenQueuePairs() {
        Connection one = fixture.connection(QueuePairType.RC);
        Connection other =
                fixture.closing(new Connection(fixture, here.create(QueuePairType.RC), there.create(QueuePairType.RC)));
        other.connect();
        postWrites(one, 0, 20, SendFlags.SIGNALED);
        postWrites(other, 0, 20, SendFlags.SIGNALED);
        int ofOne = 0;
        int ofOther = 0;
        while (ofOne + ofOther < 40) {
            Completion completion = fixture.next(here, "SUCCESS (0)");
            if (completion.qpn() == one.qp.number()) {
                assertThat(completion.wrId()).isEqualTo(ofOne++);
            } else {
                assertThat(completion.qpn()).isEqualTo(other.qp.number());
                assertThat(completion.wrId()).isEqualTo(ofOther++);
            }
        }
        assertThat(ofOne).isEqualTo(20);
    }

    @Test
    void whenAQueueIsOverrunThenPollingReturnsItsCompletionsAndThenAnError() {
        needs(Trait.POLL_REPORTS_OVERRUN);
        CompletionQueue queue = queue(4);
        Connection pair = completingIn(queue, queue);
        int tooMany = queue.capacity() + 3;
        for (int i = 0; i < tooMany; i++) {
            postWrites(pair, i, 1, SendFlags.SIGNALED);
        }
        long until = System.nanoTime() + 100_000_000;
        while (System.nanoTime() < until) {
            here.poll();
            there.poll();
        }
        pollUntil(queue, entries(16), 16, queue.capacity());
        assertThat(queue.poll(entries(16), 16)).isEqualTo(-Errno.EIO);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 100, 1000})
    void shouldHoldAtLeastTheRequestedNumber(int entries) {
        assertThat(queue(entries).capacity()).isGreaterThanOrEqualTo(entries);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, Integer.MAX_VALUE})
    void shouldRejectAnImpossibleSize(int entries) {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> here.context.createCompletionQueue(entries))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void whenTheQueueIsClosedThenPollingFails() {
        CompletionQueue queue = queue(4);
        queue.close();
        assertThat(queue.poll(entries(4), 4)).isEqualTo(-Errno.EINVAL);
    }

    @Test
    void shouldKeepCompletionsWhenTheQueueGrows() {
        CompletionQueue queue = queue(8);
        Connection pair = completingIn(queue, queue);
        WorkCompletions into = entries(16);
        postWrites(pair, 0, 1, SendFlags.SIGNALED);
        pollUntil(queue, into, 8, 1);
        assertThat(ifThere(() -> queue.resize(100))).isGreaterThanOrEqualTo(100);
        assertThat(queue.capacity()).isGreaterThanOrEqualTo(100);
        postWrites(pair, 0, 30, SendFlags.SIGNALED);
        pollUntil(queue, into, 16, 30);
    }

    @Test
    void whenThereIsNoChannelThenNotificationFails() {
        CompletionQueue queue = queue(4);
        assertThat(queue.channel()).isNull();
        assertThat(queue.requestNotification(false)).isIn(Errno.EINVAL, Errno.EOPNOTSUPP);
    }
}
