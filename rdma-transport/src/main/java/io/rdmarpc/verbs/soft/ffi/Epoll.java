package io.rdmarpc.verbs.soft.ffi;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.Reply;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A set of file descriptors, any of which ends a wait ({@code epoll(7)}).
 *
 * <pre>
 *   struct epoll_event {      x86-64 (packed)     others
 *       uint32_t     events;         0               0
 *       epoll_data_t data;           4               8
 *   };                              12              16
 * </pre>
 *
 * One thread waits at a time.
 */
public final class Epoll implements AutoCloseable {

    static final int EPOLLIN = 1;
    static final int EPOLLET = 1 << 31;
    static final int EPOLL_CTL_ADD = 1;
    static final int EPOLL_CTL_DEL = 2;
    static final int EPOLL_CLOEXEC = 0x80000;

    private static final boolean PACKED = System.getProperty("os.arch", "").matches("amd64|x86_64");
    static final int DATA = PACKED ? 4 : 8;
    static final int EVENT_BYTES = DATA + Long.BYTES;

    private static final long MAX_EVENTS = 16;
    private static final long NO_TIMEOUT = -1;

    /** {@code int epoll_create1(int flags)}. */
    private static final ControlCall CREATE =
            LibC.cold("epoll_create1", FunctionDescriptor.of(CStruct.U32, CStruct.U32));

    /** {@code int epoll_ctl(int epfd, int op, int fd, struct epoll_event *event)}. */
    private static final ControlCall CONTROL = LibC.cold(
            "epoll_ctl", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32, CStruct.U32, CStruct.POINTER));

    /** {@code int epoll_wait(int epfd, struct epoll_event *events, int maxevents, int timeout)}. */
    private static final MemorySegment WAIT = LibC.symbol("epoll_wait");

    private final int descriptor;
    private final String device;
    private final MemorySegment events =
            Arena.ofAuto().allocate(MAX_EVENTS * EVENT_BYTES, ValueLayout.JAVA_LONG.byteAlignment());

    private int ready;

    private Epoll(int descriptor, String device) {
        this.descriptor = descriptor;
        this.device = device;
    }

    /**
     * Creates an empty set.
     *
     * @param device the device's name, for error messages
     */
    public static Epoll open(String device) {
        int descriptor = CREATE.call(EPOLL_CLOEXEC)
                .descriptor(
                        device,
                        errno -> "Cannot create an epoll descriptor. Check for too many open"
                                + " descriptors: ulimit -n");
        return new Epoll(descriptor, device);
    }

    /** Adds a descriptor that ends every wait as long as it is readable. */
    public void watch(int other) {
        add(other, EPOLLIN);
    }

    /** Adds a descriptor that ends one wait for each event (edge-triggered); it need not be read. */
    public void watchEdges(int other) {
        add(other, EPOLLIN | EPOLLET);
    }

    private void add(int other, int what) {
        events.set(CStruct.U32, 0, what);
        events.set(CStruct.U32, DATA, other);
        ready = 0;
        CONTROL.call(descriptor, EPOLL_CTL_ADD, other, events.address())
                .check(device, errno -> "Cannot add file descriptor " + other + " to the epoll set");
    }

    /** Removes a descriptor, which no longer ends waits. */
    public void remove(int other) {
        Reply _ = CONTROL.call(descriptor, EPOLL_CTL_DEL, other, 0L);
    }

    /** Sleeps until a descriptor or a signal ends the wait; there is no timeout. */
    public void await() {
        try {
            ready = (int) (long) LibC.CALL.invokeExact(
                    WAIT, LibC.UNREAD_STATE, (long) descriptor, events.address(), MAX_EVENTS, NO_TIMEOUT, 0L, 0L);
        } catch (Throwable e) {
            throw LibC.impossible(e);
        }
    }

    /**
     * Returns whether a descriptor has ended the last wait. If more than 16 have, the others are reported by the next
     * wait.
     */
    public boolean hasEndedWait(int other) {
        for (int i = 0; i < ready; i++) {
            if (events.get(CStruct.U32, (long) i * EVENT_BYTES + DATA) == other) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        LibC.close(descriptor);
    }
}
