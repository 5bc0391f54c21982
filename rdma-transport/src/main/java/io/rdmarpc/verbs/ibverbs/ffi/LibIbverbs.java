package io.rdmarpc.verbs.ibverbs.ffi;

import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ffi.Reply;
import io.rdmarpc.verbs.ibverbs.ffi.struct.AhAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.CompChannelStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.ContextStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.CqStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.DeviceAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.DeviceStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.GidEntryStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.LayoutCheck;
import io.rdmarpc.verbs.ibverbs.ffi.struct.MrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.MwStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.PortAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.QpAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.QpInitAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.QpStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.SrqAttrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.SrqStruct;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The symbols of libibverbs that this library uses, each with its C declaration (infiniband/verbs.h). Pointers are
 * longs. The verbs that are inline functions in C are in {@link DataPath}.
 */
public final class LibIbverbs {

    static final String FILE = "libibverbs.so.1";

    /** Minimum release of rdma-core; symbols of later releases are optional. */
    private static final int RELEASE = 17;

    private static final MemoryLayout POINTER = CStruct.POINTER;
    private static final MemoryLayout SIZE = CStruct.U64;
    private static final MemoryLayout INT = CStruct.U32;
    private static final MemoryLayout BYTE = CStruct.U8;

    /** {@code int ibv_query_port(struct ibv_context *, uint8_t port_num, struct ibv_port_attr *, size_t)}. */
    private static final FunctionDescriptor QUERY_PORT = FunctionDescriptor.of(INT, POINTER, BYTE, POINTER, SIZE);

    private static @Nullable LibIbverbs loaded;

    private final NativeLibrary library;
    private final ControlCall getDeviceList;
    private final ControlCall freeDeviceList;
    private final ControlCall openDevice;
    private final ControlCall closeDevice;
    private final ControlCall queryDevice;
    private final ControlCall legacyQueryPort;
    private final ControlCall queryGid;
    private final @Nullable ControlCall queryGidTable;
    private final ControlCall queryPkey;
    private final ControlCall getDeviceGuid;
    private final ControlCall allocPd;
    private final ControlCall deallocPd;
    private final ControlCall regMr;
    private final ControlCall deregMr;
    private final RegistrationVerbs registration;
    private final ControlCall createCq;
    private final ControlCall destroyCq;
    private final ControlCall resizeCq;
    private final ControlCall createCompChannel;
    private final ControlCall destroyCompChannel;
    private final MemorySegment getCqEvent;
    private final MemorySegment ackCqEvents;
    private final ControlCall getAsyncEvent;
    private final ControlCall ackAsyncEvent;
    private final ControlCall createQp;
    private final ControlCall modifyQp;
    private final ControlCall queryQp;
    private final ControlCall destroyQp;
    private final ControlCall createSrq;
    private final ControlCall modifySrq;
    private final ControlCall querySrq;
    private final ControlCall destroySrq;
    private final ControlCall createAh;
    private final ControlCall destroyAh;

    private LibIbverbs(NativeLibrary library) {
        this.library = library;
        // struct ibv_device **ibv_get_device_list(int *num_devices);
        getDeviceList = verb("ibv_get_device_list", returnsPointer(POINTER));
        // void ibv_free_device_list(struct ibv_device **list);
        freeDeviceList = verb("ibv_free_device_list", FunctionDescriptor.ofVoid(POINTER));
        // struct ibv_context *ibv_open_device(struct ibv_device *device);
        openDevice = verb("ibv_open_device", returnsPointer(POINTER));
        // int ibv_close_device(struct ibv_context *context);
        closeDevice = verb("ibv_close_device", returnsInt(POINTER));
        // int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *device_attr);
        queryDevice = verb("ibv_query_device", returnsInt(POINTER, POINTER));
        // int ibv_query_port(struct ibv_context *, uint8_t port_num, struct _compat_ibv_port_attr *);
        legacyQueryPort = verb("ibv_query_port", returnsInt(POINTER, BYTE, POINTER));
        // int ibv_query_gid(struct ibv_context *context, uint8_t port_num, int index, union ibv_gid *gid);
        queryGid = verb("ibv_query_gid", returnsInt(POINTER, BYTE, INT, POINTER));
        // ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries,
        //                              size_t max_entries, uint32_t flags, size_t entry_size);  since rdma-core 33
        queryGidTable =
                optionalVerb("_ibv_query_gid_table", FunctionDescriptor.of(SIZE, POINTER, POINTER, SIZE, INT, SIZE));
        // int ibv_query_pkey(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey);
        queryPkey = verb("ibv_query_pkey", returnsInt(POINTER, BYTE, INT, POINTER));
        // __be64 ibv_get_device_guid(struct ibv_device *device);
        getDeviceGuid = verb("ibv_get_device_guid", FunctionDescriptor.of(SIZE, POINTER));
        // struct ibv_pd *ibv_alloc_pd(struct ibv_context *context);
        allocPd = verb("ibv_alloc_pd", returnsPointer(POINTER));
        // int ibv_dealloc_pd(struct ibv_pd *pd);
        deallocPd = verb("ibv_dealloc_pd", returnsInt(POINTER));
        // struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access);
        regMr = verb("ibv_reg_mr", returnsPointer(POINTER, POINTER, SIZE, INT));
        // int ibv_dereg_mr(struct ibv_mr *mr);
        deregMr = verb("ibv_dereg_mr", returnsInt(POINTER));
        registration = new RegistrationVerbs(library);
        // struct ibv_cq *ibv_create_cq(struct ibv_context *context, int cqe, void *cq_context,
        //                              struct ibv_comp_channel *channel, int comp_vector);
        createCq = verb("ibv_create_cq", returnsPointer(POINTER, INT, POINTER, POINTER, INT));
        // int ibv_destroy_cq(struct ibv_cq *cq);
        destroyCq = verb("ibv_destroy_cq", returnsInt(POINTER));
        // int ibv_resize_cq(struct ibv_cq *cq, int cqe);
        resizeCq = verb("ibv_resize_cq", returnsInt(POINTER, INT));
        // struct ibv_comp_channel *ibv_create_comp_channel(struct ibv_context *context);
        createCompChannel = verb("ibv_create_comp_channel", returnsPointer(POINTER));
        // int ibv_destroy_comp_channel(struct ibv_comp_channel *channel);
        destroyCompChannel = verb("ibv_destroy_comp_channel", returnsInt(POINTER));
        // Used by CompletionEvents, which has the declarations.
        getCqEvent = library.symbol("ibv_get_cq_event");
        ackCqEvents = library.symbol("ibv_ack_cq_events");
        // int ibv_get_async_event(struct ibv_context *context, struct ibv_async_event *event);
        getAsyncEvent = verb("ibv_get_async_event", returnsInt(POINTER, POINTER));
        // void ibv_ack_async_event(struct ibv_async_event *event);
        ackAsyncEvent = verb("ibv_ack_async_event", FunctionDescriptor.ofVoid(POINTER));
        // struct ibv_qp *ibv_create_qp(struct ibv_pd *pd, struct ibv_qp_init_attr *qp_init_attr);
        createQp = verb("ibv_create_qp", returnsPointer(POINTER, POINTER));
        // int ibv_modify_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask);
        modifyQp = verb("ibv_modify_qp", returnsInt(POINTER, POINTER, INT));
        // int ibv_query_qp(struct ibv_qp *qp, struct ibv_qp_attr *attr, int attr_mask,
        //                  struct ibv_qp_init_attr *init_attr);
        queryQp = verb("ibv_query_qp", returnsInt(POINTER, POINTER, INT, POINTER));
        // int ibv_destroy_qp(struct ibv_qp *qp);
        destroyQp = verb("ibv_destroy_qp", returnsInt(POINTER));
        // struct ibv_srq *ibv_create_srq(struct ibv_pd *pd, struct ibv_srq_init_attr *srq_init_attr);
        createSrq = verb("ibv_create_srq", returnsPointer(POINTER, POINTER));
        // int ibv_modify_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr, int srq_attr_mask);
        modifySrq = verb("ibv_modify_srq", returnsInt(POINTER, POINTER, INT));
        // int ibv_query_srq(struct ibv_srq *srq, struct ibv_srq_attr *srq_attr);
        querySrq = verb("ibv_query_srq", returnsInt(POINTER, POINTER));
        // int ibv_destroy_srq(struct ibv_srq *srq);
        destroySrq = verb("ibv_destroy_srq", returnsInt(POINTER));
        // struct ibv_ah *ibv_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr);
        createAh = verb("ibv_create_ah", returnsPointer(POINTER, POINTER));
        // int ibv_destroy_ah(struct ibv_ah *ah);
        destroyAh = verb("ibv_destroy_ah", returnsInt(POINTER));
    }

    /**
     * Returns the library and loads it at the first call. If loading fails, each call retries and reports the reason.
     */
    public static synchronized LibIbverbs get() {
        if (loaded == null) {
            loaded = load(FILE);
        }
        return loaded;
    }

    static LibIbverbs load(String file) {
        NativeLibrary library = NativeLibrary.open(file, "libibverbs1 ibverbs-providers", RELEASE);
        LibIbverbs verbs = new LibIbverbs(library);
        SymbolVersions.check(
                file,
                library,
                "ibv_get_device_list",
                "ibv_open_device",
                "ibv_reg_mr",
                "ibv_create_qp",
                "ibv_get_cq_event",
                "ibv_get_async_event");
        return verbs;
    }

    private static FunctionDescriptor returnsInt(MemoryLayout... arguments) {
        return FunctionDescriptor.of(INT, arguments);
    }

    private static FunctionDescriptor returnsPointer(MemoryLayout... arguments) {
        return FunctionDescriptor.of(POINTER, arguments);
    }

    private ControlCall verb(String name, FunctionDescriptor signature) {
        return new ControlCall(name, library.symbol(name), signature);
    }

    private @Nullable ControlCall optionalVerb(String name, FunctionDescriptor signature) {
        return library.optionalSymbol(name)
                .map(function -> new ControlCall(name, function, signature))
                .orElse(null);
    }

    /** Returns the current devices. */
    public DeviceList deviceList(IntFunction<String> explanation) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment count = arena.allocate(CStruct.U32);
            long list = getDeviceList.call(count.address()).pointer("", explanation);
            return new DeviceList(this, list, count.get(CStruct.U32, 0));
        }
    }

    void freeDeviceList(long list) {
        freeDeviceList.call(list);
    }

    /** Opens a device. */
    public ContextStruct openDevice(DeviceStruct device, IntFunction<String> explanation) {
        long pointer = openDevice.call(device.pointer()).pointer(device.name(), explanation);
        ContextStruct context = ContextStruct.at(pointer);
        LayoutCheck.same("ibv_context.device", device.pointer(), context.device());
        return context;
    }

    /** Closes a context. */
    public Reply closeDevice(ContextStruct context) {
        return closeDevice.call(context.pointer());
    }

    /** Returns the verbs of the hot path. */
    public DataPath dataPath(ContextStruct context, boolean sendsInUserSpace, boolean receivesInUserSpace) {
        return new DataPath(
                function("ibv_context.ops.poll_cq", context.pollCq()),
                function("ibv_context.ops.req_notify_cq", context.requestNotifyCq()),
                function("ibv_context.ops.post_send", context.postSend()),
                function("ibv_context.ops.post_recv", context.postReceive()),
                function("ibv_context.ops.post_srq_recv", context.postSrqReceive()),
                sendsInUserSpace,
                receivesInUserSpace);
    }

    private static MemorySegment function(String field, long pointer) {
        LayoutCheck.that(pointer != 0, field, pointer);
        return MemorySegment.ofAddress(pointer);
    }

    /** Fills the device's attributes. */
    public Reply queryDevice(ContextStruct context, DeviceAttrStruct attributes) {
        return queryDevice.call(context.pointer(), attributes.memory().address());
    }

    /**
     * Fills a port's attributes. The exported function serves programs from before 2012 and omits fields. The header
     * therefore calls the provider's own entry and falls back to the exported function; this method does the same.
     */
    public Reply queryPort(ContextStruct context, int portNumber, PortAttrStruct attributes) {
        MemorySegment memory = attributes.memory();
        long entry = context.queryPort();
        if (entry == 0) {
            return legacyQueryPort.call(context.pointer(), (byte) portNumber, memory.address());
        }
        return new ControlCall("ibv_query_port", MemorySegment.ofAddress(entry), QUERY_PORT)
                .call(context.pointer(), (byte) portNumber, memory.address(), memory.byteSize());
    }

    /** Returns whether the GID table can be queried as a whole. */
    public boolean hasGidTable() {
        return queryGidTable != null;
    }

    /** Returns the used entries of all ports. */
    public List<GidEntryStruct> queryGidTable(
            Arena arena, ContextStruct context, int maxEntries, String device, IntFunction<String> explanation) {
        MemorySegment array = GidEntryStruct.allocateArray(arena, maxEntries);
        if (queryGidTable == null) {
            throw new RdmaVerbsException("_ibv_query_gid_table", device, Errno.EOPNOTSUPP, explanation.apply(0));
        }
        int count = queryGidTable
                .call(context.pointer(), array.address(), (long) maxEntries, 0, GidEntryStruct.LAYOUT.byteSize())
                .count(device, explanation);
        return IntStream.range(0, count)
                .mapToObj(i -> GidEntryStruct.of(array, i))
                .toList();
    }

    /** Fills one {@code union ibv_gid}. */
    public Reply queryGid(ContextStruct context, int portNumber, int index, MemorySegment gid) {
        return queryGid.call(context.pointer(), (byte) portNumber, index, gid.address());
    }

    /** Reads an entry of a partition key table. */
    public int queryPkey(
            ContextStruct context, int portNumber, int index, String device, IntFunction<String> explanation) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment key = arena.allocate(CStruct.U16);
            queryPkey
                    .call(context.pointer(), (byte) portNumber, index, key.address())
                    .check(device, explanation);
            return Short.toUnsignedInt(key.get(CStruct.U16.withOrder(ByteOrder.BIG_ENDIAN), 0));
        }
    }

    /** Returns the device's GUID, big-endian bits; 0 if it has none. */
    public long deviceGuid(DeviceStruct device) {
        long asInMemory = getDeviceGuid.call(device.pointer()).value();
        return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? asInMemory : Long.reverseBytes(asInMemory);
    }

    /** Returns the registration verbs other than {@code ibv_reg_mr}. */
    public RegistrationVerbs registration() {
        return registration;
    }

    /** Allocates a protection domain. */
    public Reply allocPd(ContextStruct context) {
        return allocPd.call(context.pointer());
    }

    /** Frees a protection domain. */
    public Reply deallocPd(long pd) {
        return deallocPd.call(pd);
    }

    /** Registers memory. */
    public Reply regMr(long pd, MemorySegment memory, int access) {
        return regMr.call(pd, memory.address(), memory.byteSize(), access);
    }

    /** Deregisters memory. */
    public Reply deregMr(MrStruct mr) {
        return deregMr.call(mr.pointer());
    }

    /** Creates a completion queue; with channel 0 it has no events. */
    public Reply createCq(ContextStruct context, int entries, long channel) {
        return createCq.call(context.pointer(), entries, 0L, channel, 0);
    }

    /** Changes the capacity of a completion queue. */
    public Reply resizeCq(CqStruct cq, int entries) {
        return resizeCq.call(cq.pointer(), entries);
    }

    /** Creates a completion channel. */
    public Reply createCompChannel(ContextStruct context) {
        return createCompChannel.call(context.pointer());
    }

    /** Destroys a completion channel. */
    public Reply destroyCompChannel(CompChannelStruct channel) {
        return destroyCompChannel.call(channel.pointer());
    }

    /** Returns a reader of a channel's events. */
    public CompletionEvents completionEvents(CompChannelStruct channel) {
        return new CompletionEvents(getCqEvent, ackCqEvents, channel.pointer());
    }

    /** Returns a wait for a channel's events. */
    public DescriptorWait waitOn(CompChannelStruct channel, String device) {
        return DescriptorWait.on(channel.fileDescriptor(), device);
    }

    /** Returns the source of a device's asynchronous events. */
    public AsyncEventSource asyncEvents(ContextStruct context, String device) {
        return new LibraryAsyncEvents(getAsyncEvent, ackAsyncEvent, context, device);
    }

    /** Destroys a completion queue. */
    public Reply destroyCq(CqStruct cq) {
        return destroyCq.call(cq.pointer());
    }

    /** Creates a queue pair. */
    public Reply createQp(long pd, QpInitAttrStruct attributes) {
        return createQp.call(pd, attributes.memory().address());
    }

    /** Modifies a queue pair. */
    public Reply modifyQp(QpStruct qp, QpAttrStruct attributes, int mask) {
        return modifyQp.call(qp.pointer(), attributes.memory().address(), mask);
    }

    /** Queries attributes of a queue pair. */
    public Reply queryQp(QpStruct qp, QpAttrStruct attributes, int mask) {
        try (Arena arena = Arena.ofConfined()) {
            long ignored = arena.allocate(QpInitAttrStruct.LAYOUT).address();
            return queryQp.call(qp.pointer(), attributes.memory().address(), mask, ignored);
        }
    }

    /** Destroys a queue pair. */
    public Reply destroyQp(QpStruct qp) {
        return destroyQp.call(qp.pointer());
    }

    /** Creates a shared receive queue; the attributes return the granted sizes. */
    public Reply createSrq(long pd, SrqAttrStruct attributes) {
        return createSrq.call(pd, attributes.whole().address());
    }

    /** Modifies a shared receive queue. */
    public Reply modifySrq(SrqStruct srq, SrqAttrStruct attributes, int mask) {
        return modifySrq.call(srq.pointer(), attributes.inner().address(), mask);
    }

    /** Queries the attributes of a shared receive queue. */
    public Reply querySrq(SrqStruct srq, SrqAttrStruct attributes) {
        return querySrq.call(srq.pointer(), attributes.inner().address());
    }

    /** Destroys a shared receive queue. */
    public Reply destroySrq(SrqStruct srq) {
        return destroySrq.call(srq.pointer());
    }

    /** Allocates a memory window of type 2 through the context's pointer: in C an inline function of the header. */
    public Reply allocMw(ContextStruct context, long pd) {
        return operation("ibv_alloc_mw", context.allocateMw(), returnsPointer(POINTER, INT), pd, MwStruct.TYPE_2);
    }

    /** Frees a memory window through the context's pointer. */
    public Reply deallocMw(ContextStruct context, MwStruct mw) {
        return operation("ibv_dealloc_mw", context.deallocateMw(), returnsInt(POINTER), mw.pointer());
    }

    /** Calls a function that a provider may lack. */
    private static Reply operation(String verb, long pointer, FunctionDescriptor signature, Object... arguments) {
        return pointer == 0
                ? new Reply(verb, 0, Errno.EOPNOTSUPP)
                : new ControlCall(verb, MemorySegment.ofAddress(pointer), signature).call(arguments);
    }

    /** Creates an address handle. */
    public Reply createAh(long pd, AddressHandleAttributes attributes) {
        try (Arena arena = Arena.ofConfined()) {
            return createAh.call(pd, AhAttrStruct.allocate(arena, attributes).address());
        }
    }

    /** Destroys an address handle. */
    public Reply destroyAh(long ah) {
        return destroyAh.call(ah);
    }
}
