package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.GidEntry;
import io.rdmarpc.verbs.PathMtu;
import java.net.Inet4Address;

/**
 * An own address.
 *
 * @param entry its place in the GID table
 * @param address the IPv4 address
 * @param mtu the largest path MTU that its network interface carries
 */
record LocalGid(GidEntry entry, Inet4Address address, PathMtu mtu) {

    int ipv4() {
        return entry.gid().ipv4();
    }
}
