package io.rdmarpc.verbs.ibverbs.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ffi.LibC;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Tests the calls of the C library, with another eventfd instead of a device's descriptor. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
@DisplayName("A wait for a file descriptor")
class DescriptorWaitTest {

    private static final long LONG = TimeUnit.SECONDS.toNanos(50);

    private final Arena arena = Arena.ofAuto();
    private final MemorySegment value = arena.allocateFrom(ValueLayout.JAVA_LONG, 1);
    private final int descriptor = LibC.eventfd(LibC.EFD_CLOEXEC).descriptor("", errno -> "");
    private final DescriptorWait wait = DescriptorWait.on(descriptor, "test0");

    @AfterEach
    void close() {
        wait.close();
        LibC.close(descriptor);
    }

    private void makeReadable() {
        assertThat(LibC.write(descriptor, value.address(), Long.BYTES)).isEqualTo(Long.BYTES);
    }

    private long read() {
        return LibC.read(arena.allocate(LibC.CALL_STATE), descriptor, value.address(), Long.BYTES);
    }

    @Test
    void whenTheDescriptorIsReadableThenTheWaitEnds() {
        makeReadable();

        assertThat(wait.await(LONG)).isTrue();
        assertThat(wait.await(0)).isTrue();
        assertThat(read()).isEqualTo(Long.BYTES);
        assertThat(wait.await(0)).isFalse();
    }

    @Test
    void shouldMakeTheDescriptorNonBlocking() {
        assertThat(read()).isEqualTo(-Errno.EAGAIN);
    }

    @Test
    void shouldEndAfterTheTimeOut() {
        for (long nanos : new long[] {1, 999_999, 1_000_001, 30_000_000}) {
            long start = System.nanoTime();
            assertThat(wait.await(nanos)).isFalse();
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(nanos);
        }
    }

    @Test
    void shouldEndOnceForSeveralWakeUps() {
        wait.wakeUp();
        wait.wakeUp();

        assertThat(wait.await(LONG)).isFalse();
        long start = System.nanoTime();
        assertThat(wait.await(20_000_000)).isFalse();
        assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
    }

    @Test
    void whenAnotherThreadWakesItThenTheWaitEnds() throws Exception {
        FutureTask<Boolean> waiting = new FutureTask<>(() -> wait.await(LONG));
        Thread.ofPlatform().daemon().start(waiting);
        Thread.sleep(Duration.ofMillis(20));
        wait.wakeUp();

        assertThat(waiting.get(30, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void whenWokenThenAReadableDescriptorIsReported() {
        makeReadable();
        wait.wakeUp();

        assertThat(wait.await(LONG)).isTrue();
        read();
        assertThat(wait.await(0)).isFalse();
    }

    @Test
    void shouldRejectAnInvalidDescriptor() {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> DescriptorWait.on(-1, "test0"))
                .withMessageContaining("fcntl on test0")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(9));
    }
}
