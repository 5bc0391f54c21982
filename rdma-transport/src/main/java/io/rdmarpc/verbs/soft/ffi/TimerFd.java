package io.rdmarpc.verbs.soft.ffi;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ffi.LibC;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.util.concurrent.TimeUnit;

/**
 * A timer that ends an {@link Epoll} wait ({@code timerfd_create(2)}). It has a resolution of nanoseconds. The timeout
 * of {@code epoll_wait} counts milliseconds and may be 50 µs late.
 *
 * <pre>
 *   struct itimerspec {                 byte
 *       struct timespec it_interval;       0    stays 0: no repetition
 *       struct timespec it_value;         16    seconds, nanoseconds from now; 0 disarms
 *   };                                    32
 * </pre>
 *
 * One thread at a time.
 */
public final class TimerFd implements AutoCloseable {

    static final int CLOCK_MONOTONIC = 1;
    static final int TFD_NONBLOCK = 0x800;
    static final int TFD_CLOEXEC = 0x80000;

    static final StructLayout TIMESPEC =
            CStruct.struct("timespec", CStruct.U64.withName("tv_sec"), CStruct.U64.withName("tv_nsec"));
    static final StructLayout LAYOUT =
            CStruct.struct("itimerspec", TIMESPEC.withName("it_interval"), TIMESPEC.withName("it_value"));

    private static final long SECONDS = CStruct.offset(LAYOUT, "it_value", "tv_sec");
    private static final long NANOS = CStruct.offset(LAYOUT, "it_value", "tv_nsec");
    private static final long NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);

    /** {@code int timerfd_create(int clockid, int flags)}. */
    private static final ControlCall CREATE =
            LibC.cold("timerfd_create", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32));

    /** {@code int timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)}. */
    private static final MemorySegment SET_TIME = LibC.symbol("timerfd_settime");

    private final int descriptor;
    private final MemorySegment value = Arena.ofAuto().allocate(LAYOUT);
    private boolean armed;

    private TimerFd(int descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * Creates a timer that is not armed.
     *
     * @param device the device's name, for the message of a failure
     */
    public static TimerFd open(String device) {
        return new TimerFd(CREATE.call(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)
                .descriptor(
                        device,
                        errno -> "Cannot create a timer descriptor. Check for too many open"
                                + " descriptors: ulimit -n"));
    }

    public int descriptor() {
        return descriptor;
    }

    /** Arms the timer to fire once after a time in nanoseconds; replaces an earlier time. */
    public void arm(long nanos) {
        armed = true;
        set(Math.max(1, nanos));
    }

    /** Disarms the timer. */
    public void disarm() {
        if (armed) {
            armed = false;
            set(0);
        }
    }

    private void set(long nanos) {
        value.set(CStruct.U64, SECONDS, nanos / NANOS_PER_SECOND);
        value.set(CStruct.U64, NANOS, nanos % NANOS_PER_SECOND);
        try {
            long ignored = (long) LibC.CALL.invokeExact(
                    SET_TIME, LibC.UNREAD_STATE, (long) descriptor, 0L, value.address(), 0L, 0L, 0L);
        } catch (Throwable e) {
            throw LibC.impossible(e);
        }
    }

    @Override
    public void close() {
        LibC.close(descriptor);
    }
}
