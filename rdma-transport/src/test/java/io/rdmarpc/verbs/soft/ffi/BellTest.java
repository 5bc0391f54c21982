package io.rdmarpc.verbs.soft.ffi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.Reply;
import io.rdmarpc.verbs.soft.ffi.Bell.Silence;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Bells of peers that misuse their descriptor. A call that blocks fails by the timeout. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 30, threadMode = ThreadMode.SEPARATE_THREAD)
class BellTest {

    private static final long AT_ONCE_NANOS = 1;

    private static final ControlCall FCNTL =
            LibC.cold("fcntl", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32, CStruct.U32));
    private static final ControlCall DUP = LibC.cold("dup", FunctionDescriptor.of(CStruct.U32, CStruct.U32));
    private static final ControlCall SHUTDOWN =
            LibC.cold("shutdown", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32));
    private static final ControlCall SEND = LibC.cold(
            "send", FunctionDescriptor.of(CStruct.U64, CStruct.U32, CStruct.POINTER, CStruct.U64, CStruct.U32));

    private final Bell bell = Bell.open("test");
    private final Epoll set = Epoll.open("test");
    private final TimerFd timer = TimerFd.open("test");

    /** The end that another peer has. */
    private int hostile;

    private Bell.Ringer ringer;

    @BeforeEach
    void handOver() throws IOException {
        hostile = copyOf(bell.ringer());
        ringer = Bell.Ringer.received(copyOf(bell.ringer()));
        set.watchEdges(bell.descriptor());
        set.watchEdges(timer.descriptor());
    }

    @AfterEach
    void close() {
        ringer.close();
        LibC.close(hostile);
        set.close();
        timer.close();
        bell.close();
    }

    /** Duplicates a descriptor as SCM_RIGHTS does: both refer to the same socket, with the same flags. */
    private static int copyOf(int descriptor) {
        return (int) DUP.call(descriptor).value();
    }

    private Reply send(int descriptor, long bytes) {
        try (Arena arena = Arena.ofConfined()) {
            return SEND.call(descriptor, arena.allocate(16).address(), bytes, LibSocket.MSG_DONTWAIT);
        }
    }

    private void fill() {
        while (send(hostile, 1).value() == 1) {
            // Rings until the buffer is full.
        }
    }

    private boolean hasRung() {
        timer.arm(AT_ONCE_NANOS);
        do {
            set.await();
        } while (!set.hasEndedWait(bell.descriptor()) && !set.hasEndedWait(timer.descriptor()));
        return set.hasEndedWait(bell.descriptor());
    }

    private void silenceAll() {
        while (Bell.silence(bell.descriptor()) == Silence.PARTIAL) {
            // Reads all rings.
        }
    }

    @Test
    void shouldEndASleepForEachRing() {
        for (int i = 0; i < 3; i++) {
            assertThat(ringer.ring()).isTrue();
            set.await();
            assertThat(set.hasEndedWait(bell.descriptor())).isTrue();
            assertThat(Bell.silence(bell.descriptor())).isEqualTo(Silence.COMPLETE);
        }
        assertThat(hasRung()).isFalse();
    }

    @Test
    void whenAPeerFillsTheBellAndMakesItBlockingThenARingReturns() {
        Reply _ = FCNTL.call(hostile, LibC.F_SETFL, 0);
        fill();
        assertThat(LibC.statusFlags(bell.ringer()).value() & LibC.O_NONBLOCK)
                .as("the flags of all holders")
                .isZero();
        assertThat(send(hostile, 1).capturedErrno()).as("the bell is full").isEqualTo(Errno.EAGAIN);

        assertThat(ringer.ring()).isTrue();

        assertThat(hasRung()).isTrue();
    }

    @Test
    void whenTheFlagsAreBlockingThenSilenceReturnsWithoutARing() {
        Reply _ = FCNTL.call(bell.descriptor(), LibC.F_SETFL, 0);

        assertThat(Bell.silence(bell.descriptor())).isEqualTo(Silence.COMPLETE);
    }

    @Test
    void whenAPeerRingsOftenThenSilenceReadsSomeAndReportsMore() {
        for (int i = 0; i <= Bell.MAX_PER_CALL; i++) {
            assertThat(send(hostile, 1).value()).isOne();
        }

        assertThat(Bell.silence(bell.descriptor())).isEqualTo(Silence.PARTIAL);
        assertThat(Bell.silence(bell.descriptor())).isEqualTo(Silence.COMPLETE);
    }

    @Test
    void whenAFullBellIsSilencedThenTheNextRingEndsASleep() {
        fill();
        silenceAll();
        assertThat(hasRung()).as("before").isFalse();

        assertThat(ringer.ring()).isTrue();

        assertThat(hasRung()).isTrue();
    }

    @Test
    void whenAPeerShutsTheBellDownThenARingReportsItAndTheBellIsBroken() {
        Reply _ = SHUTDOWN.call(hostile, Bell.SHUT_RDWR);

        assertThat(ringer.ring()).isFalse();
        assertThat(Bell.silence(bell.descriptor())).isEqualTo(Silence.BROKEN);
    }

    @Test
    void whenAPeerSendsAnEmptyMessageThenTheBellIsShutDownForAll() {
        assertThat(send(hostile, 0).value()).isZero();

        assertThat(Bell.silence(bell.descriptor())).isEqualTo(Silence.BROKEN);

        assertThat(ringer.ring()).isFalse();
    }

    @Test
    void whenADescriptorIsNoBellThenItIsRejectedAndClosed() {
        int other = (int) LibC.eventfd(LibC.EFD_CLOEXEC).value();

        assertThatIOException()
                .isThrownBy(() -> Bell.Ringer.received(other))
                .withMessageContaining("is not a socket of a bell");

        assertThat(LibC.statusFlags(other).capturedErrno()).isEqualTo(Errno.EBADF);
    }

    @Test
    void whenOneRingFollowsAnotherThenEachIsReceived() throws InterruptedException {
        for (int i = 0; i < 200; i++) {
            Thread ringing = Thread.ofPlatform().start(ringer::ring);
            set.await();
            ringing.join();
            silenceAll();
        }
        assertThat(hasRung()).isFalse();
    }
}
