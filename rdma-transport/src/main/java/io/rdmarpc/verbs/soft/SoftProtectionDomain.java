package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.AddressHandleAttributes;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.MemoryRegion;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairCapabilities;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.VerbsException;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** Keeps memory, queue pairs and address handles of different users of a RNIC apart. */
final class SoftProtectionDomain implements ProtectionDomain {

    private static final int WRITING_PEER = AccessFlag.REMOTE_WRITE.bit() | AccessFlag.REMOTE_ATOMIC.bit();

    private final SoftRnic rnic;
    private int users;

    SoftProtectionDomain(SoftRnic rnic) {
        this.rnic = rnic;
    }

    SoftRnic rnic() {
        return rnic;
    }

    @Override
    public MemoryRegion registerMemory(MemorySegment segment, Set<AccessFlag> access) {
        checkMemory(segment, AccessFlag.bits(access));
        rnic.lock();
        try {
            if (rnic.memory().isFull()) {
                throw failure(
                        "ibv_reg_mr",
                        Errno.ENOMEM,
                        "All " + MemoryTable.MAX_REGIONS
                                + " memory regions are in use. Close some, or register larger ones.");
            }
            users++;
            return rnic.memory().register(this, segment, Set.copyOf(access));
        } finally {
            rnic.unlock();
        }
    }

    private static void checkMemory(MemorySegment segment, int access) {
        boolean localWrite = (access & AccessFlag.LOCAL_WRITE.bit()) != 0;
        if (!segment.isNative() || segment.byteSize() == 0) {
            throw failure(
                    "ibv_reg_mr",
                    Errno.EFAULT,
                    segment.byteSize() + " bytes of " + (segment.isNative() ? "native" : "heap")
                            + " memory cannot be registered. Allocate at least 1 byte from an Arena.");
        }
        if (localWrite && segment.isReadOnly()) {
            throw failure(
                    "ibv_reg_mr",
                    Errno.EACCES,
                    "LOCAL_WRITE was asked for a read-only segment. Register the writable one, or leave the right out.");
        }
        if ((access & WRITING_PEER) != 0 && !localWrite) {
            throw failure(
                    "ibv_reg_mr",
                    Errno.EINVAL,
                    "REMOTE_WRITE and REMOTE_ATOMIC need LOCAL_WRITE too. Ask for it as well.");
        }
    }

    @Override
    public QueuePair createQueuePair(QueuePairConfig config) {
        checkCapabilities(config.capabilities());
        if (config.sharedReceiveQueue() != null) {
            throw VerbsException.notSupported(
                    "ibv_create_qp",
                    SoftDevice.NAME,
                    "The software RNIC has no shared receive queues. Leave it out of the description.");
        }
        if (!(config.sendCq() instanceof SoftCompletionQueue sendCq)
                || !(config.receiveCq() instanceof SoftCompletionQueue receiveCq)
                || sendCq.rnic() != rnic
                || receiveCq.rnic() != rnic) {
            throw failure(
                    "ibv_create_qp",
                    Errno.EINVAL,
                    "A completion queue belongs to another device. Create both on the context of this protection domain.");
        }
        rnic.lock();
        try {
            return addQueuePair(config, sendCq, receiveCq);
        } finally {
            rnic.unlock();
        }
    }

    private SoftQueuePair addQueuePair(
            QueuePairConfig config, SoftCompletionQueue sendCq, SoftCompletionQueue receiveCq) {
        QueuePairTable table = rnic.queuePairs();
        if (table.isFull()) {
            throw failure(
                    "ibv_create_qp",
                    Errno.ENOMEM,
                    "All " + QueuePairTable.MAX_QUEUE_PAIRS + " queue pairs are in use. Close some.");
        }
        int number = table.nextNumber();
        SoftQueuePair qp = switch (config.type()) {
            case UD -> new UdQueuePair(this, number, config, sendCq, receiveCq);
            case RC -> new RcQueuePair(this, number, config, sendCq, receiveCq);
            case UC ->
                throw failure("ibv_create_qp", Errno.EOPNOTSUPP, "The software RNIC has UD and RC. Use one of these.");
        };
        table.add(qp);
        users++;
        sendCq.retain();
        receiveCq.retain();
        return qp;
    }

    private static void checkCapabilities(QueuePairCapabilities wanted) {
        checkCapability("max_send_wr", wanted.maxSendWr(), SoftContext.MAX_QUEUE_WR);
        checkCapability("max_recv_wr", wanted.maxReceiveWr(), SoftContext.MAX_QUEUE_WR);
        checkCapability("max_send_sge", wanted.maxSendSge(), SoftContext.MAX_SGE);
        checkCapability("max_recv_sge", wanted.maxReceiveSge(), SoftContext.MAX_SGE);
        // Inline memory need not be registered, and only registered memory can be reached without native access.
        checkCapability("max_inline_data", wanted.maxInlineBytes(), 0);
    }

    private static void checkCapability(String name, int wanted, int limit) {
        if (wanted < 0 || wanted > limit) {
            throw failure(
                    "ibv_create_qp",
                    Errno.EINVAL,
                    name + " " + wanted + " is not possible. Ask for 0 to " + limit + ".");
        }
    }

    @Override
    public AddressHandle createAddressHandle(AddressHandleAttributes attributes) {
        rnic.lock();
        try {
            Route route = Route.resolve("ibv_create_ah", rnic, attributes);
            AddressHandleTable table = rnic.addressHandles();
            SoftAddressHandle handle = new SoftAddressHandle(this, table.nextHandle(), attributes, route);
            table.add(handle);
            users++;
            return handle;
        } finally {
            rnic.unlock();
        }
    }

    /** Something made from this domain was closed; called under the lock. */
    void release() {
        users--;
    }

    @Override
    public void close() {
        rnic.lock();
        try {
            if (users > 0) {
                throw failure(
                        "ibv_dealloc_pd",
                        Errno.EBUSY,
                        users + " memory regions, queue pairs or address handles are still open. Close them first.");
            }
        } finally {
            rnic.unlock();
        }
    }

    private static VerbsException failure(String verb, int errno, String explanation) {
        return new VerbsException(verb, SoftDevice.NAME, errno, explanation);
    }
}
