package io.rdmarpc.verbs.ibverbs.cm;

import io.rdmarpc.verbs.cm.CmFailure;
import io.rdmarpc.verbs.cm.CmRejectReason;
import io.rdmarpc.verbs.cm.RdmaCmException;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ibverbs.ffi.cm.CmEvent;
import java.nio.file.Files;
import java.nio.file.Path;

/** Says why there is no connection: events and error numbers of librdmacm in words. */
final class CmFailures {

    private static final Path KERNEL_FILE = Path.of("/dev/infiniband/rdma_cm");

    private CmFailures() {}

    /**
     * Makes the exception for an event other than the expected one.
     *
     * @param event the event
     * @param verb what was called
     * @param device the device, empty when there is none yet
     * @param tried what was to be made, such as "the connection from ... to ..."
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
                        "The peer ended " + tried + " before it was ready: see what it says");
            case DEVICE_REMOVAL -> deviceRemoval(verb, device);
            case CONNECT_ERROR ->
                new RdmaCmException(
                        verb,
                        device,
                        errno,
                        CmFailure.CONNECT_ERROR,
                        "The kernel could not make " + tried + "; see its log");
            default ->
                new RdmaCmException(
                        verb,
                        device,
                        errno,
                        CmFailure.CONNECT_ERROR,
                        "The event " + event.type() + " came instead of " + tried);
        };
    }

    /** A negative error number; -1 is what librdmacm writes when it lost the number. */
    private static int errno(int status) {
        return status == -1 ? Errno.EIO : Math.max(0, -status);
    }

    static String noAddress(String tried) {
        return "There is no way for " + tried + ": is there a route, does anybody answer there (ping it), and has the"
                + " interface towards it an RDMA device (rdma link)?";
    }

    static String noRoute(String tried) {
        return "There is no path for " + tried + ": InfiniBand needs a subnet manager, RoCE a GID of the own address"
                + " (show_gids, or the GID table of the port)";
    }

    private static String unreachable(String tried) {
        return "Nobody answers " + tried + ": is the peer's machine up, and may UDP port 4791 pass?";
    }

    private static RdmaCmException rejected(CmEvent event, String verb, String device, String tried) {
        CmRejectReason reason = CmRejectReason.of(event.status());
        return new RdmaCmException(
                verb,
                device,
                Errno.ECONNREFUSED,
                reason,
                event.privateData(),
                "The peer rejected " + tried + ": " + reason.words() + " (reason " + event.status() + ")");
    }

    static RdmaCmException deviceRemoval(String verb, String device) {
        return new RdmaCmException(
                verb,
                device,
                Errno.ENODEV,
                CmFailure.DEVICE_REMOVAL,
                "The device was removed or its driver unloaded: close everything of it");
    }

    static RdmaCmException timeout(String verb, String device, String tried, Deadline deadline) {
        return new RdmaCmException(
                verb,
                device,
                Errno.ETIMEDOUT,
                CmFailure.TIMEOUT,
                "Nothing was heard of " + tried + " for " + deadline.timeoutMillis()
                        + " ms: is the peer's machine up (ping it), is it overloaded, or does its program not answer?");
    }

    static RdmaCmException closed(String verb, String device) {
        return new RdmaCmException(
                verb, device, 0, CmFailure.CLOSED, "It was closed, if not before then meanwhile by another thread");
    }

    /** Says why no event channel can be opened. */
    static String noChannel(int errno) {
        if (errno == Errno.ENODEV || errno == Errno.ENOSYS) {
            return "This machine has no RDMA device that user space can use: see what ibv_devinfo says";
        }
        if (Files.notExists(KERNEL_FILE)) {
            return KERNEL_FILE + " is missing: modprobe rdma_ucm; a container needs --device=/dev/infiniband";
        }
        if (errno == Errno.EACCES || errno == Errno.EPERM) {
            return "The user needs read and write rights on " + KERNEL_FILE + " (udev rule or group of rdma-core)";
        }
        return "The connection manager cannot be opened: are too many files open (ulimit -n)?";
    }
}
