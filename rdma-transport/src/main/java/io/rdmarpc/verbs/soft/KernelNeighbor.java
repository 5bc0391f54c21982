package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.port.LocalGidTable;
import java.util.Set;
import java.util.TreeSet;

/** The RDMA devices of the kernel that share network interfaces with a software RNIC. */
final class KernelNeighbor {

    private static final System.Logger LOG = System.getLogger(KernelNeighbor.class.getName());

    private final Set<String> netdevs;

    KernelNeighbor(Set<String> netdevs) {
        this.netdevs = Set.copyOf(netdevs);
    }

    /** Returns whether an RDMA device of the kernel receives the packets to one of these addresses; logs it if so. */
    boolean sharesInterface(LocalGidTable gids) {
        Set<String> shared = new TreeSet<>(gids.interfaces());
        shared.retainAll(netdevs);
        if (shared.isEmpty()) {
            return false;
        }
        LOG.log(
                System.Logger.Level.INFO,
                "an RDMA device of the kernel receives UDP port 4791 on {0}. The software RNIC uses another port,"
                        + " where only software RNICs reach it. To use port 4791, exclude these interfaces from"
                        + " rdma.soft.addresses.",
                shared);
        return true;
    }
}
