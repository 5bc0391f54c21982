package io.rdmarpc.verbs.soft.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ibverbs.ffi.CCompiler;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@EnabledOnOs(OS.LINUX)
@Timeout(60)
@DisplayName("Waiting for descriptors")
class EpollTest {

    private static final Duration SHORT = Duration.ofMillis(30);

    private final Epoll set = Epoll.open("test");
    private final TimerFd timer = TimerFd.open("test");
    private final EventFd bell = EventFd.open("test");

    @AfterEach
    void close() {
        set.close();
        timer.close();
        bell.close();
    }

    @Test
    @DisplayName("has the layouts and codes of the C headers")
    void shouldHaveTheLayoutsAndCodesOfTheCHeaders(@TempDir Path directory) throws IOException, InterruptedException {
        CCompiler compiler = new CCompiler(directory);
        Path program = compiler.program("""
                #include <stdio.h>
                #include <stddef.h>
                #include <sys/epoll.h>
                #include <sys/timerfd.h>
                #include <time.h>
                int main(void) {
                    printf("%zu %zu\\n", sizeof(struct epoll_event), offsetof(struct epoll_event, data));
                    printf("%d %d %d %d\\n", EPOLLIN, (int) EPOLLET, EPOLL_CTL_ADD, EPOLL_CLOEXEC);
                    printf("%zu %zu %zu\\n", sizeof(struct itimerspec), offsetof(struct itimerspec, it_value.tv_sec),
                            offsetof(struct itimerspec, it_value.tv_nsec));
                    printf("%d %d %d\\n", CLOCK_MONOTONIC, TFD_NONBLOCK, TFD_CLOEXEC);
                    return 0;
                }
                """, "layouts");
        Process process = new ProcessBuilder(program.toString()).start();
        List<String> lines = process.inputReader().lines().toList();

        assertThat(lines)
                .containsExactly(
                        Epoll.EVENT_BYTES + " " + Epoll.DATA,
                        Epoll.EPOLLIN + " " + Epoll.EPOLLET + " " + Epoll.EPOLL_CTL_ADD + " " + Epoll.EPOLL_CLOEXEC,
                        TimerFd.LAYOUT.byteSize() + " "
                                + CStruct.offset(TimerFd.LAYOUT, "it_value", "tv_sec") + " "
                                + CStruct.offset(TimerFd.LAYOUT, "it_value", "tv_nsec"),
                        TimerFd.CLOCK_MONOTONIC + " " + TimerFd.TFD_NONBLOCK + " " + TimerFd.TFD_CLOEXEC);
    }

    /** Arms a timer and waits; returns how long both took. */
    private Duration waitFor(TimerFd armed) {
        long start = System.nanoTime();
        armed.arm(SHORT.toNanos());
        set.await();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    void shouldEndWithTheTimer() {
        set.watchEdges(timer.descriptor());

        assertThat(waitFor(timer)).isGreaterThanOrEqualTo(SHORT);
    }

    @Test
    @DisplayName("ends once for each time the timer fires, although no thread reads it")
    void whenATimerFiresThenOneWaitEnds() {
        set.watchEdges(timer.descriptor());
        timer.arm(1);
        set.await();

        assertThat(waitFor(timer)).isGreaterThanOrEqualTo(SHORT);
    }

    @Test
    void whenATimerIsDisarmedThenItEndsNoWait() {
        set.watchEdges(timer.descriptor());
        timer.arm(Duration.ofMillis(1).toNanos());
        timer.disarm();
        TimerFd second = TimerFd.open("test");
        set.watchEdges(second.descriptor());

        assertThat(waitFor(second)).isGreaterThanOrEqualTo(SHORT);
        second.close();
    }

    @Test
    @DisplayName("ends with a ring before it or during it, once for each")
    void whenRungThenOneWaitEnds() throws InterruptedException {
        set.watchEdges(bell.descriptor());
        set.watchEdges(timer.descriptor());
        bell.ring();
        set.await();

        assertThat(waitFor(timer)).isGreaterThanOrEqualTo(SHORT);

        Thread waiting = Thread.ofPlatform().start(set::await);
        bell.ring();
        waiting.join();
    }

    @Test
    void whenADescriptorIsReadableThenEveryWaitEnds() {
        set.watch(bell.descriptor());
        bell.ring();
        set.await();
        set.await();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment counter = arena.allocate(ValueLayout.JAVA_LONG);
            assertThat(LibC.read(arena.allocate(LibC.CALL_STATE), bell.descriptor(), counter.address(), Long.BYTES))
                    .isEqualTo(Long.BYTES);
        }
        set.watchEdges(timer.descriptor());

        assertThat(waitFor(timer)).isGreaterThanOrEqualTo(SHORT);
    }

    @Test
    void shouldRejectAnInvalidDescriptor() {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> set.watch(-1))
                .withMessageContaining("epoll_ctl")
                .withMessageContaining("Cannot add file descriptor -1 to the epoll set");
    }
}
