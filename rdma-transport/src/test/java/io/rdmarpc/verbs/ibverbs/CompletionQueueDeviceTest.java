package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
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
@DisplayName("A completion queue")
class CompletionQueueDeviceTest {

    private final DeviceFixture fixture = new DeviceFixture();
    private final WorkCompletions completions = WorkCompletions.allocate(fixture.arena, 64);

    @AfterEach
    void close() {
        fixture.close();
    }

    @Test
    void shouldKeepCompletionsWhenResized() {
        CompletionQueue cq = fixture.context.createCompletionQueue(8);
        SelfSender sender = new SelfSender(fixture, cq, 16);
        for (int i = 0; i < 4; i++) {
            sender.receive(i);
            sender.sendQuietly();
        }

        int grown = cq.resize(500);
        assertThat(grown).isGreaterThanOrEqualTo(500).isEqualTo(cq.capacity());
        int shrunk = cq.resize(16);
        assertThat(shrunk).isGreaterThanOrEqualTo(16).isLessThan(500).isEqualTo(cq.capacity());

        SelfSender.take(cq, completions, 4);
        sender.receive(4);
        sender.send(5);
        SelfSender.take(cq, completions, 2);
    }

    @Test
    void whenTheSizeIsOverTheLimitThenResizingFails() {
        CompletionQueue cq = fixture.context.createCompletionQueue(8);
        int before = cq.capacity();
        int limit = fixture.context.attributes().maxCqe();

        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> cq.resize(limit + 1))
                .withMessageContaining("ibv_resize_cq on " + fixture.context.deviceName())
                .withMessageContaining((limit + 1) + " entries were requested instead of " + before)
                .withMessageContaining("limit is " + limit);
        assertThat(cq.capacity()).isEqualTo(before);
    }

    /** rxe continues with an overrun queue: only the event reports that completions are lost. */
    @Test
    @DisplayName("FL-10: CQ_ERR reports an overrun, and the completions in the queue can still be polled")
    void whenOverrunThenCqErrIsDelivered() throws InterruptedException {
        CompletionQueue cq = fixture.context.createCompletionQueue(4);
        BlockingQueue<AsyncEvent> events = new LinkedBlockingQueue<>();
        fixture.context.onAsyncEvent(events::add);
        int depth = 4 * cq.capacity() + 16;
        SelfSender sender = new SelfSender(fixture, cq, depth);
        int messages = cq.capacity() + 4;
        for (int i = 0; i < messages; i++) {
            sender.receive(i);
        }
        for (int i = 0; i < messages; i++) {
            sender.sendQuietly();
        }

        AsyncEvent event = events.poll(20, TimeUnit.SECONDS);
        assertThat(event).isNotNull();
        assertThat(event.type()).isEqualTo(AsyncEventType.CQ_ERR);
        assertThat(event.type().isFatal()).isTrue();
        assertThat(event.completionQueue()).isSameAs(cq);
        assertThat(event.deviceName()).isEqualTo(fixture.context.deviceName());
        int there = cq.poll(completions, completions.capacity());
        assertThat(there).isBetween(1, messages - 1);
        assertThat(completions.wrId(0)).isZero();
        cq.close();
    }
}
