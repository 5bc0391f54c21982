package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.AddressHandleAttributes;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.MemoryRegion;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.VerbsException;
import io.rdmarpc.verbs.ibverbs.ffi.LibIbverbs;
import io.rdmarpc.verbs.ibverbs.ffi.QpInitAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.QpStruct;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/** A protection domain. Closing it closes its queue pairs, then its memory regions and address handles. */
final class IbvProtectionDomain implements ProtectionDomain, Children.Child {

    private final IbvContext context;
    private final LibIbverbs library;
    private final String device;
    private final long pointer;
    private final Lifetime lifetime;
    private final Children queuePairs = new Children();
    private final Children memoryAndHandles = new Children();

    IbvProtectionDomain(IbvContext context, long pointer) {
        this.context = context;
        this.library = context.library();
        this.device = context.deviceName();
        this.pointer = pointer;
        this.lifetime = new Lifetime("protection domain", device);
        context.children().add(this);
    }

    @Override
    public MemoryRegion registerMemory(MemorySegment segment, Set<AccessFlag> access) {
        MemoryRegistration wish = new MemoryRegistration(context, segment, access);
        return lifetime.whileOpen("ibv_reg_mr", () -> IbvMemoryRegion.of(this, wish.register(pointer), wish));
    }

    @Override
    public MemoryRegion registerDmaBuf(
            int fileDescriptor, long offset, long bytes, long ioVirtualAddress, Set<AccessFlag> access) {
        DmaBufRegistration wish =
                new DmaBufRegistration(context, fileDescriptor, offset, bytes, ioVirtualAddress, access);
        return lifetime.whileOpen("ibv_reg_dmabuf_mr", () -> IbvMemoryRegion.of(this, wish.register(pointer), wish));
    }

    @Override
    public QueuePair createQueuePair(QueuePairConfig config) {
        IbvCompletionQueue sendCq = own(config.sendCq());
        IbvCompletionQueue receiveCq = own(config.receiveCq());
        // Always in the same order: two calls with the queues the other way round would wait for two closes for ever.
        boolean sendFirst = sendCq.pointer() <= receiveCq.pointer();
        IbvCompletionQueue first = sendFirst ? sendCq : receiveCq;
        IbvCompletionQueue second = sendFirst ? receiveCq : sendCq;
        return lifetime.whileOpen(
                "ibv_create_qp",
                () -> first.whileOpen(
                        "ibv_create_qp",
                        () -> second.whileOpen("ibv_create_qp", () -> createQueuePair(config, sendCq, receiveCq))));
    }

    private QueuePair createQueuePair(QueuePairConfig config, IbvCompletionQueue sendCq, IbvCompletionQueue receiveCq) {
        try (Arena arena = Arena.ofConfined()) {
            QpInitAttrStruct attributes =
                    QpInitAttrStruct.allocate(arena, config, sendCq.pointer(), receiveCq.pointer());
            long qp = library.createQp(pointer, attributes).pointer(device, errno -> noQp(errno, config));
            return new IbvQueuePair(
                    this,
                    QpStruct.at(qp, pointer, config.type()),
                    config,
                    attributes.capabilities(),
                    sendCq,
                    receiveCq);
        }
    }

    private String noQp(int errno, QueuePairConfig config) {
        String asked = config.type() + " with " + config.capabilities() + " was asked for; the device's limits are "
                + context.attributes().maxQpWr() + " work requests of "
                + context.attributes().maxSge()
                + " entries in each of " + context.attributes().maxQp() + " queue pairs, and for inline data what its"
                + " driver says";
        return errno == Errno.ENOMEM ? asked + ". " + Memlock.advice() : asked;
    }

    private IbvCompletionQueue own(CompletionQueue queue) {
        if (queue instanceof IbvCompletionQueue ours && ours.context() == context) {
            return ours;
        }
        throw refused("ibv_create_qp", "The completion queue " + queue + " was made by another device");
    }

    @Override
    public AddressHandle createAddressHandle(AddressHandleAttributes attributes) {
        return lifetime.whileOpen("ibv_create_ah", () -> {
            long ah = library.createAh(pointer, attributes).pointer(device, errno -> noAh(attributes));
            return new IbvAddressHandle(this, ah, attributes);
        });
    }

    private static String noAh(AddressHandleAttributes attributes) {
        return "There is no way to " + attributes.destinationGid() + " from GID index " + attributes.sourceGidIndex()
                + " of port " + attributes.portNumber()
                + ": is the peer in the same network (ping it), and is the index one of a GID of the same kind?";
    }

    private VerbsException refused(String verb, String explanation) {
        return new VerbsException(verb, device, Errno.EINVAL, explanation);
    }

    IbvContext context() {
        return context;
    }

    Children queuePairs() {
        return queuePairs;
    }

    Children memoryAndHandles() {
        return memoryAndHandles;
    }

    @Override
    public void close() {
        lifetime.end(
                queuePairs::closeAll,
                memoryAndHandles::closeAll,
                () -> context.children().remove(this),
                () -> library.deallocPd(pointer)
                        .check(device, errno -> "Something made from the protection domain is still in use"));
    }
}
