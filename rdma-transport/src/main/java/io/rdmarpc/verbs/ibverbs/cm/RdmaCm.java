package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.cm.CmDestination;
import io.rdmarpc.verbs.cm.CmFailure;
import io.rdmarpc.verbs.cm.CmListener;
import io.rdmarpc.verbs.cm.CmRoute;
import io.rdmarpc.verbs.cm.ConnectionManager;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEventType;
import io.rdmarpc.verbs.ibverbs.ffi.cm.LibRdmacm;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.function.Function;

/** The connection manager of the kernel, through librdmacm. Public because {@code ServiceLoader} instantiates it. */
public final class RdmaCm implements ConnectionManager {

    private static final String RESOLVE_ADDRESS = "rdma_resolve_addr";
    private static final String RESOLVE_ROUTE = "rdma_resolve_route";

    /** Called by {@code ServiceLoader}; loads no native library. */
    public RdmaCm() {}

    @Override
    public CmRoute resolve(CmDestination destination, Duration timeout) {
        Deadline deadline = Deadline.in(timeout);
        return withNew(LibRdmacm.get(), id -> {
            setTrafficClass(id, destination.trafficClass());
            resolveAddress(id, destination, deadline);
            resolveRoute(id, CmPath.text(destination.remote()), deadline);
            return new RdmaCmRoute(id);
        });
    }

    private static void setTrafficClass(CmIdentifier id, int value) {
        if (value != CmDestination.DEFAULT_TRAFFIC_CLASS) {
            id.call(
                    "rdma_set_option",
                    (library, struct) -> library.setTrafficClass(struct, value),
                    CmFailure.CONNECT_ERROR,
                    "The traffic class " + value + " was requested");
        }
    }

    private static void resolveAddress(CmIdentifier id, CmDestination destination, Deadline deadline) {
        InetSocketAddress from = destination.local();
        String endpoints = (from == null ? "" : CmPath.text(from) + " to ") + CmPath.text(destination.remote());
        id.call(
                RESOLVE_ADDRESS,
                (library, struct) -> library.resolveAddr(struct, from, destination.remote(), deadline.kernelMillis()),
                CmFailure.ADDR_ERROR,
                CmFailures.noAddress(endpoints));
        id.expect(CmEventType.ADDR_RESOLVED, RESOLVE_ADDRESS, endpoints, deadline);
    }

    private static void resolveRoute(CmIdentifier id, String peer, Deadline deadline) {
        id.call(
                RESOLVE_ROUTE,
                (library, struct) -> library.resolveRoute(struct, deadline.kernelMillis()),
                CmFailure.ROUTE_ERROR,
                CmFailures.noRoute(peer));
        id.expect(CmEventType.ROUTE_RESOLVED, RESOLVE_ROUTE, peer, deadline);
    }

    @Override
    public CmListener listen(InetSocketAddress address, int backlog) {
        if (address.isUnresolved()) {
            throw new IllegalArgumentException(address + " has no IP address: check the name, or use an IP address");
        }
        LibRdmacm library = LibRdmacm.get();
        String where = CmPath.text(address);
        return withNew(library, id -> {
            id.call(
                    "rdma_bind_addr",
                    (cm, struct) -> cm.bindAddr(struct, address),
                    CmFailure.ADDR_ERROR,
                    "Cannot listen at " + where + ": check that an interface with an RDMA device has the address"
                            + " (rdma link), and that the port is free");
            id.call(
                    "rdma_listen",
                    (cm, struct) -> cm.listen(struct, backlog),
                    CmFailure.ADDR_ERROR,
                    "Cannot listen at " + where + " with a backlog of " + backlog + ": check that the port is free");
            return new RdmaCmListener(library, id);
        });
    }

    /** Creates an object with a new identifier, which is closed if that fails. */
    private static <T> T withNew(LibRdmacm library, Function<CmIdentifier, T> maker) {
        CmIdentifier id = CmIdentifier.create(library);
        try {
            return maker.apply(id);
        } catch (RuntimeException | Error e) {
            id.close();
            throw e;
        }
    }
}
