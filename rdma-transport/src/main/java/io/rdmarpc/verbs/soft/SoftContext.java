package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.AsyncEventListener;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AtomicCapability;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.DeviceAttributes.AddressLimits;
import io.rdmarpc.verbs.attributes.DeviceAttributes.MemoryLimits;
import io.rdmarpc.verbs.attributes.DeviceAttributes.ObsoleteLimits;
import io.rdmarpc.verbs.attributes.DeviceAttributes.QueueLimits;
import io.rdmarpc.verbs.attributes.DeviceAttributes.ReadLimits;
import io.rdmarpc.verbs.attributes.DeviceCapability;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.LinkLayer;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.attributes.PortCapability;
import io.rdmarpc.verbs.attributes.PortLink;
import io.rdmarpc.verbs.attributes.PortState;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.soft.domain.MemoryTable;
import io.rdmarpc.verbs.soft.ffi.AnonymousPages;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.qp.QueuePairTable;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.soft.rnic.OpenChildren;
import io.rdmarpc.verbs.soft.rnic.ProgressThread;
import io.rdmarpc.verbs.soft.rnic.RnicContext;
import io.rdmarpc.verbs.soft.rnic.SoftCompletionChannel;
import io.rdmarpc.verbs.soft.rnic.SoftCompletionQueue;
import io.rdmarpc.verbs.soft.rnic.SoftRnicCounters;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An open software RNIC. Closing it closes everything that was created from it and is still open. */
final class SoftContext implements RdmaContext {

    private static final String CREATE_CQ = "ibv_create_cq";
    private static final int MAX_COMPLETION_QUEUES = 1 << 16;
    private static final long ANY_PAGE_SIZE = -1L << 12;
    private static final int MAX_VIOLATIONS = 0xFFFF;
    private static final int DEFAULT_PARTITION = 0xFFFF;

    /** Same as the kernel's rxe reports, whatever the interface is: width 1X, speed 10 Gbit/s. */
    private static final PortLink LINK = new PortLink(PortLink.PhysicalState.LINK_UP, 1, 8);

    private static final PortLink NO_LINK = new PortLink(PortLink.PhysicalState.DISABLED, 1, 8);

    private static final long LOCALLY_ADMINISTERED = 0x0200_00FF_FE00_0000L;

    private final SoftRnic rnic;
    private final RnicContext context;
    private final OpenChildren children = new OpenChildren();
    private final @Nullable ProgressThread progressThread;
    private boolean closed;

    /** Creates a context that makes progress only while a thread polls or waits. */
    SoftContext(SoftRnic rnic) {
        this(rnic, null);
    }

    /** Creates a context that a progress thread runs as well, unless the argument is null. */
    SoftContext(SoftRnic rnic, @Nullable ProgressThread progressThread) {
        this.rnic = rnic;
        this.context = rnic.context();
        this.progressThread = progressThread;
    }

    @Override
    public String deviceName() {
        return DeviceConstants.NAME;
    }

    @Override
    public DeviceAttributes attributes() {
        long guid = LOCALLY_ADMINISTERED | context.port();
        return new DeviceAttributes(
                "soft",
                guid,
                guid,
                0,
                0,
                0,
                DeviceConstants.PORT_NUMBER,
                1,
                0,
                DeviceCapability.RC_RNR_NAK_GEN.bit(),
                AtomicCapability.GLOB,
                new MemoryLimits(
                        DeviceConstants.MAX_REGION_BYTES, ANY_PAGE_SIZE, MemoryTable.MAX_REGIONS, 0, Integer.MAX_VALUE),
                new QueueLimits(
                        QueuePairTable.MAX_QUEUE_PAIRS,
                        DeviceConstants.MAX_QUEUE_WR,
                        DeviceConstants.MAX_SGE,
                        DeviceConstants.MAX_SGE,
                        MAX_COMPLETION_QUEUES,
                        DeviceConstants.MAX_COMPLETIONS,
                        Integer.MAX_VALUE,
                        DeviceConstants.MAX_QUEUE_WR,
                        DeviceConstants.MAX_SGE),
                new ReadLimits(
                        DeviceConstants.MAX_READS,
                        DeviceConstants.MAX_READS,
                        DeviceConstants.MAX_READS * QueuePairTable.MAX_QUEUE_PAIRS),
                new AddressLimits(Integer.MAX_VALUE, 1, 0, 0, 0),
                ObsoleteLimits.NONE);
    }

    @Override
    public PortAttributes queryPort(int portNumber) {
        checkPort("ibv_query_port", portNumber);
        boolean isActive = rnic.softPort().state().isActive();
        return new PortAttributes(
                isActive ? PortState.ACTIVE : PortState.DOWN,
                PathMtu.MTU_4096,
                context.gids().largestMtu(),
                context.gids().size(),
                1,
                DeviceConstants.MAX_MESSAGE_BYTES,
                context.port() == LinkAddress.ROCE_PORT ? 0 : context.port(),
                LinkLayer.ETHERNET,
                PortCapability.IP_BASED_GIDS.bit(),
                0,
                isActive ? LINK : NO_LINK,
                PortAttributes.Subnet.NONE,
                violations());
    }

    @Override
    public Map<String, Long> counters(int portNumber) {
        checkPort("counters", portNumber);
        return context.counters().byName();
    }

    private PortAttributes.Counters violations() {
        SoftRnicCounters counters = context.counters();
        return new PortAttributes.Counters(
                limited(counters.dropped(DropReason.WRONG_PKEY)), limited(counters.dropped(DropReason.WRONG_QKEY)));
    }

    /** Limits a count to the 16 bits of the port's violation counters (14.2.5.6). */
    private static int limited(long count) {
        return (int) Math.min(count, MAX_VIOLATIONS);
    }

    /** {@inheritDoc} The table has one entry, the default partition. */
    @Override
    public int queryPartitionKey(int portNumber, int index) {
        checkPort("ibv_query_pkey", portNumber);
        if (index != 0) {
            throw new RdmaVerbsException(
                    "ibv_query_pkey",
                    DeviceConstants.NAME,
                    Errno.EINVAL,
                    "The P_Key table has no entry " + index + ". Use entry 0, the only one.");
        }
        return DEFAULT_PARTITION;
    }

    @Override
    public List<GidEntry> gidTable(int portNumber) {
        checkPort("ibv_query_gid_table", portNumber);
        return rnic.softPort().state().gids();
    }

    private static void checkPort(String verb, int portNumber) {
        if (portNumber != DeviceConstants.PORT_NUMBER) {
            throw new RdmaVerbsException(
                    verb,
                    DeviceConstants.NAME,
                    Errno.EINVAL,
                    "Port " + portNumber + " does not exist. The only port is " + DeviceConstants.PORT_NUMBER + ".");
        }
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        rnic.lock();
        try {
            checkOpen("ibv_alloc_pd");
            return new SoftProtectionDomain(rnic, children);
        } finally {
            rnic.unlock();
        }
    }

    @Override
    public CompletionQueue createCompletionQueue(int entries) {
        SoftCompletionQueue.checkCapacity(CREATE_CQ, entries);
        rnic.lock();
        try {
            checkOpen(CREATE_CQ);
            return new SoftCompletionQueue(context, rnic.events(), rnic.queuePairs(), entries, null, children);
        } finally {
            rnic.unlock();
        }
    }

    @Override
    public CompletionQueue createCompletionQueue(int entries, CompletionChannel channel) {
        SoftCompletionQueue.checkCapacity(CREATE_CQ, entries);
        rnic.lock();
        try {
            checkOpen(CREATE_CQ);
            if (!(channel instanceof SoftCompletionChannel own) || own.rnic() != context) {
                throw new RdmaVerbsException(
                        CREATE_CQ,
                        DeviceConstants.NAME,
                        Errno.EINVAL,
                        "The completion channel belongs to another device. Create it on this context.");
            }
            own.checkOpen(CREATE_CQ);
            return new SoftCompletionQueue(context, rnic.events(), rnic.queuePairs(), entries, own, children);
        } finally {
            rnic.unlock();
        }
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        rnic.lock();
        try {
            checkOpen("ibv_create_comp_channel");
            return new SoftCompletionChannel(context, children);
        } finally {
            rnic.unlock();
        }
    }

    /** {@inheritDoc} The kernel allocates a page at its first use, because most receives are never filled. */
    @Override
    public MemorySegment allocateMemory(Arena arena, long bytes) {
        return AnonymousPages.allocate(arena, bytes);
    }

    /** {@inheritDoc} The memory is shared memory as long as its limit allows. */
    @Override
    public MemorySegment allocateLendable(Arena arena, long bytes) {
        PeerMemory shared = context.peerMemory();
        if (shared != null) {
            try {
                return shared.allocate(arena, bytes);
            } catch (IOException e) {
                System.getLogger(SoftContext.class.getName())
                        .log(
                                Level.DEBUG,
                                "Memory cannot be shared with peers on this host, so its data is sent to"
                                        + " them: {0}",
                                e.getMessage());
            }
        }
        return RdmaContext.super.allocateLendable(arena, bytes);
    }

    private void checkOpen(String verb) {
        if (closed) {
            throw new RdmaVerbsException(
                    verb, DeviceConstants.NAME, Errno.EINVAL, "The device is closed. Open it again.");
        }
    }

    /** Returns the context that all parts of the RNIC share. */
    RnicContext rnic() {
        return context;
    }

    @Override
    public Subscription onAsyncEvent(AsyncEventListener listener) {
        rnic.events().checkPort();
        rnic.lock();
        try {
            checkOpen("ibv_get_async_event");
            return rnic.events().subscribe(listener);
        } finally {
            rnic.unlock();
        }
    }

    @Override
    public void close() {
        closeAll();
        if (progressThread != null) {
            progressThread.join();
        }
    }

    private void closeAll() {
        closeChildren();
        rnic.awaitCopies();
        rnic.lock();
        try {
            if (!context.isClosed()) {
                rnic.close();
            }
        } finally {
            rnic.unlock();
        }
    }

    private void closeChildren() {
        rnic.lock();
        try {
            if (!closed) {
                closed = true;
                children.closeAll();
            }
        } finally {
            rnic.unlock();
        }
    }
}
