package io.rdmarpc.verbs.soft.ffi;

import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.Reply;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A counter in the kernel by which one thread wakes another one, of this process or of another ({@code eventfd(2)}). Nobody reads it: {@link Epoll} watches for
 * each write instead, which saves a system call for each wake-up.
 */
public final class EventFd implements AutoCloseable {

    private static final MemorySegment ONE = Arena.global().allocateFrom(ValueLayout.JAVA_LONG, 1);

    private static final Path OWN_DESCRIPTORS = Path.of("/proc/self/fd");
    private static final String KIND = "anon_inode:[eventfd]";

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

    /**
     * Takes one of another process, which is closed when it is something else.
     *
     * @throws IOException when it is no such counter, or a write to it could wait
     */
    public static EventFd received(int descriptor) throws IOException {
        EventFd unknown = new EventFd(descriptor);
        try {
            String kind = Files.readSymbolicLink(OWN_DESCRIPTORS.resolve(Integer.toString(descriptor)))
                    .toString();
            Reply flags = LibC.statusFlags(descriptor);
            if (kind.equals(KIND) && flags.value() >= 0 && (flags.value() & LibC.O_NONBLOCK) != 0) {
                return unknown;
            }
            throw new IOException(kind + " with flags " + flags.value() + " is not written to for wake-ups");
        } catch (IOException e) {
            unknown.close();
            throw e;
        }
    }

    public int descriptor() {
        return descriptor;
    }

    /** Wakes whoever waits, else whoever waits next. Any thread, until {@link #close}. */
    public void ring() {
        // The one possible refusal is a full counter, after 2^64 wake-ups.
        long ignored = LibC.write(descriptor, ONE.address(), Long.BYTES);
    }

    @Override
    public void close() {
        LibC.close(descriptor);
    }
}
