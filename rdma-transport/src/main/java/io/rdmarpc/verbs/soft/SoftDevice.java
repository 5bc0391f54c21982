package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.NodeType;
import io.rdmarpc.verbs.RdmaConfigurationException;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.TransportType;
import io.rdmarpc.verbs.VerbsException;
import io.rdmarpc.verbs.soft.link.FaultyLink;
import io.rdmarpc.verbs.soft.link.Link;
import io.rdmarpc.verbs.soft.link.UdpLink;
import java.io.IOException;
import java.net.BindException;

/** The one device of the software RNIC. Each {@link #open} has sockets and numbers of its own. */
final class SoftDevice implements RdmaDevice {

    static final String NAME = "soft0";

    private static final int ANY_PORT = 0;

    private final SoftRnicOptions options;
    private final KernelNeighbour neighbour = new KernelNeighbour(RdmaNetdevs.ofThisHost());

    SoftDevice(SoftRnicOptions options) {
        this.options = options;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public NodeType nodeType() {
        return NodeType.CA;
    }

    @Override
    public TransportType transport() {
        return TransportType.IB;
    }

    @Override
    public RdmaContext open() {
        GidTable gids = GidTable.of(options.addresses());
        Link link = bind(gids);
        if (!options.faults().isNone()) {
            link = new FaultyLink(link, options.faults(), System::nanoTime);
        }
        return new SoftContext(new SoftRnic(gids, link, System::nanoTime));
    }

    private Link bind(GidTable gids) {
        try {
            return bindPreferred(gids);
        } catch (BindException e) {
            throw new RdmaConfigurationException(
                    options.portChosen() ? SoftRnicOptions.PORT : SoftRnicOptions.ADDRESSES,
                    options.portChosen() ? options.port() : gids.addresses(),
                    "the UDP port cannot be bound on all of " + gids.addresses() + ": " + e.getMessage(),
                    "Use a port that is free there, or 0 for any");
        } catch (IOException e) {
            throw new VerbsException(
                    "ibv_open_device", NAME, Errno.EIO, "No UDP socket on " + gids.addresses() + ": " + e);
        }
    }

    /**
     * Another program, such as a second software RNIC, may have the default port, or a device of the kernel takes its
     * packets; peers are told the one in use.
     */
    private Link bindPreferred(GidTable gids) throws IOException {
        if (!options.portChosen() && neighbour.sharesInterface(gids)) {
            return UdpLink.open(gids.addresses(), ANY_PORT);
        }
        try {
            return UdpLink.open(gids.addresses(), options.port());
        } catch (BindException e) {
            if (options.portChosen()) {
                throw e;
            }
            return UdpLink.open(gids.addresses(), ANY_PORT);
        }
    }
}
