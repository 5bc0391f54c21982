package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.RdmaDevice;
import io.rdmarpc.verbs.VerbsProvider;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.ffi.DeviceList;
import io.rdmarpc.verbs.ibverbs.ffi.LibIbverbs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The provider for RDMA NICs and the kernel's software devices, through libibverbs. Public because
 * {@code ServiceLoader} instantiates it.
 */
public final class IbverbsProvider implements VerbsProvider {

    /** Hardware comes before software implementations. */
    private static final int FIRST = 0;

    private static final Path KERNEL_DEVICES = Path.of("/sys/class/infiniband");

    /** Called by {@code ServiceLoader}; loads no native library. */
    public IbverbsProvider() {}

    @Override
    public String name() {
        return "ibverbs";
    }

    @Override
    public int order() {
        return FIRST;
    }

    @Override
    public List<RdmaDevice> devices(Map<String, String> options) {
        return devices(LibIbverbs.get());
    }

    @Override
    public boolean hasKernelDevices() {
        return !kernelDevices().isEmpty();
    }

    static List<RdmaDevice> devices(LibIbverbs library) {
        try (DeviceList list = library.deviceList(IbverbsProvider::noDevices)) {
            if (list.devices().isEmpty()) {
                throw new RdmaVerbsException("ibv_get_device_list", "", Errno.ENODEV, noDevices(Errno.ENODEV));
            }
            return list.devices().stream()
                    .<RdmaDevice>map(device -> IbvDevice.of(library, device))
                    .toList();
        }
    }

    /**
     * Distinguishes two reasons: the kernel has no device, or user space lacks the libraries or rights for the kernel's
     * devices.
     */
    private static String noDevices(int errno) {
        String inKernel = kernelDevices();
        if (inKernel.isEmpty()) {
            return "This machine has no RDMA device (" + KERNEL_DEVICES + " is empty or missing): load the driver of"
                    + " the NIC, or modprobe rdma_rxe and rdma link add rxe0 type rxe netdev <interface>, or use"
                    + " rdma.provider=soft";
        }
        return "The kernel has " + inKernel + " but user space cannot use it: apt install ibverbs-providers,"
                + " modprobe ib_uverbs, and start a container with --device=/dev/infiniband; or use rdma.provider=soft";
    }

    private static String kernelDevices() {
        try (Stream<Path> entries = Files.list(KERNEL_DEVICES)) {
            return entries.map(entry -> String.valueOf(entry.getFileName()))
                    .sorted()
                    .collect(Collectors.joining(", "));
        } catch (IOException e) {
            return "";
        }
    }
}
