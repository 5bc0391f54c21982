package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ffi.NativeWords;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.domain.AddressHandleTable;
import io.rdmarpc.verbs.soft.domain.DomainContext;
import io.rdmarpc.verbs.soft.domain.MemoryTable;
import io.rdmarpc.verbs.soft.domain.SoftAddressHandle;
import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.port.Route;
import io.rdmarpc.verbs.soft.qp.QueuePairParts;
import io.rdmarpc.verbs.soft.qp.QueuePairTable;
import io.rdmarpc.verbs.soft.qp.SoftQueuePair;
import io.rdmarpc.verbs.soft.qp.SoftSharedReceiveQueue;
import io.rdmarpc.verbs.soft.rc.RcQueuePair;
import io.rdmarpc.verbs.soft.rnic.OpenChildren;
import io.rdmarpc.verbs.soft.rnic.SoftCompletionQueue;
import io.rdmarpc.verbs.soft.uc.UcQueuePair;
import io.rdmarpc.verbs.soft.ud.UdQueuePair;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps memory, queue pairs and address handles of different users of an RNIC apart. Closing it closes its queue pairs
 * first, then its memory regions, shared receive queues and address handles.
 */
final class SoftProtectionDomain implements ProtectionDomain, OpenChildren.Child {

    private final SoftRnic rnic;
    private final OpenChildren siblings;
    private final OpenChildren queuePairs = new OpenChildren();
    private final DomainContext context;
    private boolean closed;

    SoftProtectionDomain(SoftRnic rnic, OpenChildren siblings) {
        this.rnic = rnic;
        this.siblings = siblings;
        this.context = new DomainContext(rnic.context(), rnic.memory(), rnic.events());
        siblings.add(this);
    }

    /** Returns the context that the domain shares with everything that is created from it. */
    DomainContext context() {
        return context;
    }

    private void checkOpen(String verb) {
        if (closed) {
            throw failure(verb, Errno.EINVAL, "The protection domain is closed. Allocate another.");
        }
    }

    @Override
    public MemoryRegion registerMemory(MemorySegment segment, Set<AccessFlag> access) {
        return register(segment, access, false);
    }

    @Override
    public MemoryRegion registerLasting(MemorySegment segment, Set<AccessFlag> access) {
        return register(segment, access, NativeWords.isGranted());
    }

    private MemoryRegion register(MemorySegment segment, Set<AccessFlag> access, boolean lasts) {
        DomainContext.checkRegistration("ibv_reg_mr", segment, access);
        rnic.lock();
        try {
            checkOpen("ibv_reg_mr");
            context.checkReach("ibv_reg_mr", segment);
            if (rnic.memory().isFull()) {
                throw failure(
                        "ibv_reg_mr",
                        Errno.ENOMEM,
                        "All " + MemoryTable.MAX_REGIONS
                                + " memory regions are in use. Close some, or register larger ones.");
            }
            SoftMemoryRegion region = rnic.memory().register(context, segment, Set.copyOf(access), lasts);
            context.memoryAndHandles().add(region);
            return region;
        } finally {
            rnic.unlock();
        }
    }

    @Override
    public QueuePair createQueuePair(QueuePairConfig config) {
        checkCapabilities(config.capabilities());
        if (!(config.sendCq() instanceof SoftCompletionQueue sendCq)
                || !(config.receiveCq() instanceof SoftCompletionQueue receiveCq)
                || sendCq.rnic() != context.rnic()
                || receiveCq.rnic() != context.rnic()) {
            throw failure(
                    "ibv_create_qp",
                    Errno.EINVAL,
                    "A completion queue belongs to another device. Create both on the context of this protection"
                            + " domain.");
        }
        rnic.lock();
        try {
            checkOpen("ibv_create_qp");
            checkSharedReceiveQueue(config.sharedReceiveQueue());
            sendCq.checkOpen("ibv_create_qp");
            receiveCq.checkOpen("ibv_create_qp");
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
        QueuePairParts parts =
                new QueuePairParts(context, table.nextNumber(), config, sendCq, receiveCq, this::removeQueuePair);
        SoftQueuePair qp = switch (config.type()) {
            case UD -> new UdQueuePair(parts, rnic.addressHandles(), rnic.datagramFallback());
            case RC -> new RcQueuePair(parts);
            case UC -> new UcQueuePair(parts);
        };
        table.add(qp);
        queuePairs.add(qp);
        sendCq.queuePairs().add(qp);
        receiveCq.queuePairs().add(qp);
        if (config.sharedReceiveQueue() instanceof SoftSharedReceiveQueue shared) {
            shared.queuePairs().add(qp);
        }
        return qp;
    }

    private void removeQueuePair(SoftQueuePair qp) {
        rnic.queuePairs().remove(qp);
        queuePairs.remove(qp);
        if (qp instanceof UdQueuePair reader) {
            rnic.channels().remove(reader);
        }
    }

    private void checkSharedReceiveQueue(@Nullable SharedReceiveQueue queue) {
        if (queue != null
                && !(queue instanceof SoftSharedReceiveQueue shared && shared.domain() == context && shared.isOpen())) {
            throw failure(
                    "ibv_create_qp",
                    Errno.EINVAL,
                    "The shared receive queue is closed or belongs to another protection domain. Create one on"
                            + " this domain.");
        }
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int maxWr, int maxSge) {
        checkCapability("ibv_create_srq", "max_wr", maxWr, DeviceConstants.MAX_QUEUE_WR);
        checkCapability("ibv_create_srq", "max_sge", maxSge, DeviceConstants.MAX_SGE);
        rnic.lock();
        try {
            checkOpen("ibv_create_srq");
            SoftSharedReceiveQueue queue = new SoftSharedReceiveQueue(context, maxWr, maxSge);
            context.memoryAndHandles().add(queue);
            return queue;
        } finally {
            rnic.unlock();
        }
    }

    private static void checkCapabilities(QueuePairCapabilities wanted) {
        checkCapability("ibv_create_qp", "max_send_wr", wanted.maxSendWr(), DeviceConstants.MAX_QUEUE_WR);
        checkCapability("ibv_create_qp", "max_recv_wr", wanted.maxReceiveWr(), DeviceConstants.MAX_QUEUE_WR);
        checkCapability("ibv_create_qp", "max_send_sge", wanted.maxSendSge(), DeviceConstants.MAX_SGE);
        checkCapability("ibv_create_qp", "max_recv_sge", wanted.maxReceiveSge(), DeviceConstants.MAX_SGE);
        checkCapability("ibv_create_qp", "max_inline_data", wanted.maxInlineBytes(), DeviceConstants.MAX_INLINE_BYTES);
    }

    private static void checkCapability(String verb, String name, int wanted, int limit) {
        if (wanted < 0 || wanted > limit) {
            throw failure(verb, Errno.EINVAL, name + " " + wanted + " is out of range. Use 0 to " + limit + ".");
        }
    }

    @Override
    public AddressHandle createAddressHandle(AddressHandleAttributes attributes) {
        context.rnic().link().prepare();
        rnic.lock();
        try {
            checkOpen("ibv_create_ah");
            Route route = Route.resolve(
                    "ibv_create_ah", context.rnic().gids(), context.rnic().link(), attributes, 0);
            AddressHandleTable table = rnic.addressHandles();
            SoftAddressHandle handle = new SoftAddressHandle(context, table, table.nextHandle(), attributes, route);
            table.add(handle);
            context.memoryAndHandles().add(handle);
            return handle;
        } finally {
            rnic.unlock();
        }
    }

    @Override
    public void close() {
        rnic.lock();
        try {
            if (!closed) {
                closed = true;
                queuePairs.closeAll();
                context.memoryAndHandles().closeAll();
                siblings.remove(this);
            }
        } finally {
            rnic.unlock();
        }
        rnic.awaitCopies();
    }

    private static RdmaVerbsException failure(String verb, int errno, String explanation) {
        return new RdmaVerbsException(verb, DeviceConstants.NAME, errno, explanation);
    }
}
