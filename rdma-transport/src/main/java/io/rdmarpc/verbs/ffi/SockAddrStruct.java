package io.rdmarpc.verbs.ffi;

import static io.rdmarpc.verbs.ffi.CStruct.chars;
import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;
import static io.rdmarpc.verbs.ffi.CStruct.unused;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;

/**
 * An IP address and a port. Ports and addresses are in network order.
 *
 * <pre>
 *   struct sockaddr_in {          byte      struct sockaddr_in6 {               byte
 *       sa_family_t     sin_family;  0          sa_family_t      sin6_family;      0
 *       in_port_t       sin_port;    2          in_port_t        sin6_port;        2
 *       struct in_addr  sin_addr;    4          uint32_t         sin6_flowinfo;    4
 *       char            sin_zero[8]; 8          struct in6_addr  sin6_addr;        8
 *   };                              16          uint32_t         sin6_scope_id;   24   the interface's index
 *                                           };                                    28
 * </pre>
 */
public final class SockAddrStruct {

    public static final StructLayout IPV4 = struct(
            "sockaddr_in",
            CStruct.U16.withName("sin_family"),
            CStruct.U16.withName("sin_port"),
            CStruct.U32.withName("sin_addr"),
            unused(8));

    public static final StructLayout IPV6 = struct(
            "sockaddr_in6",
            CStruct.U16.withName("sin6_family"),
            CStruct.U16.withName("sin6_port"),
            CStruct.U32.withName("sin6_flowinfo"),
            chars("sin6_addr", 16),
            CStruct.U32.withName("sin6_scope_id"));

    public static final int AF_INET = 2;
    public static final int AF_INET6 = 10;

    private static final ValueLayout.OfShort NETWORK_ORDER = ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);
    private static final long FAMILY = 0;
    private static final long PORT = offset(IPV4, "sin_port");
    private static final long SCOPE = offset(IPV6, "sin6_scope_id");

    private SockAddrStruct() {}

    /** Allocates and fills the struct of the address's family. */
    public static MemorySegment allocate(SegmentAllocator allocator, InetSocketAddress address) {
        boolean ipv4 = address.getAddress() instanceof Inet4Address;
        MemorySegment memory = allocator.allocate(ipv4 ? IPV4 : IPV6);
        memory.set(CStruct.U16, FAMILY, (short) (ipv4 ? AF_INET : AF_INET6));
        memory.set(NETWORK_ORDER, PORT, (short) address.getPort());
        byte[] bytes = address.getAddress().getAddress();
        MemorySegment.copy(bytes, 0, memory, CStruct.U8, addressOffset(ipv4), bytes.length);
        if (address.getAddress() instanceof Inet6Address ipv6) {
            memory.set(CStruct.U32, SCOPE, ipv6.getScopeId());
        }
        return memory;
    }

    /** Reads the struct of either family at an offset. Returns the wildcard address and port 0 for another family. */
    public static InetSocketAddress read(MemorySegment memory, long offset) {
        int family = memory.get(CStruct.U16, offset + FAMILY);
        if (family != AF_INET && family != AF_INET6) {
            return new InetSocketAddress(0);
        }
        boolean ipv4 = family == AF_INET;
        byte[] bytes = new byte[ipv4 ? Integer.BYTES : 2 * Long.BYTES];
        MemorySegment.copy(memory, CStruct.U8, offset + addressOffset(ipv4), bytes, 0, bytes.length);
        int scope = ipv4 ? 0 : memory.get(CStruct.U32, offset + SCOPE);
        int port = Short.toUnsignedInt(memory.get(NETWORK_ORDER, offset + PORT));
        return new InetSocketAddress(address(bytes, scope), port);
    }

    private static long addressOffset(boolean ipv4) {
        return ipv4 ? offset(IPV4, "sin_addr") : offset(IPV6, "sin6_addr");
    }

    private static InetAddress address(byte[] bytes, int scope) {
        try {
            return scope == 0 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, scope);
        } catch (UnknownHostException e) {
            throw new AssertionError("4 or 16 bytes are an address", e);
        }
    }
}
