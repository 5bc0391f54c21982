package io.rdmarpc.verbs.soft.ffi;

import io.rdmarpc.verbs.ffi.LibC;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A counter in the kernel by which one thread wakes another one of the same process ({@code eventfd(2)}). Nothing reads it: {@link Epoll}
 * watches for each write instead, which saves a system call for each wake-up. It is not handed to other processes, which could make a
 * write to it wait: they are given a {@link Bell}.
 */
public final class EventFd implements AutoCloseable {

    private static final MemorySegment ONE = Arena.global().allocateFrom(ValueLayout.JAVA_LONG, 1);

    private final int descriptor;

    private EventFd(int descriptor) {
        this.descriptor = descriptor;
    }

    /**
     * Makes one.
     *
     * @param device the device's name, for the message of a failure
     */
    public static EventFd open(String device) {
        return new EventFd(LibC.eventfd(LibC.EFD_NONBLOCK | LibC.EFD_CLOEXEC)
                .descriptor(device, errno -> "No file descriptor for wake-ups: are too many open? See ulimit -n"));
    }

    public int descriptor() {
        return descriptor;
    }

    /** Wakes whoever waits, else whoever waits next. Any thread, until {@link #close}. */
    public void ring() {
        // The one possible rejection is a full counter, after 2^64 wake-ups.
        long ignored = LibC.write(descriptor, ONE.address(), Long.BYTES);
    }

    @Override
    public void close() {
        LibC.close(descriptor);
    }
}
