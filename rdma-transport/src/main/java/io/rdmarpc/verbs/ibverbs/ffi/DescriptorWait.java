package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.Reply;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/**
 * Sleeps until a file descriptor has something to read, or another thread says so through an {@code eventfd}.
 *
 * <pre>
 *   struct pollfd {      byte       [0] the descriptor, set non-blocking here: the reader drains it
 *       int   fd;           0       [1] the eventfd of wakeUp
 *       short events;       4
 *       short revents;      6
 *   };                      8
 * </pre>
 *
 * One thread waits at a time. The owner sees to it that nobody waits or wakes after {@link #close}: a closed
 * descriptor's number may belong to something else a moment later.
 */
public final class DescriptorWait {

    static final int POLLFD_BYTES = 8;
    static final int EVENTS = 4;
    static final int REVENTS = 6;

    private static final int DESCRIPTORS = 2;
    private static final long NANOS_PER_MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final MemorySegment ONE = Arena.global().allocateFrom(ValueLayout.JAVA_LONG, 1);

    /** An automatic arena: the owner may be forgotten without being closed. */
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
     * Gets ready to wait; the descriptor never blocks a reader from now on.
     *
     * @param descriptor stays the caller's
     * @param device the device's name, for messages
     */
    public static DescriptorWait on(int descriptor, String device) {
        LibC.setNonBlocking(descriptor)
                .descriptor(device, errno -> "File descriptor " + descriptor + " is not one for events");
        int eventfd = LibC.eventfd(LibC.EFD_NONBLOCK | LibC.EFD_CLOEXEC)
                .descriptor(device, errno -> "No file descriptor for wake-ups: are too many open? See ulimit -n");
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
     * Waits. A signal does not end the wait; it may last up to a millisecond longer than asked for.
     *
     * @param nanos how long at most; 0 only looks
     * @return true when the descriptor has something or is broken, which a read will tell; false after a wake-up or the
     *     time
     */
    public boolean await(long nanos) {
        long start = System.nanoTime();
        long left = nanos;
        int ready;
        do {
            ready = LibC.poll(callState, descriptors.address(), DESCRIPTORS, millis(left));
            left = nanos - (System.nanoTime() - start);
        } while (ready == -LibC.EINTR || (ready == 0 && left > 0));
        if (ready < 0) {
            new Reply("poll", -1, -ready).check(device, errno -> "Waiting for events is not possible");
        }
        return ready > 0 && takeReady();
    }

    /** The wake-up is taken with the event when both are there: either way the waiting thread returns. */
    private boolean takeReady() {
        if (isReady(1)) {
            LibC.read(callState, eventfd, counter.address(), Long.BYTES);
        }
        return isReady(0);
    }

    /** Rounds up: a wait that ends too early would be repeated with nothing left to wait. */
    private static int millis(long nanos) {
        long millis = nanos <= 0 ? 0 : (nanos - 1) / NANOS_PER_MILLI + 1;
        return (int) Math.min(millis, Integer.MAX_VALUE);
    }

    /** Makes the present wait, else the next one, return. Any thread. */
    public void wakeUp() {
        // The one possible rejection is that the counter is full: then a wake-up waits there already.
        long ignored = LibC.write(eventfd, ONE.address(), Long.BYTES);
    }

    /** Frees the eventfd. The descriptor that was waited for stays open. */
    public void close() {
        LibC.close(eventfd);
    }
}
