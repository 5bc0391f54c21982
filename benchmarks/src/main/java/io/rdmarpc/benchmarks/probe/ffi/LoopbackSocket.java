package io.rdmarpc.benchmarks.probe.ffi;

import static io.rdmarpc.benchmarks.probe.ffi.Libc.INT;
import static io.rdmarpc.benchmarks.probe.ffi.Libc.LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;

/**
 * A UDP socket on 127.0.0.1, accessed by its file descriptor.
 *
 * <pre>
 *   sockaddr_in  byte 0           2                4                       8
 *                     sin_family  sin_port (net)   sin_addr (net)          zero     16 bytes
 * </pre>
 */
public final class LoopbackSocket implements AutoCloseable {

    private static final int AF_INET = 2;
    private static final int SOCK_DGRAM = 2;
    private static final int ADDRESS_BYTES = 16;
    private static final int LOOPBACK = 0x7F00_0001;
    private static final ValueLayout.OfShort NETWORK_SHORT = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfInt NETWORK_INT = ValueLayout.JAVA_INT.withOrder(ByteOrder.BIG_ENDIAN);

    private static final MethodHandle SOCKET = Libc.function("socket", INT, INT, INT, INT);
    private static final MethodHandle BIND = Libc.function("bind", INT, INT, LONG, INT);
    private static final MethodHandle CONNECT = Libc.function("connect", INT, INT, LONG, INT);
    private static final MethodHandle GETSOCKNAME = Libc.function("getsockname", INT, INT, LONG, LONG);
    private static final MethodHandle CLOSE = Libc.function("close", INT, INT);

    private final int descriptor;
    private final MemorySegment address;
    private final MemorySegment addressLength;

    private LoopbackSocket(Arena arena, int descriptor) {
        this.descriptor = descriptor;
        this.address = arena.allocate(ADDRESS_BYTES, Long.BYTES);
        this.addressLength = arena.allocate(INT);
    }

    /** Opens a socket on a port that the kernel selects. */
    public static LoopbackSocket open(Arena arena) {
        try {
            int descriptor = checked("socket", (int) SOCKET.invokeExact(AF_INET, SOCK_DGRAM, 0));
            LoopbackSocket socket = new LoopbackSocket(arena, descriptor);
            checked("bind", (int) BIND.invokeExact(descriptor, socket.at(0), ADDRESS_BYTES));
            return socket;
        } catch (Throwable e) {
            throw rethrown(e);
        }
    }

    public int descriptor() {
        return descriptor;
    }

    public int port() {
        addressLength.set(INT, 0, ADDRESS_BYTES);
        try {
            int status = (int) GETSOCKNAME.invokeExact(descriptor, address.address(), addressLength.address());
            checked("getsockname", status);
        } catch (Throwable e) {
            throw rethrown(e);
        }
        return Short.toUnsignedInt(address.get(NETWORK_SHORT, 2));
    }

    public void connect(int port) {
        try {
            checked("connect", (int) CONNECT.invokeExact(descriptor, at(port), ADDRESS_BYTES));
        } catch (Throwable e) {
            throw rethrown(e);
        }
    }

    private long at(int port) {
        address.fill((byte) 0);
        address.set(ValueLayout.JAVA_SHORT, 0, (short) AF_INET);
        address.set(NETWORK_SHORT, 2, (short) port);
        address.set(NETWORK_INT, 4, LOOPBACK);
        return address.address();
    }

    private static int checked(String call, int result) {
        if (result < 0) {
            throw new IllegalStateException(call + " of a UDP socket on 127.0.0.1 failed");
        }
        return result;
    }

    private static RuntimeException rethrown(Throwable e) {
        if (e instanceof IllegalStateException failure) {
            return failure;
        }
        throw Libc.impossible(e);
    }

    @Override
    public void close() {
        try {
            int ignored = (int) CLOSE.invokeExact(descriptor);
        } catch (Throwable e) {
            throw Libc.impossible(e);
        }
    }
}
