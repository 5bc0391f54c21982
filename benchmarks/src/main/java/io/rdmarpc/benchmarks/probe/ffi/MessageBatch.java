package io.rdmarpc.benchmarks.probe.ffi;

import static io.rdmarpc.benchmarks.probe.ffi.Libc.INT;
import static io.rdmarpc.benchmarks.probe.ffi.Libc.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Datagrams for one system call: an array of {@code struct mmsghdr} (sys/socket.h), each with one
 * {@code struct iovec} and a buffer.
 *
 * <pre>
 *   mmsghdr  byte 0         8            16        24          32       40        48     56
 *                 msg_name  msg_namelen  msg_iov   msg_iovlen  control  its len   flags  msg_len   64 bytes
 *   iovec    byte 0         8
 *                 iov_base  iov_len                                                                16 bytes
 * </pre>
 */
public final class MessageBatch {

    private static final int HEADER_BYTES = 64;
    private static final int MSG_IOV = 16;
    private static final int MSG_IOVLEN = 24;
    private static final int IOVEC_BYTES = 16;
    private static final int IOV_LEN = 8;
    private static final int MSG_DONTWAIT = 0x40;

    private static final MethodHandle SENDMMSG = Libc.function("sendmmsg", INT, INT, LONG, INT, INT);
    private static final MethodHandle RECVMMSG = Libc.function("recvmmsg", INT, INT, LONG, INT, INT, LONG);

    private final long headers;
    private final int count;

    /** Creates datagrams of the same size; their content is not used. */
    public MessageBatch(Arena arena, int count, int bytes) {
        MemorySegment array = arena.allocate((long) count * HEADER_BYTES, 64);
        MemorySegment vectors = arena.allocate((long) count * IOVEC_BYTES, 64);
        MemorySegment buffers = arena.allocate((long) count * bytes, 64);
        for (int i = 0; i < count; i++) {
            long header = (long) i * HEADER_BYTES;
            long vector = (long) i * IOVEC_BYTES;
            vectors.set(ValueLayout.JAVA_LONG, vector, buffers.address() + (long) i * bytes);
            vectors.set(ValueLayout.JAVA_LONG, vector + IOV_LEN, bytes);
            array.set(ValueLayout.JAVA_LONG, header + MSG_IOV, vectors.address() + vector);
            array.set(ValueLayout.JAVA_LONG, header + MSG_IOVLEN, 1);
        }
        this.headers = array.address();
        this.count = count;
    }

    /** Sends datagrams to the connected peer without blocking. Returns how many were sent, or -1. */
    public int send(int descriptor, int first, int number) {
        try {
            return (int) SENDMMSG.invokeExact(descriptor, headers + (long) first * HEADER_BYTES, number, MSG_DONTWAIT);
        } catch (Throwable e) {
            throw Libc.impossible(e);
        }
    }

    /** Receives datagrams without blocking. Returns how many were received, or -1 if there were none. */
    public int receive(int descriptor) {
        try {
            return (int) RECVMMSG.invokeExact(descriptor, headers, count, MSG_DONTWAIT, 0L);
        } catch (Throwable e) {
            throw Libc.impossible(e);
        }
    }
}
