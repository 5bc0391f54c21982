package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.AsyncEvent;
import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.RdmaContext.Subscription;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * FL-09 for the events that rxe delivers; {@link io.rdmarpc.verbs.ibverbs.device.AsyncEventsTest} injects the others.
 */
@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(120)
@DisplayName("FL-09: a device's asynchronous events")
class AsyncEventDeviceTest {

    private static final long PATIENCE_SECONDS = 30;

    private final DeviceFixture fixture = new DeviceFixture();
    private final BlockingQueue<AsyncEvent> events = new LinkedBlockingQueue<>();

    @AfterEach
    void close() {
        fixture.close();
    }

    /** Returns the next event of a type and skips others. */
    private AsyncEvent next(AsyncEventType type) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        AsyncEvent event = null;
        do {
            event = events.poll(Math.max(0, end - System.nanoTime()), TimeUnit.NANOSECONDS);
        } while (event != null && event.type() != type);
        assertThat(event).as("an event of type %s", type).isNotNull();
        return event;
    }

    private String interfaceName() throws IOException {
        // The test must not change the network of a real host.
        assumeTrue(System.getenv("SOFT_ROCE_VM") != null, "changes the network: only in the virtual machine");
        return Files.readString(
                        Path.of("/sys/class/infiniband", fixture.context.deviceName(), "ports/1/gid_attrs/ndevs/0"))
                .trim();
    }

    @Test
    void shouldReportThatThePortIsDownAndUpAgain() throws Exception {
        String link = interfaceName();
        fixture.context.onAsyncEvent(events::add);
        try {
            Command.run("ip", "link", "set", link, "down");
            AsyncEvent down = next(AsyncEventType.PORT_ERR);
            assertThat(down.portNumber()).isEqualTo(DeviceFixture.PORT);
            assertThat(down.deviceName()).isEqualTo(fixture.context.deviceName());
            assertThat(fixture.context.queryPort(DeviceFixture.PORT).isActive()).isFalse();
        } finally {
            Command.run("ip", "link", "set", link, "up");
        }
        assertThat(next(AsyncEventType.PORT_ACTIVE).portNumber()).isEqualTo(DeviceFixture.PORT);
        assertThat(fixture.context.queryPort(DeviceFixture.PORT).isActive()).isTrue();
        waitForTheGids();
    }

    /** Waits for the GIDs, which return a moment after the port and which the next test needs. */
    private void waitForTheGids() throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!fixture.context.gidTable(DeviceFixture.PORT).contains(fixture.gid)) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(20);
        }
    }

    @Test
    void shouldReportAChangedGidTable() throws Exception {
        String link = interfaceName();
        fixture.context.onAsyncEvent(events::add);
        Command.run("ip", "addr", "add", "10.1.0.77/24", "dev", link);
        try {
            assertThat(next(AsyncEventType.GID_CHANGE).portNumber()).isEqualTo(DeviceFixture.PORT);
        } finally {
            Command.run("ip", "addr", "del", "10.1.0.77/24", "dev", link);
        }
        assertThat(next(AsyncEventType.GID_CHANGE).portNumber()).isEqualTo(DeviceFixture.PORT);
    }

    @Test
    @DisplayName("contain their queue pair, which the listener may close")
    void shouldLetTheListenerCloseTheQueuePair() throws InterruptedException {
        QueuePair one = fixture.create(QueuePairType.RC);
        fixture.connect(one, fixture.create(QueuePairType.RC));
        fixture.context.onAsyncEvent(event -> {
            if (event.queuePair() != null) {
                event.queuePair().close();
            }
            events.add(event);
        });

        one.modify(new QueuePairAttributes().state(QueuePairState.SQD));

        assertThat(next(AsyncEventType.SQ_DRAINED).queuePair()).isSameAs(one);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(one::queryState)
                .withMessageContaining("The queue pair is closed");
    }

    @Test
    @DisplayName("FL-16: report a failed completion queue, and the listener may close the device")
    void shouldLetTheListenerCloseTheDevice() throws InterruptedException {
        CompletionQueue cq = fixture.context.createCompletionQueue(4);
        int messages = cq.capacity() + 2;
        SelfSender sender = new SelfSender(fixture, cq, 2 * messages);
        CountDownLatch allPosted = new CountDownLatch(1);
        fixture.context.onAsyncEvent(event -> {
            awaitQuietly(allPosted);
            fixture.context.close();
            events.add(event);
        });
        for (int i = 0; i < messages; i++) {
            sender.receive(i);
        }
        for (int i = 0; i < messages; i++) {
            sender.sendQuietly();
        }
        allPosted.countDown();

        AsyncEvent event = next(AsyncEventType.CQ_ERR);
        assertThat(event.completionQueue()).isSameAs(cq);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(fixture.context::allocateProtectionDomain)
                .withMessageContaining("The device is closed");
    }

    /** Posting to a queue pair while another thread closes it is an error, as in C. */
    private static void awaitQuietly(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldUseOneDaemonThreadThatEndsWithTheContext() throws InterruptedException {
        String name = "rdma-events-" + fixture.context.deviceName();
        Subscription first = fixture.context.onAsyncEvent(events::add);
        fixture.context.onAsyncEvent(events::add);
        assertThat(threads(name)).isEqualTo(1);
        first.close();
        first.close();

        fixture.context.close();

        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (threads(name) > 0) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(5);
        }
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> fixture.context.onAsyncEvent(events::add))
                .withMessageContaining("The device is closed");
    }

    private static long threads(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .filter(Thread::isDaemon)
                .count();
    }
}
