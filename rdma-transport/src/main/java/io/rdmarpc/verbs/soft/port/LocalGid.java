package io.rdmarpc.verbs.soft.port;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PathMtu;
import java.net.InetAddress;

/**
 * A local address.
 *
 * @param entry its entry in the GID table
 * @param address the IP address
 * @param mtu the largest path MTU that fits the MTU of its network interface
 */
public record LocalGid(GidEntry entry, InetAddress address, PathMtu mtu) {

    public Gid gid() {
        return entry.gid();
    }

    boolean isIpv4() {
        return entry.gid().isIpv4Mapped();
    }
}
