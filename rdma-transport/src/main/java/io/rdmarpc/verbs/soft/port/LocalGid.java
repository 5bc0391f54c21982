package io.rdmarpc.verbs.soft.port;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.net.InetAddress;

/**
 * An own address.
 *
 * @param entry its place in the GID table
 * @param address the IP address
 * @param mtu the largest path MTU that its network interface carries
 */
public record LocalGid(GidEntry entry, InetAddress address, PathMtu mtu) {

    public Gid gid() {
        return entry.gid();
    }

    boolean isIpv4() {
        return entry.gid().isIpv4Mapped();
    }
}
