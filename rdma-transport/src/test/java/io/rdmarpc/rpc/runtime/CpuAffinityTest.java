package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.rpc.runtime.ffi.CpuAffinity;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@DisplayName("A polling thread that is bound to a processor")
@Timeout(60)
class CpuAffinityTest {

    private static final Duration PARK = Duration.ofMillis(1);

    @Test
    @EnabledOnOs(OS.LINUX)
    @DisplayName("runs only there; other threads are not bound")
    void whenBoundThenItMayUseOneProcessor() throws IOException {
        AtomicInteger inside = new AtomicInteger();
        PollingThread thread = new PollingThread("rdma-poll-bound", IdlePolicy.ADAPTIVE, 1, PARK, firstAllowed());
        int outside = CpuAffinity.count();
        thread.start(
                () -> {
                    inside.set(CpuAffinity.count());
                    return 0;
                },
                () -> false,
                new LoopOwnership());
        Runtimes.await("a duty cycle", () -> inside.get() > 0);
        thread.stop(Runtimes.LONG);

        assertThat(inside.get()).isOne();
        assertThat(CpuAffinity.count()).isEqualTo(outside);
    }

    private static int firstAllowed() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("Cpus_allowed_list:"))
                .map(line -> line.replaceAll("^\\D*(\\d+).*$", "$1"))
                .map(Integer::parseInt)
                .findFirst()
                .orElseThrow();
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    @DisplayName("that the process may not use runs anyway")
    void whenThereIsNoSuchProcessorThenItRunsAnywhere() {
        AtomicInteger cycles = new AtomicInteger();
        PollingThread thread =
                new PollingThread("rdma-poll-bound", IdlePolicy.ADAPTIVE, 1, PARK, CpuAffinity.MAX_CPUS - 1);
        thread.start(cycles::incrementAndGet, () -> false, new LoopOwnership());
        Runtimes.await("a duty cycle", () -> cycles.get() > 0);

        assertThat(thread.stop(Runtimes.LONG)).isTrue();
    }

    @Test
    @DisplayName("is rejected with a reason if no such processor can exist")
    void whenTheNumberIsImpossibleThenItIsRejected() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> new PollingThread("x", IdlePolicy.BUSY, 1, PARK, CpuAffinity.MAX_CPUS))
                .withMessageContaining("polling.cpus");
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> PollingConfig.DEFAULTS.withCpus(List.of(-1)));
    }
}
