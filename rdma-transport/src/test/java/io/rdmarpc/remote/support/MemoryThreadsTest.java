package io.rdmarpc.remote.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.remote.Memories;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@DisplayName("The threads of remote memory")
class MemoryThreadsTest {

    private final MemoryThreads threads = new MemoryThreads("test0");
    private final AtomicInteger run = new AtomicInteger();

    @Test
    @DisplayName("run control tasks on the control thread, and reject them after the close")
    void whenTheyAreClosedThenControlTasksAreRejected() {
        CompletableFuture<String> thread = new CompletableFuture<>();
        assertThat(threads.onControl(
                        () -> thread.complete(Thread.currentThread().getName())))
                .isTrue();
        assertThat(Memories.get(thread)).isEqualTo("rdma-memory-test0");
        threads.close();
        assertThat(threads.onControl(run::incrementAndGet)).isFalse();
        assertThatExceptionOfType(RdmaRemoteMemoryException.class)
                .isThrownBy(() -> threads.controlOrFail().execute(run::incrementAndGet))
                .satisfies(failure -> assertThat(failure.reason()).isEqualTo(Reason.CLOSED));
        threads.runLast(run::incrementAndGet);
        assertThat(run).hasValue(0);
    }

    @Test
    @DisplayName("run control tasks submitted before the close, in order")
    void whenTheyAreClosedThenEarlierTasksHaveRun() {
        for (int i = 0; i < 100; i++) {
            threads.onControl(run::incrementAndGet);
        }
        CompletableFuture<Integer> before = new CompletableFuture<>();
        threads.runLast(() -> before.complete(run.get()));
        threads.close();
        assertThat(before).isCompletedWithValue(100);
    }

    @Test
    @DisplayName("do not run callbacks of futures on the control thread")
    void whenAFutureCompletesThenItsCallbacksDoNotRunOnTheControlThread() {
        CompletableFuture<String> inner = new CompletableFuture<>();
        CompletableFuture<Boolean> virtual = threads.offControlThread(inner)
                .thenApply(_ -> Thread.currentThread().isVirtual());
        threads.onControl(() -> inner.complete("the end"));
        assertThat(Memories.get(virtual)).isTrue();
        threads.close();
    }

    @Test
    void whenATaskFailsThenTheNextOneRuns() {
        threads.onControl(() -> {
            throw new IllegalStateException("injected failure");
        });
        threads.runLast(run::incrementAndGet);
        assertThat(run).hasValue(1);
        threads.close();
    }
}
