package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.Reply;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/**
 * Sleeps until a file descriptor is readable, or another thread wakes it through an {@code eventfd}.
 *
 * <pre>
 *   struct pollfd {      byte       [0] the descriptor, set to non-blocking: the reader drains it
 *       int   fd;           0       [1] the eventfd of wakeUp
 *       short events;       4
 *       short revents;      6
 *   };                      8
 * </pre>
 *
 * One thread waits at a time. The owner must not wait or wake after {@link #close}: the number of a closed descriptor
 * may be reused at once.
 */
public final class DescriptorWait {

    static final int POLLFD_BYTES = 8;
    static final int EVENTS = 4;
    static final int REVENTS = 6;

    private static final int DESCRIPTORS = 2;
    private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final MemorySegment ONE = Arena.global().allocateFrom(ValueLayout.JAVA_LONG, 1);

    /** An automatic arena, because the owner may become unreachable without being closed. */
    private final Arena arena = Arena.ofAuto();

    private final MemorySegment descriptors = arena.allocate((long) DESCRIPTORS * POLLFD_BYTES, Long.BYTES);
    private final MemorySegment callState = arena.allocate(LibC.CALL_STATE);
    private final MemorySegment counter = arena.allocate(ValueLayout.JAVA_LONG);
    private final int eventfd;
    private final String device;

    private DescriptorWait(int descriptor, int eventfd, String device) {
        this.eventfd = eventfd;
        this.device = device;
        watch(0, descriptor);
        watch(1, eventfd);
    }

    /**
     * Creates a wait for a descriptor, which becomes non-blocking.
     *
     * @param descriptor the descriptor; the caller keeps ownership
     * @param device the device's name, for messages
     */
    public static DescriptorWait on(int descriptor, String device) {
        LibC.setNonBlocking(descriptor)
                .descriptor(device, errno -> "File descriptor " + descriptor + " is not an event descriptor");
        int eventfd = LibC.eventfd(LibC.EFD_NONBLOCK | LibC.EFD_CLOEXEC)
                .descriptor(device, errno -> "No file descriptor for wake-ups: check the open file limit (ulimit -n)");
        return new DescriptorWait(descriptor, eventfd, device);
    }

    private void watch(int index, int descriptor) {
        descriptors.set(CStruct.U32, (long) index * POLLFD_BYTES, descriptor);
        descriptors.set(CStruct.U16, (long) index * POLLFD_BYTES + EVENTS, LibC.POLLIN);
    }

    private boolean isReady(int index) {
        return descriptors.get(CStruct.U16, (long) index * POLLFD_BYTES + REVENTS) != 0;
    }

    /**
     * Waits. A signal does not end the wait, which may exceed the timeout by up to a millisecond.
     *
     * @param nanos maximum time to wait; 0 polls once
     * @return true if the descriptor is readable, or has an error that a read will report; false after a wake-up or the
     *     timeout
     */
    public boolean await(long nanos) {
        long start = System.nanoTime();
        long remaining = nanos;
        int ready;
        do {
            ready = LibC.poll(callState, descriptors.address(), DESCRIPTORS, millis(remaining));
            remaining = nanos - (System.nanoTime() - start);
        } while (ready == -LibC.EINTR || (ready == 0 && remaining > 0));
        if (ready < 0) {
            new Reply("poll", -1, -ready).check(device, errno -> "Waiting for events failed");
        }
        return ready > 0 && consumeReady();
    }

    /** Consumes a wake-up together with an event: the waiting thread returns in either case. */
    private boolean consumeReady() {
        if (isReady(1)) {
            LibC.read(callState, eventfd, counter.address(), Long.BYTES);
        }
        return isReady(0);
    }

    /** Rounds up to milliseconds: a wait that ends too early would be repeated with a timeout of 0. */
    private static int millis(long nanos) {
        long millis = nanos <= 0 ? 0 : (nanos - 1) / NANOS_PER_MILLI + 1;
        return (int) Math.min(millis, Integer.MAX_VALUE);
    }

    /** Ends the current wait, or the next one if no thread waits. Thread-safe. */
    public void wakeUp() {
        // A write fails only if the counter is full: a wake-up is then already pending.
        long ignored = LibC.write(eventfd, ONE.address(), Long.BYTES);
    }

    /** Closes the eventfd. The descriptor itself stays open. */
    public void close() {
        LibC.close(eventfd);
    }
}
