package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import io.rdmarpc.verbs.connect.QueuePairConnector;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
@DisplayName("A software RNIC with a progress thread")
class ProgressThreadTest {

    private static final long PATIENCE_NANOS = 30_000_000_000L;
    private static final ConnectionSettings OPEN = ConnectionSettings.DEFAULTS
            .withAccess(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_ATOMIC)
            .withReads(4, 4);
    private static final String NAME = "rdma-progress-soft0";

    private final Arena arena = Arena.ofShared();
    private final End asking = new End("owner");
    private final End passive = new End("thread");

    /** One end of a connection. */
    private final class End {
        final RdmaContext context;
        final ProtectionDomain domain;
        final CompletionChannel channel;
        final CompletionQueue cq;
        final MemoryRegion memory;
        final QueuePair qp;
        final QueuePairConnector connector;

        End(String progress) {
            context = open(progress);
            domain = context.allocateProtectionDomain();
            channel = context.createCompletionChannel();
            cq = context.createCompletionQueue(64, channel);
            memory = domain.registerMemory(
                    arena.allocate(64 << 10),
                    Set.of(
                            AccessFlag.LOCAL_WRITE,
                            AccessFlag.REMOTE_READ,
                            AccessFlag.REMOTE_WRITE,
                            AccessFlag.REMOTE_ATOMIC));
            QueuePairConfig config =
                    new QueuePairConfig(QueuePairType.RC, cq, cq, new QueuePairCapabilities(8, 8, 1, 1, 0), false);
            qp = domain.createQueuePair(config);
            connector = QueuePairConnector.prepare(
                    qp, context, 1, context.gidTable(1).getFirst(), OPEN);
        }
    }

    private static RdmaContext open(String progress) {
        return new SoftProvider()
                .devices(Map.of("soft.addresses", "127.0.0.1", "soft.port", "0", "soft.progress", progress))
                .getFirst()
                .open();
    }

    @AfterEach
    void close() {
        asking.context.close();
        passive.context.close();
        arena.close();
    }

    private void connect() {
        asking.connector.complete(passive.connector.endpoint());
        passive.connector.complete(asking.connector.endpoint());
    }

    private SendRequests request(End from, End to, int opcode, int length) {
        SendRequests sends = SendRequests.allocate(arena, 1, 1);
        sends.set(0, 1, opcode, SendFlags.SIGNALED, 1);
        sends.setSge(0, 0, from.memory.address(), length, from.memory.lkey());
        if (opcode == SendOpcode.ATOMIC_FETCH_AND_ADD) {
            sends.setFetchAndAdd(0, to.memory.address(), to.memory.rkey(), 5);
        } else {
            sends.setRemote(0, to.memory.address(), to.memory.rkey());
        }
        sends.chain(0, 1);
        return sends;
    }

    private void awaitSuccess(End end) {
        WorkCompletions completions = WorkCompletions.allocate(arena, 1);
        long limit = System.nanoTime() + PATIENCE_NANOS;
        while (end.cq.poll(completions, 1) == 0) {
            assertThat(System.nanoTime() - limit).as("nanoseconds late").isNegative();
        }
        assertThat(completions.status(0)).isZero();
    }

    @Test
    void shouldRejectMemoryThatItsThreadMayNotAccess() {
        try (Arena confined = Arena.ofConfined()) {
            MemorySegment memory = confined.allocate(64);

            assertThatThrownBy(() -> passive.domain.registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE)))
                    .isInstanceOf(RdmaVerbsException.class)
                    .hasMessageContaining("Arena.ofShared()");
            asking.domain.registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE)).close();
        }
    }

    @Test
    void whenNoThreadPollsThenItResponds() {
        connect();
        passive.memory.segment().set(ValueLayout.JAVA_LONG, 0, 37);
        for (int opcode : List.of(SendOpcode.ATOMIC_FETCH_AND_ADD, SendOpcode.RDMA_READ, SendOpcode.RDMA_WRITE)) {
            int length = opcode == SendOpcode.ATOMIC_FETCH_AND_ADD ? 8 : 64 << 10;
            assertThat(asking.qp.postSend(request(asking, passive, opcode, length), 0))
                    .isZero();
            awaitSuccess(asking);
        }
        assertThat(asking.memory.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
        assertThat(passive.memory.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(42);
    }

    @Test
    @DisplayName("sends the requests of a user that does not poll")
    void whenItsUserDoesNotPollThenItSends() {
        connect();
        ReceiveRequests receives = ReceiveRequests.allocate(arena, 1);
        receives.set(0, 7, asking.memory.address(), 64 << 10, asking.memory.lkey());
        receives.chain(0, 1);
        assertThat(asking.qp.postReceive(receives, 0)).isZero();
        assertThat(passive.qp.postSend(request(passive, asking, SendOpcode.SEND, 64 << 10), 0))
                .isZero();

        awaitSuccess(asking);
    }

    @Test
    void shouldWakeItsUserFromAChannel() {
        connect();
        assertThat(passive.cq.requestNotification(false)).isZero();
        assertThat(passive.qp.postSend(request(passive, asking, SendOpcode.RDMA_WRITE, 8), 0))
                .isZero();
        Thread peer = Thread.ofPlatform().daemon().start(() -> {
            // The requester has no progress thread, so its owner has to poll for the acknowledgment to be sent.
            WorkCompletions nothing = WorkCompletions.allocate(Arena.ofAuto(), 1);
            while (!Thread.currentThread().isInterrupted() && asking.cq.poll(nothing, 1) == 0) {
                Thread.onSpinWait();
            }
        });

        assertThat(passive.channel.await(Duration.ofSeconds(30))).isEqualTo(1);
        peer.interrupt();
    }

    @Test
    @DisplayName("or without one: a thread that sleeps on a channel handles the timeouts of other threads' requests")
    void shouldWakeForATimeOutThatIsDueBeforeItsOwn() throws InterruptedException {
        connect();
        passive.context.close();
        assertThat(asking.cq.requestNotification(false)).isZero();
        AtomicInteger events = new AtomicInteger();
        Thread waiting =
                Thread.ofPlatform().daemon().start(() -> events.set(asking.channel.await(Duration.ofSeconds(60))));
        Thread.sleep(50);
        assertThat(asking.qp.postSend(request(asking, passive, SendOpcode.RDMA_WRITE, 8), 0))
                .isZero();

        waiting.join(Duration.ofSeconds(50));
        assertThat(events).hasValue(1);
        WorkCompletions completions = WorkCompletions.allocate(arena, 1);
        assertThat(asking.cq.poll(completions, 1)).isEqualTo(1);
        assertThat(completions.status(0)).isEqualTo(CompletionStatus.RETRY_EXC_ERR);
    }

    @Test
    void whenBusyPollersStopThenItContinues() {
        connect();
        WorkCompletions nothing = WorkCompletions.allocate(arena, 1);
        long end = System.nanoTime() + 50_000_000;
        while (System.nanoTime() - end < 0) {
            assertThat(passive.cq.poll(nothing, 1)).isZero();
        }
        assertThat(asking.qp.postSend(request(asking, passive, SendOpcode.RDMA_READ, 8), 0))
                .isZero();

        awaitSuccess(asking);
    }

    private void readsFor(long nanos, Runnable meanwhile) {
        SendRequests read = request(asking, passive, SendOpcode.RDMA_READ, 4096);
        WorkCompletions completions = WorkCompletions.allocate(arena, 1);
        long start = System.nanoTime();
        while (System.nanoTime() - start < nanos) {
            assertThat(asking.qp.postSend(read, 0)).isZero();
            do {
                meanwhile.run();
                assertThat(System.nanoTime() - start - nanos)
                        .as("nanoseconds late")
                        .isLessThan(PATIENCE_NANOS);
            } while (asking.cq.poll(completions, 1) == 0);
            assertThat(completions.status(0)).isZero();
        }
    }

    @Test
    @DisplayName("leaves the work to other polling threads, also if it began to drive before they polled")
    void whenOthersPollABusyRnicThenItYields() {
        connect();
        WorkCompletions nothing = WorkCompletions.allocate(arena, 1);
        readsFor(20_000_000, () -> {});
        Thread thread = Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals(NAME))
                .findAny()
                .orElseThrow();
        readsFor(20_000_000, () -> passive.cq.poll(nothing, 1));
        long before = ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.threadId());
        readsFor(400_000_000, () -> passive.cq.poll(nothing, 1));
        long used = ManagementFactory.getThreadMXBean().getThreadCpuTime(thread.threadId()) - before;

        assertThat(used).as("nanoseconds on a processor").isLessThan(150_000_000);
    }

    @Test
    void shouldLeaveNoThread() {
        long before = progressThreads();
        List<RdmaContext> contexts = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            contexts.add(open("thread"));
        }
        assertThat(progressThreads()).isEqualTo(before + 50);

        contexts.forEach(RdmaContext::close);

        assertThat(progressThreads()).isEqualTo(before);
    }

    private static long progressThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(NAME))
                .count();
    }

    @Test
    void shouldBeTheDefault() {
        long before = progressThreads();
        try (RdmaContext context = new SoftProvider()
                .devices(Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"))
                .getFirst()
                .open()) {
            assertThat(context.deviceName()).isEqualTo("soft0");
            assertThat(progressThreads()).isEqualTo(before + 1);
        }
    }
}
