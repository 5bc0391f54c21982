package io.rdmarpc.verbs.soft.ffi;

import io.rdmarpc.verbs.ffi.LibC;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A kernel counter with which one thread wakes another one of the same process ({@code eventfd(2)}). No thread reads
 * it: {@link Epoll} watches for each write instead, which saves a system call per wake-up. It is never passed to
 * another process, which could block its writers: peers get a {@link Bell}.
 */
public final class EventFd implements AutoCloseable {

    private static final MemorySegment ONE = Arena.global().allocateFrom(ValueLayout.JAVA_LONG, 1);

    private final int descriptor;

    private EventFd(int descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * Creates an eventfd.
     *
     * @param device the device's name, for the message of a failure
     */
    public static EventFd open(String device) {
        return new EventFd(LibC.eventfd(LibC.EFD_NONBLOCK | LibC.EFD_CLOEXEC)
                .descriptor(
                        device, errno -> "Cannot create an eventfd. Check for too many open descriptors: ulimit -n"));
    }

    public int descriptor() {
        return descriptor;
    }

    /** Wakes the waiting thread, or the next thread that waits. Any thread, until {@link #close}. */
    public void ring() {
        // The only possible error is a full counter, after 2^64 wake-ups.
        long ignored = LibC.write(descriptor, ONE.address(), Long.BYTES);
    }

    @Override
    public void close() {
        LibC.close(descriptor);
    }
}
