package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.NodeType;
import io.rdmarpc.verbs.attributes.TransportType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.soft.link.DumpingLink;
import io.rdmarpc.verbs.soft.link.PacketDump;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.link.fault.FaultyLink;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.port.LocalGidTable;
import io.rdmarpc.verbs.soft.rnic.ProgressThread;
import io.rdmarpc.verbs.soft.shm.HostLink;
import java.io.IOException;
import java.net.BindException;
import java.nio.file.Path;
import java.util.List;

/** The one device of the software RNIC. Each {@link #open} creates separate sockets, queue pair numbers and keys. */
final class SoftDevice implements RdmaDevice {

    private static final int ANY_PORT = 0;

    private final SoftRnicOptions options;
    private final KernelNeighbor neighbor = new KernelNeighbor(RdmaNetdevs.ofThisHost());

    SoftDevice(SoftRnicOptions options) {
        this.options = options;
    }

    @Override
    public String name() {
        return DeviceConstants.NAME;
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
        LocalGidTable gids = LocalGidTable.of(options.addresses());
        SoftRnic rnic = new SoftRnic(gids, link(gids), System::nanoTime, options.spinNanos());
        return options.progress() == ProgressMode.THREAD
                ? new SoftContext(rnic, ProgressThread.start(rnic.context()))
                : new SoftContext(rnic);
    }

    /**
     * Fault injection and packet dumps disable shared memory, because both need packets on the network, whose ICRC is
     * checked.
     */
    private PacketLink link(LocalGidTable gids) {
        PacketLink udp = bind(gids);
        if (options.pcap() != null) {
            udp = dumped(udp, gids, options.pcap());
        } else if (options.faults().isNone()) {
            return HostLink.around(udp, gids.addresses(), options.sharedMemory());
        }
        return options.faults().isNone() ? udp : new FaultyLink(udp, options.faults(), System::nanoTime);
    }

    private static PacketLink dumped(PacketLink link, LocalGidTable gids, Path file) {
        try {
            List<Gid> own = gids.entries().stream().map(GidEntry::gid).toList();
            return new DumpingLink(link, own, PacketDump.to(file), System::nanoTime);
        } catch (IOException e) {
            link.close();
            throw new RdmaConfigurationException(
                    SoftRnicOptions.PCAP,
                    file,
                    "the packet dump file cannot be written: " + e,
                    "Use a writable path, or leave it out; %p in the name is replaced by the process identifier");
        }
    }

    private PacketLink bind(LocalGidTable gids) {
        try {
            return bindPreferred(gids);
        } catch (BindException e) {
            throw new RdmaConfigurationException(
                    options.portChosen() ? SoftRnicOptions.PORT : SoftRnicOptions.ADDRESSES,
                    options.portChosen() ? options.port() : gids.addresses(),
                    "the UDP port cannot be bound on all of " + gids.addresses() + ": " + e.getMessage(),
                    "Use a port that is free on these addresses, or 0 for any free port");
        } catch (IOException e) {
            throw new RdmaVerbsException(
                    "ibv_open_device",
                    DeviceConstants.NAME,
                    Errno.EIO,
                    "Cannot open a UDP socket on " + gids.addresses() + ": " + e);
        }
    }

    /**
     * Uses any free port if another program, such as a second software RNIC, has the default port. The same applies if
     * an RDMA device of the kernel receives the packets of the default port. Peers learn the port when they connect.
     */
    private PacketLink bindPreferred(LocalGidTable gids) throws IOException {
        if (!options.portChosen() && neighbor.sharesInterface(gids)) {
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
