package io.rdmarpc.verbs.soft.ffi;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ffi.LibC;
import io.rdmarpc.verbs.ffi.Reply;
import io.rdmarpc.verbs.ffi.SockAddrStruct;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.net.InetSocketAddress;

/**
 * Sockets of Linux. {@link #sendMany} and {@link #receiveMany}, and for one packet {@link #sendOne} and {@link
 * #receiveOne}, are called for each batch and allocate nothing. The other methods are called once for each socket. None
 * is a critical call, because a batch takes as long as a hundred short calls.
 */
public final class LibSocket {

    public static final int SOCK_DGRAM = 2;
    public static final int SOCK_NONBLOCK = 0x800;
    public static final int SOCK_CLOEXEC = 0x80000;

    public static final int SOL_SOCKET = 1;
    public static final int SO_SNDBUF = 7;
    public static final int SO_RCVBUF = 8;
    public static final int SO_SNDBUFFORCE = 32;
    public static final int SO_RCVBUFFORCE = 33;

    public static final int IPPROTO_IP = 0;
    public static final int IP_TOS = 1;
    public static final int IP_MTU_DISCOVER = 10;
    public static final int IP_RECVTOS = 13;
    public static final int IP_PMTUDISC_DO = 2;

    public static final int IPPROTO_IPV6 = 41;
    public static final int IPV6_MTU_DISCOVER = 23;
    public static final int IPV6_V6ONLY = 26;
    public static final int IPV6_RECVTCLASS = 66;
    public static final int IPV6_TCLASS = 67;

    /** Level of the options of UDP, from {@code linux/udp.h}. */
    public static final int SOL_UDP = 17;

    /**
     * Generic segmentation offload: the kernel cuts one buffer into datagrams of this size. A control message or an
     * option.
     */
    public static final int UDP_SEGMENT = 103;

    /** Generic receive offload: the kernel joins several datagrams of one size. */
    public static final int UDP_GRO = 104;

    static final int MSG_DONTWAIT = 0x40;

    /** {@code int sendmmsg(int sockfd, struct mmsghdr *msgvec, unsigned int vlen, int flags)}. */
    private static final MemorySegment SENDMMSG = LibC.symbol("sendmmsg");

    /**
     * {@code int recvmmsg(int sockfd, struct mmsghdr *msgvec, unsigned int vlen, int flags, struct timespec *timeout)}.
     */
    private static final MemorySegment RECVMMSG = LibC.symbol("recvmmsg");

    /**
     * {@code ssize_t sendto(int sockfd, const void *buf, size_t len, int flags, const struct sockaddr *dest_addr,
     * socklen_t addrlen)}.
     */
    private static final MemorySegment SENDTO = LibC.symbol("sendto");

    /** {@code ssize_t recvmsg(int sockfd, struct msghdr *msg, int flags)}. */
    private static final MemorySegment RECVMSG = LibC.symbol("recvmsg");

    /** {@code int socket(int domain, int type, int protocol)}. */
    private static final ControlCall SOCKET =
            LibC.cold("socket", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32, CStruct.U32));

    /** {@code int bind(int sockfd, const struct sockaddr *addr, socklen_t addrlen)}. */
    private static final ControlCall BIND =
            LibC.cold("bind", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.POINTER, CStruct.U32));

    /** {@code int connect(int sockfd, const struct sockaddr *addr, socklen_t addrlen)}. */
    private static final ControlCall CONNECT =
            LibC.cold("connect", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.POINTER, CStruct.U32));

    /** {@code int getsockname(int sockfd, struct sockaddr *addr, socklen_t *addrlen)}. */
    private static final ControlCall GETSOCKNAME =
            LibC.cold("getsockname", FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.POINTER, CStruct.POINTER));

    /** {@code int setsockopt(int sockfd, int level, int optname, const void *optval, socklen_t optlen)}. */
    private static final ControlCall SETSOCKOPT = LibC.cold(
            "setsockopt",
            FunctionDescriptor.of(CStruct.U32, CStruct.U32, CStruct.U32, CStruct.U32, CStruct.POINTER, CStruct.U32));

    /** {@code int getsockopt(int sockfd, int level, int optname, void *optval, socklen_t *optlen)}. */
    private static final ControlCall GETSOCKOPT = LibC.cold(
            "getsockopt",
            FunctionDescriptor.of(
                    CStruct.U32, CStruct.U32, CStruct.U32, CStruct.U32, CStruct.POINTER, CStruct.POINTER));

    /**
     * A handle that the compiler does not treat as constant, so that the call is compiled separately. A constant handle
     * is inlined into its callers, which in a long chain reach the inlining limit within the call. Then each call would
     * allocate a slice of the error number's memory, 40 bytes, on the heap.
     */
    private static final class PacketCall {

        private static final PacketCall ANY = new PacketCall(LibC.CALL);

        private final MethodHandle handle;

        private PacketCall(MethodHandle handle) {
            this.handle = handle;
        }
    }

    private LibSocket() {}

    /**
     * Sends messages of an array; returns the number of sent messages, or a negative error number if the first fails.
     */
    static int sendMany(MemorySegment callState, int socket, long messages, int count) {
        int sent;
        try {
            sent = (int) (long) PacketCall.ANY.handle.invokeExact(
                    SENDMMSG, callState, (long) socket, messages, (long) count, (long) MSG_DONTWAIT, 0L, 0L);
        } catch (Throwable e) {
            throw LibC.impossible(e);
        }
        return sent >= 0 ? sent : -LibC.errno(callState);
    }

    /** Receives into messages of an array; returns their number, or a negative error number. */
    static int receiveMany(MemorySegment callState, int socket, long messages, int count) {
        int received;
        try {
            received = (int) (long) PacketCall.ANY.handle.invokeExact(
                    RECVMMSG, callState, (long) socket, messages, (long) count, (long) MSG_DONTWAIT, 0L, 0L);
        } catch (Throwable e) {
            throw LibC.impossible(e);
        }
        return received >= 0 ? received : -LibC.errno(callState);
    }

    /** Sends one datagram; returns its length in bytes, or a negative error number. */
    static int sendOne(MemorySegment callState, int socket, long bytes, long length, long name, int nameBytes) {
        int sent;
        try {
            sent = (int) (long) PacketCall.ANY.handle.invokeExact(
                    SENDTO, callState, (long) socket, bytes, length, (long) MSG_DONTWAIT, name, (long) nameBytes);
        } catch (Throwable e) {
            throw LibC.impossible(e);
        }
        return sent >= 0 ? sent : -LibC.errno(callState);
    }

    /** Receives into one {@code struct msghdr}; returns the number of bytes, or a negative error number. */
    static int receiveOne(MemorySegment callState, int socket, long message) {
        int received;
        try {
            received = (int) (long) PacketCall.ANY.handle.invokeExact(
                    RECVMSG, callState, (long) socket, message, (long) MSG_DONTWAIT, 0L, 0L, 0L);
        } catch (Throwable e) {
            throw LibC.impossible(e);
        }
        return received >= 0 ? received : -LibC.errno(callState);
    }

    /** Creates a non-blocking UDP socket; the value is its descriptor. */
    public static Reply datagramSocket(int family) {
        return SOCKET.call(family, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    }

    public static Reply bind(int socket, InetSocketAddress address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = SockAddrStruct.allocate(arena, address);
            return BIND.call(socket, name.address(), (int) name.byteSize());
        }
    }

    /** Sets the destination of all datagrams of a socket. */
    public static Reply connect(int socket, InetSocketAddress address) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = SockAddrStruct.allocate(arena, address);
            return CONNECT.call(socket, name.address(), (int) name.byteSize());
        }
    }

    /** Returns the address of a bound socket. */
    public static InetSocketAddress localAddress(int socket) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocate(SockAddrStruct.IPV6);
            MemorySegment length = arena.allocateFrom(CStruct.U32, (int) name.byteSize());
            GETSOCKNAME.call(socket, name.address(), length.address());
            return SockAddrStruct.read(name, 0);
        }
    }

    public static Reply setOption(int socket, int level, int option, int value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(CStruct.U32, value);
            return SETSOCKOPT.call(socket, level, option, memory.address(), Integer.BYTES);
        }
    }

    /** Returns an option's value, or -1 if the kernel does not support the option. */
    public static int option(int socket, int level, int option) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(CStruct.U32);
            MemorySegment length = arena.allocateFrom(CStruct.U32, Integer.BYTES);
            Reply reply = GETSOCKOPT.call(socket, level, option, memory.address(), length.address());
            return reply.value() < 0 ? -1 : memory.get(CStruct.U32, 0);
        }
    }
}
