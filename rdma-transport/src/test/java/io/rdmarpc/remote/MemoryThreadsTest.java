package io.rdmarpc.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.remote.RemoteMemoryException.Reason;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@DisplayName("The threads of remote memory")
class MemoryCoreTest {

    private static MemoryCore open() {
        return MemoryCore.open(
                RemoteMemoryConfig.DEFAULTS.withProvider(
                        "soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0")),
                NanoClock.SYSTEM);
    }

    @Test
    @DisplayName("what changes what is lent runs on the control thread or not at all: after the end on none")
    void whenItIsClosedThenControlTasksAreNotRun() {
        MemoryCore core = open();
        CompletableFuture<String> thread = new CompletableFuture<>();
        assertThat(core.onControl(() -> thread.complete(Thread.currentThread().getName())))
                .isTrue();
        assertThat(Memories.get(thread)).startsWith("rdma-memory-");
        core.close();
        AtomicInteger run = new AtomicInteger();
        assertThat(core.onControl(run::incrementAndGet)).isFalse();
        assertThatExceptionOfType(RemoteMemoryException.class)
                .isThrownBy(() -> core.controlOrFail().execute(run::incrementAndGet))
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.CLOSED));
        assertThat(run).hasValue(0);
    }

    @Test
    @DisplayName("what was handed to the control thread before the end is done")
    void whenItIsClosedThenTasksBeforeAreDone() {
        MemoryCore core = open();
        AtomicInteger run = new AtomicInteger();
        for (int i = 0; i < 100; i++) {
            core.onControl(run::incrementAndGet);
        }
        core.close();
        assertThat(run).hasValue(100);
    }
}
