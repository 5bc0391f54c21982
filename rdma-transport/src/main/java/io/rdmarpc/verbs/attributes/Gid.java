package io.rdmarpc.verbs.attributes;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A global identifier: 128 bits in network order. For RoCE v2 it is an IPv6 address or an IPv4-mapped address.
 *
 * @param high the first 8 bytes, big-endian
 * @param low the last 8 bytes, big-endian
 */
public record Gid(long high, long low) {

    /** Length on the wire and in {@code union ibv_gid}, in bytes. */
    public static final int BYTES = 16;

    private static final long IPV4_MAPPED = 0x0000_FFFF_0000_0000L;
    private static final long IPV4_MASK = 0xFFFF_FFFFL;
    private static final long LINK_LOCAL = 0xFE80L << 48;
    private static final long LINK_LOCAL_MASK = 0xFFC0L << 48;

    // Written out, because the record's own methods link method handles at their first call, which delays an
    // application's first call.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Gid that && high == that.high && low == that.low;
    }

    @Override
    public int hashCode() {
        return 31 * Long.hashCode(high) + Long.hashCode(low);
    }

    /**
     * Returns the GID of an IP address. An IPv4 address becomes {@code ::ffff:a.b.c.d}.
     *
     * @param address an IPv4 or IPv6 address
     * @return its GID
     */
    public static Gid of(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 4) {
            return new Gid(0, IPV4_MAPPED | (ByteBuffer.wrap(bytes).getInt() & IPV4_MASK));
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        return new Gid(buffer.getLong(), buffer.getLong());
    }

    /**
     * Returns whether this GID maps an IPv4 address.
     *
     * @return true for {@code ::ffff:a.b.c.d}
     */
    public boolean isIpv4Mapped() {
        return isIpv4Mapped(high, low);
    }

    /**
     * Returns whether two halves of a GID map an IPv4 address, without creating an object.
     *
     * @param high the first 8 bytes, big-endian
     * @param low the last 8 bytes
     * @return true for {@code ::ffff:a.b.c.d}
     */
    public static boolean isIpv4Mapped(long high, long low) {
        return high == 0 && (low & ~IPV4_MASK) == IPV4_MAPPED;
    }

    /**
     * Returns whether this GID is a link-local address.
     *
     * @return true for {@code fe80::/10}
     */
    public boolean isLinkLocal() {
        return (high & LINK_LOCAL_MASK) == LINK_LOCAL;
    }

    /**
     * Returns the mapped IPv4 address as a number.
     *
     * @return 32 bits, big-endian; valid if {@link #isIpv4Mapped()}
     */
    public int ipv4() {
        return (int) low;
    }

    /**
     * Returns whether this GID is the empty one.
     *
     * @return true if all bits are 0
     */
    public boolean isZero() {
        return high == 0 && low == 0;
    }

    /**
     * Returns the IP address of this GID.
     *
     * @return an IPv4 address if this GID maps one, otherwise an IPv6 address
     */
    public InetAddress toInetAddress() {
        byte[] bytes = isIpv4Mapped()
                ? ByteBuffer.allocate(4).putInt(ipv4()).array()
                : ByteBuffer.allocate(BYTES).putLong(high).putLong(low).array();
        try {
            return InetAddress.getByAddress(bytes);
        } catch (UnknownHostException e) {
            throw new AssertionError("an address of 4 or 16 bytes is always valid", e);
        }
    }

    /**
     * Returns whether this GID belongs to an address.
     *
     * @param address an address, or null
     * @return true if this GID is the GID of that address
     */
    public boolean matches(@Nullable InetAddress address) {
        return address != null && equals(of(address));
    }

    @Override
    public String toString() {
        return isIpv4Mapped()
                ? "::ffff:" + toInetAddress().getHostAddress()
                : toInetAddress().getHostAddress();
    }
}
