package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.port.LocalGidTable;
import java.util.Set;
import java.util.TreeSet;

/** The RDMA devices of the kernel that share network interfaces with a software RNIC. */
final class KernelNeighbour {

    private static final System.Logger LOG = System.getLogger(KernelNeighbour.class.getName());

    private final Set<String> netdevs;

    KernelNeighbour(Set<String> netdevs) {
        this.netdevs = Set.copyOf(netdevs);
    }

    /** Tells, and says so in the log, whether the kernel takes packets for one of these addresses first. */
    boolean sharesInterface(LocalGidTable gids) {
        Set<String> shared = new TreeSet<>(gids.interfaces());
        shared.retainAll(netdevs);
        if (shared.isEmpty()) {
            return false;
        }
        LOG.log(
                System.Logger.Level.INFO,
                "an RDMA device of the kernel takes UDP port 4791 on {0}: the software RNIC uses another port, at which only"
                        + " software RNICs reach it. rdma.soft.addresses can leave these interfaces out",
                shared);
        return true;
    }
}
