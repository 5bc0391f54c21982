package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.device.Children;
import io.rdmarpc.verbs.ibverbs.device.Lifetime;
import io.rdmarpc.verbs.ibverbs.device.OpenDevice;
import io.rdmarpc.verbs.ibverbs.ffi.LibIbverbs;
import io.rdmarpc.verbs.ibverbs.ffi.struct.MwStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.QpInitAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.QpStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.SrqAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.SrqStruct;
import io.rdmarpc.verbs.ibverbs.registration.DmaBufRegistration;
import io.rdmarpc.verbs.ibverbs.registration.Memlock;
import io.rdmarpc.verbs.ibverbs.registration.MemoryRegistration;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.mr.MemoryWindow;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A protection domain. Closing it closes its memory windows, then queue pairs, then shared receive queues, then memory
 * regions and address handles. A bound window of type 2 references its queue pair: rxe of Linux 6.1 waits 50 s if the
 * queue pair is destroyed first.
 */
final class IbvProtectionDomain implements ProtectionDomain, Children.Child {

    private final OpenDevice context;
    private final LibIbverbs library;
    private final String device;
    private final long pointer;
    private final Lifetime lifetime;
    private final Children memoryWindows = new Children();
    private final Children queuePairs = new Children();
    private final Children receiveQueues = new Children();
    private final Children memoryAndHandles = new Children();

    IbvProtectionDomain(OpenDevice context, long pointer) {
        this.context = context;
        this.library = context.library();
        this.device = context.deviceName();
        this.pointer = pointer;
        this.lifetime = new Lifetime("protection domain", device);
        context.domains().add(this);
    }

    @Override
    public MemoryRegion registerMemory(MemorySegment segment, Set<AccessFlag> access) {
        MemoryRegistration request = new MemoryRegistration(context, segment, access);
        return lifetime.whileOpen("ibv_reg_mr", () -> IbvMemoryRegion.of(this, request.register(pointer), request));
    }

    @Override
    public MemoryRegion registerDmaBuf(
            int fileDescriptor, long offset, long bytes, long ioVirtualAddress, Set<AccessFlag> access) {
        DmaBufRegistration request =
                new DmaBufRegistration(context, fileDescriptor, offset, bytes, ioVirtualAddress, access);
        return lifetime.whileOpen(
                "ibv_reg_dmabuf_mr", () -> IbvMemoryRegion.of(this, request.register(pointer), request));
    }

    @Override
    public QueuePair createQueuePair(QueuePairConfig config) {
        IbvCompletionQueue sendCq = own(config.sendCq());
        IbvCompletionQueue receiveCq = own(config.receiveCq());
        IbvSharedReceiveQueue receives = own(config.sharedReceiveQueue());
        Supplier<QueuePair> creation = () -> createQueuePair(config, sendCq, receiveCq, receives);
        Supplier<QueuePair> whileReceivesOpen =
                receives == null ? creation : () -> receives.whileOpen("ibv_create_qp", creation);
        // Locks the queues in the order of their pointers. Otherwise two calls with swapped queues could deadlock with
        // two concurrent closes.
        boolean sendFirst = sendCq.pointer() <= receiveCq.pointer();
        IbvCompletionQueue first = sendFirst ? sendCq : receiveCq;
        IbvCompletionQueue second = sendFirst ? receiveCq : sendCq;
        return lifetime.whileOpen(
                "ibv_create_qp",
                () -> first.whileOpen("ibv_create_qp", () -> second.whileOpen("ibv_create_qp", whileReceivesOpen)));
    }

    private QueuePair createQueuePair(
            QueuePairConfig config,
            IbvCompletionQueue sendCq,
            IbvCompletionQueue receiveCq,
            @Nullable IbvSharedReceiveQueue receives) {
        try (Arena arena = Arena.ofConfined()) {
            QpInitAttrStruct attributes = QpInitAttrStruct.allocate(
                    arena, config, sendCq.pointer(), receiveCq.pointer(), receives == null ? 0 : receives.pointer());
            long qp = library.createQp(pointer, attributes).pointer(device, errno -> noQp(errno, config));
            List<Children> users = new ArrayList<>(List.of(queuePairs, sendCq.queuePairs()));
            if (receiveCq != sendCq) {
                users.add(receiveCq.queuePairs());
            }
            if (receives != null) {
                users.add(receives.queuePairs());
            }
            QpStruct struct = QpStruct.at(qp, pointer, config.type());
            return new IbvQueuePair(context, struct, config, attributes.capabilities(), users);
        }
    }

    private String noQp(int errno, QueuePairConfig config) {
        String requested = config.type() + " with " + config.capabilities() + " was requested; the device's limits are "
                + context.attributes().maxQpWr() + " work requests of "
                + context.attributes().maxSge()
                + " entries in each of " + context.attributes().maxQp() + " queue pairs. The driver limits inline"
                + " data";
        return errno == Errno.ENOMEM ? requested + ". " + Memlock.advice() : requested;
    }

    private IbvCompletionQueue own(CompletionQueue queue) {
        if (queue instanceof IbvCompletionQueue ours && ours.context() == context) {
            return ours;
        }
        throw invalid("ibv_create_qp", "The completion queue " + queue + " belongs to another device");
    }

    private @Nullable IbvSharedReceiveQueue own(@Nullable SharedReceiveQueue queue) {
        if (queue == null || (queue instanceof IbvSharedReceiveQueue ours && ours.domain() == this)) {
            return (IbvSharedReceiveQueue) queue;
        }
        throw invalid("ibv_create_qp", "The shared receive queue " + queue + " belongs to another protection domain");
    }

    @Override
    public SharedReceiveQueue createSharedReceiveQueue(int maxWr, int maxSge) {
        return lifetime.whileOpen("ibv_create_srq", () -> {
            try (Arena arena = Arena.ofConfined()) {
                SrqAttrStruct attributes = SrqAttrStruct.allocate(arena, maxWr, maxSge, 0);
                long srq = library.createSrq(pointer, attributes).pointer(device, errno -> noSrq(errno, maxWr, maxSge));
                return new IbvSharedReceiveQueue(this, SrqStruct.at(srq, pointer), attributes);
            }
        });
    }

    private static String noSrq(int errno, int maxWr, int maxSge) {
        String requested = maxWr + " receives of " + maxSge + " entries were requested: see the device's"
                + " limits max_srq_wr and max_srq_sge (ibv_devinfo -v)";
        return errno == Errno.ENOMEM ? requested + ". " + Memlock.advice() : requested;
    }

    @Override
    public MemoryWindow allocateMemoryWindow() {
        return lifetime.whileOpen("ibv_alloc_mw", () -> {
            long mw = library.allocMw(context.struct(), pointer)
                    .pointer(
                            device,
                            errno -> "The device has no free memory window of type 2, or none at all: register"
                                    + " the part as a separate region");
            return new IbvMemoryWindow(this, MwStruct.at(mw, pointer));
        });
    }

    @Override
    public AddressHandle createAddressHandle(AddressHandleAttributes attributes) {
        attributes.requireEncodable("ibv_create_ah", device);
        return lifetime.whileOpen("ibv_create_ah", () -> {
            long ah = library.createAh(pointer, attributes).pointer(device, errno -> noAh(attributes));
            return new IbvAddressHandle(this, ah, attributes);
        });
    }

    private static String noAh(AddressHandleAttributes attributes) {
        return "There is no route to " + attributes.destinationGid() + " from GID index " + attributes.sourceGidIndex()
                + " of port " + attributes.portNumber()
                + ": check that the peer is reachable (ping), and that the index has a GID of the same type";
    }

    private RdmaVerbsException invalid(String verb, String explanation) {
        return new RdmaVerbsException(verb, device, Errno.EINVAL, explanation);
    }

    OpenDevice context() {
        return context;
    }

    Children memoryWindows() {
        return memoryWindows;
    }

    Children queuePairs() {
        return queuePairs;
    }

    Children receiveQueues() {
        return receiveQueues;
    }

    Children memoryAndHandles() {
        return memoryAndHandles;
    }

    @Override
    public void close() {
        lifetime.end(
                memoryWindows::closeAll,
                queuePairs::closeAll,
                receiveQueues::closeAll,
                memoryAndHandles::closeAll,
                () -> library.deallocPd(pointer)
                        .check(device, errno -> "An object of the protection domain is still in use"),
                () -> context.domains().remove(this));
    }
}
