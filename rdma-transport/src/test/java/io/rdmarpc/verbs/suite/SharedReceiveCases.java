package io.rdmarpc.verbs.suite;

import static io.rdmarpc.verbs.suite.Connection.AT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shared receive queues. */
abstract class SharedReceiveCases extends VerbsCases {

    SharedReceiveCases(SuiteProvider provider) {
        super(provider);
    }

    private SharedReceiveQueue queue() {
        return fixture.closing(there.domain.createSharedReceiveQueue(16, 2));
    }

    private Connection connection(SharedReceiveQueue queue) {
        QueuePair peer =
                there.domain.createQueuePair(there.config(QueuePairType.RC).withSharedReceiveQueue(queue));
        return fixture.closing(new Connection(fixture, here.create(QueuePairType.RC), peer))
                .connect(Connection.OPEN.withRetries(14, 7, QueuePairAttributes.RNR_RETRY_INFINITE));
    }

    private void receive(SharedReceiveQueue queue, long wrId, long offset, int length) {
        MemoryRegion into = fixture.remote;
        there.receives.set(0, wrId, into.address() + offset, length, into.lkey());
        there.receives.setNext(0, -1);
        assertThat(queue.postReceive(there.receives, 0)).isZero();
    }

    @Test
    void shouldServeTwoConnections() {
        SharedReceiveQueue queue = queue();
        Connection one = connection(queue);
        Connection other = connection(queue);
        receive(queue, 1, AT, 100);
        receive(queue, 2, AT + 100, 100);
        one.post(3, SendOpcode.SEND, 10);
        fixture.success(here, 3);
        other.post(4, SendOpcode.SEND, 20);
        fixture.success(here, 4);

        Completion first = fixture.success(there, 1);
        assertThat(first.qpn()).isEqualTo(one.peer.number());
        assertThat(first.byteLength()).isEqualTo(10);
        Completion second = fixture.success(there, 2);
        assertThat(second.qpn()).isEqualTo(other.peer.number());
        assertThat(second.byteLength()).isEqualTo(20);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 100, 20_000})
    void shouldRetryUntilAReceiveIsPosted(int length) {
        SharedReceiveQueue queue = queue();
        Connection pair = connection(queue);
        pair.post(1, SendOpcode.SEND, length);
        fixture.silence(here);
        receive(queue, 2, AT, length);
        pair.sent(1);
        assertThat(pair.received(2).byteLength()).isEqualTo(length);
    }

    @Test
    void shouldServeWritesWithImmediateData() {
        SharedReceiveQueue queue = queue();
        Connection pair = connection(queue);
        receive(queue, 1, AT, 0);
        pair.request(2, SendOpcode.RDMA_WRITE_WITH_IMM, 3000).setImmediate(0, 55);
        pair.post();
        pair.sent(2);
        Completion received = pair.received(1);
        assertThat(received.immediate()).isEqualTo(55);
        assertThat(received.byteLength()).isEqualTo(3000);
    }

    @Test
    void shouldConsumeReceivesInTheOrderOfPosting() {
        SharedReceiveQueue queue = queue();
        Connection one = connection(queue);
        Connection other = connection(queue);
        for (int i = 0; i < 16; i++) {
            receive(queue, i, AT + 64L * i, 64);
        }
        for (int i = 0; i < 16; i++) {
            Connection pair = i % 3 == 0 ? one : other;
            pair.local.segment().set(ValueLayout.JAVA_BYTE, AT, (byte) i);
            pair.post(100 + i, SendOpcode.SEND, 1);
            fixture.success(here, 100 + i);
            assertThat(fixture.success(there, i).qpn()).isEqualTo(pair.peer.number());
            assertThat(pair.remote.segment().get(ValueLayout.JAVA_BYTE, AT + 64L * i))
                    .isEqualTo((byte) i);
        }
    }

    /** The receives belong to the queue: a failed queue pair does not flush receives that it has not consumed. */
    @Test
    void whenAQueuePairFailsThenTheReceivesRemainForOthers() {
        SharedReceiveQueue queue = queue();
        Connection one = connection(queue);
        Connection other = connection(queue);
        receive(queue, 1, AT, 100);
        VerbsFixture.fail(one.peer);
        fixture.silence(there);
        other.post(2, SendOpcode.SEND, 7);
        fixture.success(here, 2);
        assertThat(fixture.success(there, 1).qpn()).isEqualTo(other.peer.number());
    }

    @Test
    void shouldRejectReceivesPostedToItsQueuePairs() {
        Connection pair = connection(queue());
        there.receives.set(0, 1, fixture.remote.address(), 8, fixture.remote.lkey());
        there.receives.setNext(0, -1);
        assertThat(pair.peer.postReceive(there.receives, 0)).isEqualTo(Errno.EINVAL);
    }

    @Test
    void whenTheQueueIsFullThenThePostReturnsEnomem() {
        SharedReceiveQueue queue = queue();
        int posted = 0;
        int errno = 0;
        while (errno == 0) {
            there.receives.set(0, posted, fixture.remote.address(), 8, fixture.remote.lkey());
            there.receives.setNext(0, -1);
            errno = queue.postReceive(there.receives, 0);
            posted += errno == 0 ? 1 : 0;
            assertThat(posted).isLessThan(1000);
        }
        assertThat(errno).isEqualTo(Errno.ENOMEM);
        assertThat(posted).isGreaterThanOrEqualTo(queue.maxWr());
    }

    @Test
    void whenAReceiveHasTooManyEntriesThenItsIndexIsReported() {
        SharedReceiveQueue queue = queue();
        there.receives.set(0, 1, fixture.remote.address(), 8, fixture.remote.lkey());
        there.receives.set(1, 2, queue.maxSge() + 1);
        there.receives.chain(0, 2);
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> queue.postReceive(there.receives, 0))
                .satisfies(e -> assertThat(e.index()).isEqualTo(1));
        assertThat(there.receives.badIndex()).isEqualTo(1);
    }

    @Test
    void shouldReturnTheArmedLimit() {
        SharedReceiveQueue queue = queue();
        for (int i = 0; i < 4; i++) {
            receive(queue, i, AT, 8);
        }
        assertThat(queue.queryLimit()).isZero();
        ifThere(() -> {
            queue.armLimit(2);
            return queue;
        });
        assertThat(queue.queryLimit()).isEqualTo(2);
    }

    @Test
    void shouldRejectAQueueOverTheLimits() {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> there.domain.createSharedReceiveQueue(1 << 24, 1))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> there.domain.createSharedReceiveQueue(16, 10_000));
    }

    @Test
    void shouldServeTwoDatagramQueuePairs() {
        SharedReceiveQueue queue = queue();
        QueuePair one = there.ready(fixture.closing(
                there.domain.createQueuePair(there.config(QueuePairType.UD).withSharedReceiveQueue(queue))));
        QueuePair other = there.ready(fixture.closing(
                there.domain.createQueuePair(there.config(QueuePairType.UD).withSharedReceiveQueue(queue))));
        QueuePair sender = fixture.sender();
        long handle = fixture.closing(here.handleTo(there)).handle();
        receive(queue, 1, AT, 200);
        receive(queue, 2, AT, 200);
        Set<Integer> seen = new HashSet<>();
        for (QueuePair to : new QueuePair[] {one, other}) {
            here.request(0, 5, SendOpcode.SEND, fixture.local, AT, 16).setDatagram(0, handle, to.number(), End.QKEY);
            here.post(sender);
            fixture.success(here, 5);
            seen.add(fixture.next(there, "SUCCESS (0)").qpn());
        }
        assertThat(seen).containsExactlyInAnyOrder(one.number(), other.number());
    }
}
