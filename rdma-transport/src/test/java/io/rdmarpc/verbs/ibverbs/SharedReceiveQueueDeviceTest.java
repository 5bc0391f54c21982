package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
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
@DisplayName("A shared receive queue of a device")
class SharedReceiveQueueDeviceTest {

    private DeviceFixture fixture;
    private SharedReceiveQueue shared;
    private MemoryRegion memory;
    private ReceiveRequests receives;

    @BeforeEach
    void open() {
        fixture = new DeviceFixture();
        shared = fixture.domain.createSharedReceiveQueue(16, 2);
        memory = fixture.register(4096, AccessFlag.LOCAL_WRITE);
        receives = ReceiveRequests.allocate(fixture.arena, 8, 2);
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private QueuePairConfig config() {
        return fixture.config(QueuePairType.RC, ConnectedPair.SMALL).withSharedReceiveQueue(shared);
    }

    /** A queue pair that uses the shared receive queue, and its sending peer. */
    private QueuePair senderTo(QueuePair receiver) {
        QueuePair sender = fixture.create(QueuePairType.RC);
        ConnectedPair.connect(fixture, sender, receiver, ConnectedPair.OPEN);
        return sender;
    }

    private void post(int count) {
        for (int i = 0; i < count; i++) {
            receives.set(i, 100 + i, 2);
            receives.setSge(i, 0, memory.address() + 64L * i, 4, memory.lkey());
            receives.setSge(i, 1, memory.address() + 64L * i + 32, 28, memory.lkey());
        }
        receives.chain(0, count);
        assertThat(shared.postReceive(receives, 0)).isZero();
    }

    private void send(QueuePair sender, long wrId, int value) {
        memory.segment().set(ValueLayout.JAVA_INT, 2048, value);
        SendRequests send = SendRequests.allocate(fixture.arena, 1, 1);
        send.set(0, wrId, SendOpcode.SEND, SendFlags.SIGNALED, 1);
        send.setSge(0, 0, memory.address() + 2048, 4, memory.lkey());
        assertThat(sender.postSend(send, 0)).isZero();
    }

    @Test
    void shouldServeTwoQueuePairs() {
        QueuePair first = fixture.domain.createQueuePair(config());
        QueuePair second = fixture.domain.createQueuePair(config());
        QueuePair toFirst = senderTo(first);
        QueuePair toSecond = senderTo(second);
        assertThat(shared.maxWr()).isGreaterThanOrEqualTo(16);
        assertThat(shared.maxSge()).isGreaterThanOrEqualTo(2);
        post(2);

        send(toFirst, 1, 71);
        fixture.await(2);
        int received = fixture.indexOf(100, 2);
        assertThat(fixture.completions.qpNumber(received)).isEqualTo(first.number());
        assertThat(fixture.completions.byteLength(received)).isEqualTo(4);

        send(toSecond, 2, 72);
        fixture.await(2);
        assertThat(fixture.completions.qpNumber(fixture.indexOf(101, 2))).isEqualTo(second.number());
        assertThat(memory.segment().get(ValueLayout.JAVA_INT, 0)).isEqualTo(71);
        assertThat(memory.segment().get(ValueLayout.JAVA_INT, 64)).isEqualTo(72);
    }

    @Test
    void whenTheLimitIsReachedThenItIsDisarmed() {
        QueuePair sender = senderTo(fixture.domain.createQueuePair(config()));
        post(4);
        shared.armLimit(3);
        assertThat(shared.queryLimit()).isEqualTo(3);

        send(sender, 1, 1);
        fixture.await(2);
        assertThat(shared.queryLimit()).isEqualTo(3);
        send(sender, 2, 2);
        fixture.await(2);
        assertThat(shared.queryLimit()).isZero();
    }

    @Test
    void shouldReportThatTheLimitIsReached() throws InterruptedException {
        BlockingQueue<AsyncEvent> events = new LinkedBlockingQueue<>();
        fixture.context.onAsyncEvent(events::add);
        QueuePair sender = senderTo(fixture.domain.createQueuePair(config()));
        post(2);
        shared.armLimit(2);

        send(sender, 1, 1);
        fixture.await(2);

        AsyncEvent event = next(events, AsyncEventType.SRQ_LIMIT_REACHED);
        assertThat(event.sharedReceiveQueue()).isSameAs(shared);
        assertThat(event.queuePair()).isNull();
    }

    private static AsyncEvent next(BlockingQueue<AsyncEvent> events, AsyncEventType type) throws InterruptedException {
        AsyncEvent event;
        do {
            event = events.poll(30, TimeUnit.SECONDS);
        } while (event != null && event.type() != type);
        assertThat(event).as("an event of type %s", type).isNotNull();
        return event;
    }

    @Test
    void shouldRejectALimitOverItsSize() {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> shared.armLimit(1 << 20))
                .withMessageContaining("A limit of 1048576 was requested; the queue size is " + shared.maxWr());
    }

    @Test
    void shouldRejectReceivesPostedToItsQueuePairs() {
        QueuePair checked = fixture.domain.createQueuePair(config());
        QueuePair unchecked = fixture.domain.createQueuePair(config().unchecked());
        for (QueuePair qp : new QueuePair[] {checked, unchecked}) {
            qp.modify(fixture.toInit().accessFlags(0));
        }

        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> checked.postReceive(receives, 0))
                .withMessageContaining("uses a shared receive queue: post receives to that queue");
        assertThat(unchecked.postReceive(receives, 0)).isEqualTo(Errno.EINVAL);
    }

    @Test
    void shouldRejectSizesOverTheLimits() {
        ReceiveRequests wide = ReceiveRequests.allocate(fixture.arena, 1, 40);
        wide.set(0, 1, shared.maxSge() + 1);
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> shared.postReceive(wide, 0))
                .withMessageContaining("Receive 0 has " + (shared.maxSge() + 1) + " scatter/gather entries");

        int posted = 0;
        receives.set(0, 1, 0);
        while (posted < 1000 && shared.postReceive(receives, 0) == 0) {
            posted++;
        }
        assertThat(posted).isBetween(shared.maxWr(), 999);
        assertThat(shared.postReceive(receives, 0)).isEqualTo(Errno.ENOMEM);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> fixture.domain.createSharedReceiveQueue(1 << 30, 1))
                .withMessageContaining("1073741824 receives of 1 entries were requested");
    }

    @Test
    void shouldCloseTheQueuePairsThatUseIt() {
        QueuePair qp = fixture.domain.createQueuePair(config());
        post(1);

        shared.close();
        shared.close();

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(qp::queryState)
                .withMessageContaining("The queue pair is closed");
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> shared.postReceive(receives, 0))
                .withMessageContaining("The queue is closed");
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> fixture.domain.createQueuePair(config()))
                .withMessageContaining("The shared receive queue is closed");
    }

    @Test
    void shouldBelongToItsProtectionDomain() {
        SharedReceiveQueue foreign = fixture.context.allocateProtectionDomain().createSharedReceiveQueue(1, 1);
        QueuePairConfig config =
                fixture.config(QueuePairType.RC, ConnectedPair.SMALL).withSharedReceiveQueue(foreign);

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> fixture.domain.createQueuePair(config))
                .withMessageContaining("belongs to another protection domain");
    }
}
