package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.cm.CmFailure;
import io.rdmarpc.verbs.cm.CmRejectReason;
import io.rdmarpc.verbs.cm.RdmaCmException;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEvent;
import java.nio.file.Files;
import java.nio.file.Path;

/** Creates exceptions that explain events and error numbers of librdmacm. */
final class CmFailures {

    private static final Path KERNEL_FILE = Path.of("/dev/infiniband/rdma_cm");

    private CmFailures() {}

    /**
     * Creates the exception for an unexpected event.
     *
     * @param event the event
     * @param verb the verb that was called
     * @param device the device, empty if there is none yet
     * @param tried the attempted connection, such as "the connection from ... to ..."
     */
    static RdmaCmException of(CmEvent event, String verb, String device, String tried) {
        int errno = errno(event.status());
        return switch (event.type()) {
            case ADDR_ERROR -> new RdmaCmException(verb, device, errno, CmFailure.ADDR_ERROR, noAddress(tried));
            case ROUTE_ERROR -> new RdmaCmException(verb, device, errno, CmFailure.ROUTE_ERROR, noRoute(tried));
            case UNREACHABLE -> new RdmaCmException(verb, device, errno, CmFailure.UNREACHABLE, unreachable(tried));
            case REJECTED -> rejected(event, verb, device, tried);
            case DISCONNECTED ->
                new RdmaCmException(
                        verb,
                        device,
                        errno,
                        CmFailure.DISCONNECTED,
                        "The peer ended " + tried + " before it was established: see the log of the peer");
            case DEVICE_REMOVAL -> deviceRemoval(verb, device);
            case CONNECT_ERROR ->
                new RdmaCmException(
                        verb,
                        device,
                        errno,
                        CmFailure.CONNECT_ERROR,
                        "The kernel could not establish " + tried + "; see the kernel log");
            default ->
                new RdmaCmException(
                        verb,
                        device,
                        errno,
                        CmFailure.CONNECT_ERROR,
                        "The unexpected event " + event.type() + " arrived for " + tried);
        };
    }

    /** Converts a negative error number. librdmacm reports -1 if it lost the number. */
    private static int errno(int status) {
        return status == -1 ? Errno.EIO : Math.max(0, -status);
    }

    static String noAddress(String tried) {
        return "There is no route for " + tried + ": check that the peer is reachable (ip route, ping) and that the"
                + " interface to it has an RDMA device (rdma link)";
    }

    static String noRoute(String tried) {
        return "There is no path for " + tried + ": InfiniBand needs a subnet manager, RoCE a GID of the local address"
                + " (show_gids, or the GID table of the port)";
    }

    private static String unreachable(String tried) {
        return "The peer did not respond to " + tried + ": check that its machine is up, and open UDP port 4791";
    }

    private static RdmaCmException rejected(CmEvent event, String verb, String device, String tried) {
        CmRejectReason reason = CmRejectReason.of(event.status());
        return new RdmaCmException(
                verb,
                device,
                Errno.ECONNREFUSED,
                reason,
                event.privateData(),
                "The peer rejected " + tried + ": " + reason.description() + " (reason " + event.status() + ")");
    }

    static RdmaCmException deviceRemoval(String verb, String device) {
        return new RdmaCmException(
                verb,
                device,
                Errno.ENODEV,
                CmFailure.DEVICE_REMOVAL,
                "The device was removed or its driver unloaded: close all its objects");
    }

    static RdmaCmException timeout(String verb, String device, String tried, Deadline deadline) {
        return new RdmaCmException(
                verb,
                device,
                Errno.ETIMEDOUT,
                CmFailure.TIMEOUT,
                "No event arrived for " + tried + " within " + deadline.timeoutMillis()
                        + " ms: check the peer's machine (ping), its load, and that its program responds");
    }

    static RdmaCmException closed(String verb, String device) {
        return new RdmaCmException(verb, device, 0, CmFailure.CLOSED, "It was closed before or during the call");
    }

    /** Explains why no event channel can be opened. */
    static String noChannel(int errno) {
        if (errno == Errno.ENODEV || errno == Errno.ENOSYS) {
            return "This machine has no RDMA device that user space can use: see ibv_devinfo";
        }
        if (Files.notExists(KERNEL_FILE)) {
            return KERNEL_FILE + " is missing: modprobe rdma_ucm; a container needs --device=/dev/infiniband";
        }
        if (errno == Errno.EACCES || errno == Errno.EPERM) {
            return "The user needs read and write permissions on " + KERNEL_FILE + " (udev rule or group of rdma-core)";
        }
        return "The connection manager cannot be opened: check the limit of open files (ulimit -n)";
    }
}
