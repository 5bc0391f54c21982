package io.rdmarpc.verbs.ibverbs.ffi.cm;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;
import static io.rdmarpc.verbs.ffi.CStruct.unused;

import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * A copy of an event. The library's event is acknowledged as soon as it is copied, because an identifier cannot be
 * destroyed before that.
 *
 * <pre>
 *   struct rdma_cm_event {                  byte
 *       struct rdma_cm_id       *id;           0   a new identifier for CONNECT_REQUEST
 *       struct rdma_cm_id       *listen_id;    8
 *       enum rdma_cm_event_type  event;       16
 *       int                      status;      20   a negative error number, or the reason of a REJECTED
 *       union {
 *           struct rdma_conn_param  conn;     24
 *           struct rdma_ud_param    ud;       24
 *       } param;
 *   };                                        80
 * </pre>
 */
public final class CmEvent {

    private static final int DATAGRAM_PARAM_BYTES = 56;

    public static final StructLayout LAYOUT = struct(
            "rdma_cm_event",
            CStruct.POINTER.withName("id"),
            CStruct.POINTER.withName("listen_id"),
            CStruct.U32.withName("event"),
            CStruct.U32.withName("status"),
            struct(
                            "param",
                            ConnParamStruct.LAYOUT.withName("conn"),
                            unused(DATAGRAM_PARAM_BYTES - ConnParamStruct.LAYOUT.byteSize()))
                    .withName("param"));

    private final CmEventType type;
    private final int status;
    private final CmIdStruct id;
    private final byte[] privateData;
    private final int responderResources;
    private final int initiatorDepth;

    private CmEvent(MemorySegment memory) {
        ConnParamStruct param =
                new ConnParamStruct(memory.asSlice(offset(LAYOUT, "param", "conn"), ConnParamStruct.LAYOUT));
        type = CmEventType.of(memory.get(CStruct.U32, offset(LAYOUT, "event")));
        status = memory.get(CStruct.U32, offset(LAYOUT, "status"));
        id = CmIdStruct.at(memory.get(CStruct.POINTER, offset(LAYOUT, "id")));
        privateData = param.privateData();
        responderResources = param.responderResources();
        initiatorDepth = param.initiatorDepth();
    }

    static CmEvent copyOf(long pointer) {
        return new CmEvent(CStruct.at(pointer, LAYOUT.byteSize()));
    }

    /** Returns the type of the event. */
    public CmEventType type() {
        return type;
    }

    /** Returns 0, a negative error number, or the reason of a REJECTED. */
    public int status() {
        return status;
    }

    /** Returns the identifier that the event concerns; for a CONNECT_REQUEST the new identifier. */
    public CmIdStruct id() {
        return id;
    }

    /** Returns the private data of the peer. */
    public byte[] privateData() {
        return privateData.clone();
    }

    /** Returns the number of READs and atomics that the peer has outstanding at most. */
    public int responderResources() {
        return responderResources;
    }

    /** Returns the number of READs and atomics that the peer serves at a time at most. */
    public int initiatorDepth() {
        return initiatorDepth;
    }
}
