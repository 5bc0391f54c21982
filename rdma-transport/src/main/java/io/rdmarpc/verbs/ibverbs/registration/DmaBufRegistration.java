package io.rdmarpc.verbs.ibverbs.registration;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.device.OpenDevice;
import io.rdmarpc.verbs.ibverbs.ffi.RegistrationVerbs;
import io.rdmarpc.verbs.ibverbs.ffi.struct.MrStruct;
import java.util.Set;

/**
 * A request to register memory of another device.
 *
 * @param context the open device
 * @param fileDescriptor the dma-buf
 * @param offset the first byte in the dma-buf
 * @param bytes the length in bytes
 * @param ioVirtualAddress the address of the first byte in work requests
 * @param access the access flags
 */
public record DmaBufRegistration(
        OpenDevice context,
        int fileDescriptor,
        long offset,
        long bytes,
        long ioVirtualAddress,
        Set<AccessFlag> access) {

    private static final String VERB = "ibv_reg_dmabuf_mr";

    /** Registers the memory. */
    public MrStruct register(long domain) {
        RegistrationVerbs verbs = context.library().registration();
        if (fileDescriptor < 0) {
            throw invalid(Errno.EBADF, "File descriptor " + fileDescriptor + " is invalid: use an open dma-buf");
        }
        if (offset < 0 || bytes <= 0) {
            throw invalid(Errno.EINVAL, requested() + ": use at least 1 byte and an offset of at least 0");
        }
        if (!verbs.hasRegDmaBufMr()) {
            throw invalid(Errno.EOPNOTSUPP, "This verb requires rdma-core 34 or newer");
        }
        long mr = verbs.regDmaBufMr(
                        domain, offset, bytes, ioVirtualAddress, fileDescriptor, MemoryRegistration.bits(access))
                .pointer(context.deviceName(), this::explain);
        return MrStruct.ofDmaBuf(mr, bytes);
    }

    private RdmaVerbsException invalid(int errno, String explanation) {
        return new RdmaVerbsException(VERB, context.deviceName(), errno, explanation);
    }

    private String requested() {
        return bytes + " bytes at offset " + offset + " of dma-buf " + fileDescriptor + " with " + access
                + " could not be registered";
    }

    private String explain(int errno) {
        return requested()
                + switch (errno) {
                    case Errno.EOPNOTSUPP, Errno.ENOSYS ->
                        ". This is not supported by this device: copy through main memory";
                    case Errno.EBADF -> ". The file descriptor is not open";
                    case Errno.ENOMEM, Errno.EAGAIN, Errno.EPERM -> ". " + Memlock.advice();
                    default -> ". Check the size of the dma-buf, and that this device can access its exporter";
                };
    }
}
