package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.attributes.NodeType;
import io.rdmarpc.verbs.attributes.TransportType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.ffi.DeviceList;
import io.rdmarpc.verbs.ibverbs.ffi.LibIbverbs;
import io.rdmarpc.verbs.ibverbs.ffi.struct.ContextStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.DeviceStruct;
import java.util.OptionalLong;

/**
 * A device, identified by its name. The struct of a device is valid only until its list is closed. {@link #open}
 * therefore lists the devices again.
 *
 * @param library the library
 * @param name such as {@code mlx5_0}
 * @param nodeType the role of the device in its network
 * @param transport its protocol family
 * @param guid its GUID
 */
record IbvDevice(LibIbverbs library, String name, NodeType nodeType, TransportType transport, long guid)
        implements RdmaDevice {

    static IbvDevice of(LibIbverbs library, DeviceStruct device) {
        return new IbvDevice(library, device.name(), device.nodeType(), device.transport(), library.deviceGuid(device));
    }

    @Override
    public OptionalLong nodeGuid() {
        return OptionalLong.of(guid);
    }

    @Override
    public RdmaContext open() {
        try (DeviceList list = library.deviceList(errno -> gone())) {
            DeviceStruct device = list.devices().stream()
                    .filter(candidate -> candidate.name().equals(name))
                    .findFirst()
                    .orElseThrow(() -> new RdmaVerbsException("ibv_open_device", name, Errno.ENODEV, gone()));
            return open(device);
        }
    }

    private RdmaContext open(DeviceStruct device) {
        ContextStruct context = library.openDevice(device, errno -> whyNotOpen(errno, device));
        try {
            return IbvContext.of(library, device, context);
        } catch (RdmaVerbsException e) {
            library.closeDevice(context);
            throw e;
        }
    }

    private static String whyNotOpen(int errno, DeviceStruct device) {
        return switch (errno) {
            case Errno.EACCES, Errno.EPERM ->
                "The user needs read and write permissions on " + device.file() + " (udev rule or group of rdma-core)";
            case Errno.ENOENT, Errno.ENODEV ->
                device.file() + " is missing: modprobe ib_uverbs; a container needs --device=/dev/infiniband";
            default -> "See the kernel log, and try ibv_devinfo -d " + device.name();
        };
    }

    private String gone() {
        return "The device " + name + " existed before and is gone: check whether its driver was unloaded";
    }
}
