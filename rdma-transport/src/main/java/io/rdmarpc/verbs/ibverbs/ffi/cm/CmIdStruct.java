package io.rdmarpc.verbs.ibverbs.ffi.cm;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;
import static io.rdmarpc.verbs.ffi.CStruct.unused;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ffi.SockAddrStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.ContextStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.DeviceStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.LayoutCheck;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.net.InetSocketAddress;

/**
 * The identifier of a connection.
 *
 * <pre>
 *   struct rdma_cm_id {                          byte
 *       struct ibv_context         *verbs;          0   null until it is bound to a device
 *       struct rdma_event_channel  *channel;        8
 *       void                       *context;       16
 *       struct ibv_qp              *qp;            24   stays null: rdma_create_qp is not used
 *       struct rdma_route           route;         32
 *       enum rdma_port_space        ps;           344
 *       uint8_t                     port_num;     348
 *       ...                                       352   event, queues and domain of librdmacm, not used
 *   };
 *   struct rdma_route {                          byte of the route
 *       struct rdma_addr {
 *           struct sockaddr_storage src_addr;       0   128 bytes
 *           struct sockaddr_storage dst_addr;     128
 *           struct rdma_ib_addr     addr;         256
 *       } addr;
 *       struct ibv_sa_path_rec *path_rec;         296
 *       int                     num_paths;        304
 *   };                                            312
 * </pre>
 *
 * @param memory the part of the struct that is read; it belongs to the library
 */
public record CmIdStruct(MemorySegment memory) {

    private static final int STORAGE_BYTES = 128;
    private static final int IB_ADDRESS_BYTES = 40;

    public static final StructLayout LAYOUT = struct(
            "rdma_cm_id",
            CStruct.POINTER.withName("verbs"),
            CStruct.POINTER.withName("channel"),
            CStruct.POINTER.withName("context"),
            CStruct.POINTER.withName("qp"),
            struct(
                            "rdma_route",
                            struct(
                                            "rdma_addr",
                                            unused(STORAGE_BYTES).withName("src_addr"),
                                            unused(STORAGE_BYTES).withName("dst_addr"),
                                            unused(IB_ADDRESS_BYTES).withName("addr"))
                                    .withName("addr"),
                            CStruct.POINTER.withName("path_rec"),
                            CStruct.U32.withName("num_paths"))
                    .withName("route"),
            CStruct.U32.withName("ps"),
            CStruct.U8.withName("port_num"));

    /** Reads a new identifier and checks that its fields match its arguments. */
    static CmIdStruct at(long pointer, CmChannelStruct channel) {
        CmIdStruct id = at(pointer);
        LayoutCheck.same("rdma_cm_id.channel", channel.pointer(), id.pointer("channel"));
        LayoutCheck.same("rdma_cm_id.ps", LibRdmacm.PS_TCP, id.memory.get(CStruct.U32, offset(LAYOUT, "ps")));
        return id;
    }

    /** Reads the identifier of an event. */
    static CmIdStruct at(long pointer) {
        return new CmIdStruct(CStruct.at(pointer, LAYOUT.byteSize()));
    }

    /** Returns the pointer for verbs. */
    public long pointer() {
        return memory.address();
    }

    /** Returns the device to which the identifier is bound, or an empty text if there is none. */
    public String deviceName() {
        long verbs = pointer("verbs");
        return verbs == 0
                ? ""
                : DeviceStruct.at(ContextStruct.at(verbs).device()).name();
    }

    /** Returns the device's port, from 1. */
    public int portNumber() {
        return Byte.toUnsignedInt(memory.get(CStruct.U8, offset(LAYOUT, "port_num")));
    }

    /** Returns the local address. */
    public InetSocketAddress localAddress() {
        return SockAddrStruct.read(memory, offset(LAYOUT, "route", "addr", "src_addr"));
    }

    /** Returns the peer's address. */
    public InetSocketAddress remoteAddress() {
        return SockAddrStruct.read(memory, offset(LAYOUT, "route", "addr", "dst_addr"));
    }

    private long pointer(String field) {
        return memory.get(CStruct.POINTER, offset(LAYOUT, field));
    }
}
