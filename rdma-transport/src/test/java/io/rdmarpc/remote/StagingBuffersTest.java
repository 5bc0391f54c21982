package io.rdmarpc.remote;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.concurrent.NanoClock;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@DisplayName("A staging buffer")
class StagingBuffersTest {

    private final MemoryCore core = MemoryCore.open(
            RemoteMemoryConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0")),
            NanoClock.SYSTEM);
    private final StagingBuffers staging = core.staging();
    private final CompletableFuture<Void> operation = new CompletableFuture<>();
    private final AtomicReference<LocalRegion> lent = new AtomicReference<>();

    @AfterEach
    void close() {
        core.close();
    }

    private CompletableFuture<byte[]> start() {
        return staging.useAsync(
                100,
                slice -> {
                    lent.set(slice.region());
                    return operation;
                },
                LocalSlice::toBytes);
    }

    private LocalRegion next() {
        return staging.use(100, LocalSlice::region);
    }

    @Test
    void whenAnOperationIsInProgressThenTheNextUsesAnotherBuffer() {
        CompletableFuture<byte[]> end = start();
        assertThat(next()).isNotSameAs(lent.get());
        operation.complete(null);
        assertThat(end).isCompletedWithValueMatching(bytes -> bytes.length == 100);
    }

    @Test
    void whenAnOperationHasEndedThenItsBufferIsReused() {
        var _ = start();
        operation.complete(null);
        assertThat(next()).isSameAs(lent.get());
    }

    @Test
    @DisplayName("is reused after an operation whose future was cancelled")
    void whenTheFutureIsCancelledThenTheBufferIsReused() {
        assertThat(start().cancel(true)).isTrue();
        operation.complete(null);
        assertThat(next()).isSameAs(lent.get());
    }

    @Test
    @DisplayName("is not reused after a failure, because the device may still access it")
    void whenAnOperationFailsThenItsBufferIsNotReused() {
        CompletableFuture<byte[]> end = start();
        operation.completeExceptionally(new IllegalStateException("on purpose"));
        assertThat(end).isCompletedExceptionally();
        assertThat(next()).isNotSameAs(lent.get());
    }
}
