package io.rdmarpc.verbs.ibverbs;

import io.rdmarpc.verbs.AsyncEventListener;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ibverbs.device.AsyncEvents;
import io.rdmarpc.verbs.ibverbs.device.Lifetime;
import io.rdmarpc.verbs.ibverbs.device.OpenDevice;
import io.rdmarpc.verbs.ibverbs.device.PortStatePoller;
import io.rdmarpc.verbs.ibverbs.ffi.AsyncEventSource;
import io.rdmarpc.verbs.ibverbs.ffi.DataPath;
import io.rdmarpc.verbs.ibverbs.ffi.LibIbverbs;
import io.rdmarpc.verbs.ibverbs.ffi.struct.CompChannelStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.ContextStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.CqStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.DeviceAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.DeviceStruct;
import io.rdmarpc.verbs.ibverbs.registration.HugePages;
import io.rdmarpc.verbs.ibverbs.registration.Memlock;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** An open device. Closing it closes all open objects that were created from it. */
final class IbvContext implements RdmaContext {

    private static final long NO_CHANNEL = 0;

    private final LibIbverbs library;
    private final OpenDevice device;
    private final ContextStruct struct;
    private final String deviceName;
    private final Path sysfs;
    private final PortGidReader gids;
    private final DeviceAttributes attributes;
    private final Lifetime lifetime;
    private final AsyncEvents events;

    private IbvContext(OpenDevice device, Path sysfs) {
        this.device = device;
        this.library = device.library();
        this.struct = device.struct();
        this.deviceName = device.deviceName();
        this.sysfs = sysfs;
        this.gids = new PortGidReader(library, struct, deviceName, sysfs);
        this.attributes = device.attributes();
        this.lifetime = device.lifetime();
        this.events = new AsyncEvents(
                deviceName,
                device.eventTargets(),
                new PortStatePoller(
                        attributes.physicalPortCount(),
                        port -> device.queryPort(port).isActive()));
    }

    static IbvContext of(LibIbverbs library, DeviceStruct device, ContextStruct struct) {
        DataPath dataPath = library.dataPath(
                struct,
                KernelDriver.postsSendsInUserSpace(device.sysfs()),
                KernelDriver.postsReceivesInUserSpace(device.sysfs()));
        DeviceAttributes attributes = queryDevice(library, device.name(), struct);
        return new IbvContext(new OpenDevice(library, struct, device.name(), dataPath, attributes), device.sysfs());
    }

    private static DeviceAttributes queryDevice(LibIbverbs library, String name, ContextStruct struct) {
        try (Arena arena = Arena.ofConfined()) {
            DeviceAttrStruct result = DeviceAttrStruct.allocate(arena);
            library.queryDevice(struct, result).check(name, errno -> "The driver did not respond; see the kernel log");
            return result.toAttributes(struct.completionVectors());
        }
    }

    @Override
    public String deviceName() {
        return deviceName;
    }

    @Override
    public Map<String, Long> counters(int portNumber) {
        return PortCounters.read(sysfs, portNumber);
    }

    @Override
    public DeviceAttributes attributes() {
        return attributes;
    }

    @Override
    public PortAttributes queryPort(int portNumber) {
        return device.queryPort(portNumber);
    }

    @Override
    public List<GidEntry> gidTable(int portNumber) {
        int entries = queryPort(portNumber).gidTableLength();
        return lifetime.whileOpen(
                "ibv_query_gid_table",
                () -> library.hasGidTable()
                        ? gids.readWhole(portNumber, Math.multiplyExact(entries, attributes.physicalPortCount()))
                        : gids.readEntries(portNumber, entries));
    }

    @Override
    public int queryPartitionKey(int portNumber, int index) {
        int entries = queryPort(portNumber).pkeyTableLength();
        String range = "Entry " + index + " was requested; the table of port " + portNumber + " has entries 0 to "
                + (entries - 1);
        if (index < 0 || index >= entries) {
            throw new RdmaVerbsException("ibv_query_pkey", deviceName, Errno.EINVAL, range);
        }
        return lifetime.whileOpen(
                "ibv_query_pkey", () -> library.queryPkey(struct, portNumber, index, deviceName, errno -> range));
    }

    @Override
    public MemorySegment allocateHugePages(Arena arena, long bytes) {
        return lifetime.whileOpen(
                "mmap(MAP_HUGETLB)", () -> HugePages.of(deviceName).allocate(arena, bytes));
    }

    @Override
    public ProtectionDomain allocateProtectionDomain() {
        return lifetime.whileOpen("ibv_alloc_pd", () -> {
            long pointer = library.allocPd(struct)
                    .pointer(
                            deviceName,
                            errno -> "The device has no free protection domain, or the process may not"
                                    + " lock memory. " + Memlock.advice());
            return new IbvProtectionDomain(device, pointer);
        });
    }

    @Override
    public CompletionQueue createCompletionQueue(int entries) {
        return lifetime.whileOpen("ibv_create_cq", () -> createCompletionQueue(entries, null, NO_CHANNEL));
    }

    private CompletionQueue createCompletionQueue(
            int entries, @Nullable IbvCompletionChannel channel, long channelPointer) {
        long pointer =
                library.createCq(struct, entries, channelPointer).pointer(deviceName, errno -> noCq(errno, entries));
        return new IbvCompletionQueue(device, CqStruct.at(pointer, struct, entries), channel);
    }

    private String noCq(int errno, int entries) {
        String requested = entries + " entries were requested; the device's limits are " + attributes.maxCqe()
                + " entries in each of " + attributes.maxCq() + " queues";
        return errno == Errno.ENOMEM ? requested + ". " + Memlock.advice() : requested;
    }

    @Override
    public CompletionChannel createCompletionChannel() {
        return lifetime.whileOpen("ibv_create_comp_channel", () -> {
            long pointer = library.createCompChannel(struct)
                    .pointer(deviceName, errno -> "Check the limit of open files (ulimit -n)");
            return createCompletionChannel(CompChannelStruct.at(pointer, struct));
        });
    }

    private CompletionChannel createCompletionChannel(CompChannelStruct channel) {
        try {
            return new IbvCompletionChannel(device, channel, library.waitOn(channel, deviceName));
        } catch (RdmaVerbsException e) {
            library.destroyCompChannel(channel);
            throw e;
        }
    }

    @Override
    public CompletionQueue createCompletionQueue(int entries, CompletionChannel channel) {
        if (!(channel instanceof IbvCompletionChannel ours) || ours.context() != device) {
            throw new RdmaVerbsException(
                    "ibv_create_cq", deviceName, Errno.EINVAL, "The channel " + channel + " belongs to another device");
        }
        return lifetime.whileOpen(
                "ibv_create_cq",
                () -> ours.whileOpen("ibv_create_cq", () -> createCompletionQueue(entries, ours, ours.pointer())));
    }

    @Override
    public Subscription onAsyncEvent(AsyncEventListener listener) {
        return onAsyncEvent(listener, () -> library.asyncEvents(struct, deviceName));
    }

    /** Adds a listener. The first subscription determines the source of the events. */
    Subscription onAsyncEvent(AsyncEventListener listener, Supplier<AsyncEventSource> source) {
        return lifetime.whileOpen("ibv_get_async_event", () -> events.subscribe(listener, source));
    }

    PortGidReader gids() {
        return gids;
    }

    @Override
    public void close() {
        lifetime.end(
                events::stop,
                // Closes the domains first, because they close memory windows before queue pairs. Closing a completion
                // queue first would close its queue pairs before the memory windows.
                device.domains()::closeAll,
                device.children()::closeAll,
                () -> library.closeDevice(struct)
                        .check(deviceName, errno -> "The device stays open until the process ends"));
    }
}
