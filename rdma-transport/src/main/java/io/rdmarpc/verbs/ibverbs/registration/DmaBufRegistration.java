package io.rdmarpc.verbs.ibverbs.registration;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.device.OpenDevice;
import io.rdmarpc.verbs.ibverbs.ffi.RegistrationVerbs;
import io.rdmarpc.verbs.ibverbs.ffi.struct.MrStruct;
import java.util.Set;

/**
 * One wish to register memory of another device.
 *
 * @param context the open device
 * @param fileDescriptor of the dma-buf
 * @param offset first byte in it
 * @param bytes length
 * @param ioVirtualAddress the address work requests will use for the first byte
 * @param access the rights
 */
public record DmaBufRegistration(
        OpenDevice context,
        int fileDescriptor,
        long offset,
        long bytes,
        long ioVirtualAddress,
        Set<AccessFlag> access) {

    private static final String VERB = "ibv_reg_dmabuf_mr";

    /** Registers it. */
    public MrStruct register(long domain) {
        RegistrationVerbs verbs = context.library().registration();
        if (fileDescriptor < 0) {
            throw refused(Errno.EBADF, "File descriptor " + fileDescriptor + " is none: use that of an open dma-buf");
        }
        if (offset < 0 || bytes <= 0) {
            throw refused(Errno.EINVAL, asked() + ": at least 1 byte from offset 0 on can");
        }
        if (!verbs.hasRegDmaBufMr()) {
            throw refused(Errno.EOPNOTSUPP, "It needs rdma-core 34 or newer");
        }
        long mr = verbs.regDmaBufMr(
                        domain, offset, bytes, ioVirtualAddress, fileDescriptor, MemoryRegistration.bits(access))
                .pointer(context.deviceName(), this::explain);
        return MrStruct.ofDmaBuf(mr, bytes);
    }

    private RdmaVerbsException refused(int errno, String explanation) {
        return new RdmaVerbsException(VERB, context.deviceName(), errno, explanation);
    }

    private String asked() {
        return bytes + " bytes at offset " + offset + " of dma-buf " + fileDescriptor + " with " + access
                + " were to be registered";
    }

    private String explain(int errno) {
        return asked()
                + switch (errno) {
                    case Errno.EOPNOTSUPP, Errno.ENOSYS ->
                        ". This is not supported by this device: copy through main memory";
                    case Errno.EBADF -> ". The file descriptor is not open";
                    case Errno.ENOMEM, Errno.EAGAIN, Errno.EPERM -> ". " + Memlock.advice();
                    default ->
                        ". Is it a dma-buf of at least that size, and its exporter one that this device can reach?";
                };
    }
}
