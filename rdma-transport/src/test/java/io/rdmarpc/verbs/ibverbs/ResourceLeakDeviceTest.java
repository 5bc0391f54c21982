package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/**
 * Opens and closes everything many times ({@code rdma.test.cycles}; 10 000 for the full run). Afterwards the file
 * descriptors, locked memory, mappings of the device and the kernel's list of objects must be unchanged. The JVM also
 * maps and unmaps memory itself (code, heaps of malloc, threads). The number of all mappings is therefore compared
 * after a warm-up. It may grow by what the JVM needs, but not with the number of cycles.
 */
@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(7200)
@DisplayName("Opening and closing")
class ResourceLeakDeviceTest {

    private static final int CYCLES = Integer.getInteger("rdma.test.cycles", 300);
    private static final int WARM_UP = 100;
    private static final int CONNECTED_EVERY = 100;
    private static final int JVM_NOISE = 24;

    /**
     * The resources of a process.
     *
     * @param descriptors number of open file descriptors
     * @param deviceMappings mappings of the device's files
     * @param mappings number of all mappings
     * @param pinned the lines VmPin and VmLck
     * @param kernel the kernel's RDMA objects of all devices
     */
    private record Held(long descriptors, long deviceMappings, long mappings, List<String> pinned, String kernel) {

        static Held now() throws IOException {
            System.gc();
            List<String> maps = Files.readAllLines(Path.of("/proc/self/maps"));
            try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
                return new Held(
                        open.count(),
                        maps.stream()
                                .filter(line -> line.contains("infiniband") || line.contains("uverbs"))
                                .count(),
                        maps.size(),
                        Files.readAllLines(Path.of("/proc/self/status")).stream()
                                .filter(line -> line.startsWith("VmPin") || line.startsWith("VmLck"))
                                .toList(),
                        Command.run("rdma", "resource", "show"));
            }
        }
    }

    @Test
    @DisplayName("frees all resources (rdma.test.cycles)")
    void shouldFreeAllResources(TestReporter reporter) throws IOException {
        try (Arena arena = Arena.ofShared()) {
            MemorySegment memory = arena.allocate(1 << 16, 4096);
            run(memory, WARM_UP);
            Held before = Held.now();
            run(memory, CYCLES / 2);
            Held middle = Held.now();
            run(memory, CYCLES - CYCLES / 2);
            Held after = Held.now();
            reporter.publishEntry(
                    Map.of("cycles", "" + CYCLES, "before", "" + before, "middle", "" + middle, "after", "" + after));

            assertThat(after.descriptors()).isEqualTo(before.descriptors());
            assertThat(after.deviceMappings()).isZero();
            assertThat(after.pinned()).isEqualTo(before.pinned());
            assertThat(after.kernel()).isEqualTo(before.kernel());
            assertThat(after.mappings() - middle.mappings())
                    .as("mappings: %s, %s, %s", before.mappings(), middle.mappings(), after.mappings())
                    .isLessThanOrEqualTo(JVM_NOISE);
        }
    }

    /** Tests the check itself: open objects change each figure. */
    @Test
    void shouldSeeResourcesOfOpenObjects() throws IOException {
        Held before = Held.now();
        try (DeviceFixture fixture = new DeviceFixture()) {
            fixture.create(QueuePairType.UD);
            fixture.register(1 << 20, AccessFlag.LOCAL_WRITE);
            Held open = Held.now();

            assertThat(open.descriptors()).isGreaterThan(before.descriptors());
            assertThat(open.deviceMappings()).isPositive();
            assertThat(open.pinned()).isNotEqualTo(before.pinned());
            assertThat(open.kernel()).isNotEqualTo(before.kernel());
        }
    }

    private static void run(MemorySegment memory, int cycles) {
        for (int i = 0; i < cycles; i++) {
            if (i % CONNECTED_EVERY == 0) {
                connectedCycle();
            } else {
                cycle(memory, i);
            }
        }
    }

    /** rxe needs a third of a second to close a connection, so that most cycles leave queue pairs in RESET. */
    private static void connectedCycle() {
        try (DeviceFixture fixture = new DeviceFixture()) {
            fixture.connect(fixture.create(QueuePairType.RC), fixture.create(QueuePairType.RC));
            fixture.register(1 << 16, AccessFlag.LOCAL_WRITE);
        }
    }

    /** Alternates three ways to close: by the context, one by one, and by the parents. */
    private static void cycle(MemorySegment memory, int number) {
        try (RdmaContext context =
                new IbverbsProvider().devices(Map.of()).getFirst().open()) {
            ProtectionDomain domain = context.allocateProtectionDomain();
            CompletionChannel channel = context.createCompletionChannel();
            CompletionQueue cq = context.createCompletionQueue(64, channel);
            MemoryRegion region = domain.registerMemory(memory, Set.of(AccessFlag.LOCAL_WRITE));
            QueuePair qp = domain.createQueuePair(new QueuePairConfig(
                    number % 2 == 0 ? QueuePairType.RC : QueuePairType.UD,
                    cq,
                    cq,
                    new QueuePairCapabilities(16, 16, 1, 1, 0),
                    false));
            if (number % 8 == 0) {
                context.onAsyncEvent(event -> {});
            }
            if (number % 3 == 1) {
                qp.close();
                region.close();
                cq.close();
                channel.close();
                domain.close();
            } else if (number % 3 == 2) {
                channel.close();
                domain.close();
            }
        }
    }
}
