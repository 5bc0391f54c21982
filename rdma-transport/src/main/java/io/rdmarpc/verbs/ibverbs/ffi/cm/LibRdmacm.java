package io.rdmarpc.verbs.ibverbs.ffi.cm;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.ControlCall;
import io.rdmarpc.verbs.ffi.Reply;
import io.rdmarpc.verbs.ffi.SockAddrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.DescriptorWait;
import io.rdmarpc.verbs.ibverbs.ffi.NativeLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The symbols of librdmacm that this library uses, each with its C declaration (rdma/rdma_cma.h). Pointers are longs.
 * Every verb that can fail returns -1 and sets {@code errno}.
 */
public final class LibRdmacm {

    static final String FILE = "librdmacm.so.1";

    /** The first rdma-core release with {@code rdma_establish} and {@code rdma_init_qp_attr}. */
    private static final int RELEASE = 23;

    public static final int PS_TCP = 0x106;
    public static final int OPTION_ID = 0;
    public static final int OPTION_ID_TOS = 0;

    private static final MemoryLayout POINTER = CStruct.POINTER;
    private static final MemoryLayout SIZE = CStruct.U64;
    private static final MemoryLayout INT = CStruct.U32;
    private static final MemoryLayout BYTE = CStruct.U8;

    private static @Nullable LibRdmacm loaded;

    private final NativeLibrary library;
    private final ControlCall createEventChannel;
    private final ControlCall destroyEventChannel;
    private final ControlCall createId;
    private final ControlCall destroyId;
    private final ControlCall migrateId;
    private final ControlCall setOption;
    private final ControlCall bindAddr;
    private final ControlCall resolveAddr;
    private final ControlCall resolveRoute;
    private final ControlCall connect;
    private final ControlCall establish;
    private final ControlCall listen;
    private final ControlCall accept;
    private final ControlCall reject;
    private final ControlCall disconnect;
    private final ControlCall getCmEvent;
    private final ControlCall ackCmEvent;
    private final ControlCall initQpAttr;

    private LibRdmacm(NativeLibrary library) {
        this.library = library;
        // struct rdma_event_channel *rdma_create_event_channel(void);
        createEventChannel = verb("rdma_create_event_channel", FunctionDescriptor.of(POINTER));
        // void rdma_destroy_event_channel(struct rdma_event_channel *channel);
        destroyEventChannel = verb("rdma_destroy_event_channel", FunctionDescriptor.ofVoid(POINTER));
        // int rdma_create_id(struct rdma_event_channel *channel, struct rdma_cm_id **id, void *context,
        //                    enum rdma_port_space ps);
        createId = verb("rdma_create_id", returnsInt(POINTER, POINTER, POINTER, INT));
        // int rdma_destroy_id(struct rdma_cm_id *id);
        destroyId = verb("rdma_destroy_id", returnsInt(POINTER));
        // int rdma_migrate_id(struct rdma_cm_id *id, struct rdma_event_channel *channel);
        migrateId = verb("rdma_migrate_id", returnsInt(POINTER, POINTER));
        // int rdma_set_option(struct rdma_cm_id *id, int level, int optname, void *optval, size_t optlen);
        setOption = verb("rdma_set_option", returnsInt(POINTER, INT, INT, POINTER, SIZE));
        // int rdma_bind_addr(struct rdma_cm_id *id, struct sockaddr *addr);
        bindAddr = verb("rdma_bind_addr", returnsInt(POINTER, POINTER));
        // int rdma_resolve_addr(struct rdma_cm_id *id, struct sockaddr *src_addr, struct sockaddr *dst_addr,
        //                       int timeout_ms);
        resolveAddr = verb("rdma_resolve_addr", returnsInt(POINTER, POINTER, POINTER, INT));
        // int rdma_resolve_route(struct rdma_cm_id *id, int timeout_ms);
        resolveRoute = verb("rdma_resolve_route", returnsInt(POINTER, INT));
        // int rdma_connect(struct rdma_cm_id *id, struct rdma_conn_param *conn_param);
        connect = verb("rdma_connect", returnsInt(POINTER, POINTER));
        // int rdma_establish(struct rdma_cm_id *id);  since rdma-core 23, like rdma_init_qp_attr
        establish = verb("rdma_establish", returnsInt(POINTER));
        // int rdma_listen(struct rdma_cm_id *id, int backlog);
        listen = verb("rdma_listen", returnsInt(POINTER, INT));
        // int rdma_accept(struct rdma_cm_id *id, struct rdma_conn_param *conn_param);
        accept = verb("rdma_accept", returnsInt(POINTER, POINTER));
        // int rdma_reject(struct rdma_cm_id *id, const void *private_data, uint8_t private_data_len);
        reject = verb("rdma_reject", returnsInt(POINTER, POINTER, BYTE));
        // int rdma_disconnect(struct rdma_cm_id *id);
        disconnect = verb("rdma_disconnect", returnsInt(POINTER));
        // int rdma_get_cm_event(struct rdma_event_channel *channel, struct rdma_cm_event **event);
        getCmEvent = verb("rdma_get_cm_event", returnsInt(POINTER, POINTER));
        // int rdma_ack_cm_event(struct rdma_cm_event *event);
        ackCmEvent = verb("rdma_ack_cm_event", returnsInt(POINTER));
        // int rdma_init_qp_attr(struct rdma_cm_id *id, struct ibv_qp_attr *qp_attr, int *qp_attr_mask);
        initQpAttr = verb("rdma_init_qp_attr", returnsInt(POINTER, POINTER, POINTER));
    }

    /**
     * Returns the library and loads it at the first call. If loading fails, each call retries and reports the reason.
     */
    public static synchronized LibRdmacm get() {
        if (loaded == null) {
            loaded = load(FILE);
        }
        return loaded;
    }

    public static LibRdmacm load(String file) {
        return new LibRdmacm(NativeLibrary.open(file, "librdmacm1", RELEASE));
    }

    private static FunctionDescriptor returnsInt(MemoryLayout... arguments) {
        return FunctionDescriptor.of(INT, arguments);
    }

    private ControlCall verb(String name, FunctionDescriptor signature) {
        return new ControlCall(name, library.symbol(name), signature);
    }

    /** Creates an event channel. */
    public CmChannelStruct createEventChannel(IntFunction<String> explanation) {
        return CmChannelStruct.at(createEventChannel.call().pointer("", explanation));
    }

    /** Returns a wait for events; the channel becomes non-blocking. */
    public DescriptorWait waitOn(CmChannelStruct channel) {
        return DescriptorWait.on(channel.fd(), "");
    }

    /** Destroys an event channel, which must have no identifier. */
    public void destroyEventChannel(CmChannelStruct channel) {
        destroyEventChannel.call(channel.pointer());
    }

    /** Creates an identifier for connected queue pairs. */
    public CmIdStruct createId(CmChannelStruct channel, IntFunction<String> explanation) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment id = arena.allocate(CStruct.POINTER);
            createId.call(channel.pointer(), id.address(), 0L, PS_TCP).check("", explanation);
            return CmIdStruct.at(id.get(CStruct.POINTER, 0), channel);
        }
    }

    /** Destroys an identifier; waits until all its events are acknowledged. */
    public Reply destroyId(CmIdStruct id) {
        return destroyId.call(id.pointer());
    }

    /** Moves an identifier and its events to another channel. */
    public Reply migrateId(CmIdStruct id, CmChannelStruct channel) {
        return migrateId.call(id.pointer(), channel.pointer());
    }

    /** Sets the IP traffic class. */
    public Reply setTrafficClass(CmIdStruct id, int value) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocateFrom(CStruct.U8, (byte) value);
            return setOption.call(id.pointer(), OPTION_ID, OPTION_ID_TOS, memory.address(), memory.byteSize());
        }
    }

    /** Binds an identifier to a local address. */
    public Reply bindAddr(CmIdStruct id, InetSocketAddress address) {
        try (Arena arena = Arena.ofConfined()) {
            return bindAddr.call(
                    id.pointer(), SockAddrStruct.allocate(arena, address).address());
        }
    }

    /** Starts to resolve an address. */
    public Reply resolveAddr(
            CmIdStruct id, @Nullable InetSocketAddress local, InetSocketAddress remote, int timeoutMillis) {
        try (Arena arena = Arena.ofConfined()) {
            long from =
                    local == null ? 0 : SockAddrStruct.allocate(arena, local).address();
            long to = SockAddrStruct.allocate(arena, remote).address();
            return resolveAddr.call(id.pointer(), from, to, timeoutMillis);
        }
    }

    /** Starts to resolve the path. */
    public Reply resolveRoute(CmIdStruct id, int timeoutMillis) {
        return resolveRoute.call(id.pointer(), timeoutMillis);
    }

    /** Sends the connection request. */
    public Reply connect(CmIdStruct id, ConnParamStruct parameters) {
        return connect.call(id.pointer(), parameters.memory().address());
    }

    /** Acknowledges the peer's acceptance. */
    public Reply establish(CmIdStruct id) {
        return establish.call(id.pointer());
    }

    /** Starts to listen. */
    public Reply listen(CmIdStruct id, int backlog) {
        return listen.call(id.pointer(), backlog);
    }

    /** Accepts a request. */
    public Reply accept(CmIdStruct id, ConnParamStruct parameters) {
        return accept.call(id.pointer(), parameters.memory().address());
    }

    /** Rejects a request. */
    public Reply reject(CmIdStruct id, byte[] privateData) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment data = arena.allocate(Math.max(1, privateData.length));
            MemorySegment.copy(privateData, 0, data, CStruct.U8, 0, privateData.length);
            return reject.call(id.pointer(), data.address(), (byte) privateData.length);
        }
    }

    /** Disconnects, or responds to the peer's disconnect. */
    public Reply disconnect(CmIdStruct id) {
        return disconnect.call(id.pointer());
    }

    /** Reads and acknowledges an event; returns null if none is pending. The channel must be non-blocking. */
    public @Nullable CmEvent nextEvent(CmChannelStruct channel) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = arena.allocate(CStruct.POINTER);
            Reply reply = getCmEvent.call(channel.pointer(), event.address());
            if (reply.error() == Errno.EAGAIN) {
                return null;
            }
            reply.check("", errno -> "The kernel did not return an event; see the kernel log");
            return copyAndAcknowledge(event.get(CStruct.POINTER, 0));
        }
    }

    private CmEvent copyAndAcknowledge(long event) {
        try {
            return CmEvent.copyOf(event);
        } finally {
            ackCmEvent.call(event);
        }
    }

    /** Queries the attributes to which a queue pair must be modified. */
    public Reply initQpAttr(CmIdStruct id, CmQpAttr attributes) {
        return initQpAttr.call(
                id.pointer(),
                attributes.attributes().memory().address(),
                attributes.maskMemory().address());
    }
}
