package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * An asynchronous event.
 *
 * <pre>
 *   struct ibv_async_event {                byte
 *       union { struct ibv_cq  *cq;            0
 *               struct ibv_qp  *qp;            0
 *               struct ibv_srq *srq;           0
 *               struct ibv_wq  *wq;            0
 *               int             port_num;      0
 *       } element;
 *       enum ibv_event_type event_type;        8
 *   };                                        16
 * </pre>
 *
 * @param memory the struct
 */
public record AsyncEventStruct(MemorySegment memory) {

    public static final StructLayout LAYOUT =
            struct("ibv_async_event", CStruct.POINTER.withName("element"), CStruct.U32.withName("event_type"));

    private static final long ELEMENT = offset(LAYOUT, "element");
    private static final long EVENT_TYPE = offset(LAYOUT, "event_type");

    /** Makes an empty one. */
    public static AsyncEventStruct allocate(Arena arena) {
        return new AsyncEventStruct(arena.allocate(LAYOUT));
    }

    /** Writes what the kernel would: an event about an object. */
    public void setObject(int type, long pointer) {
        memory.set(CStruct.POINTER, ELEMENT, pointer);
        memory.set(CStruct.U32, EVENT_TYPE, type);
    }

    /** Writes what the kernel would: an event about a port. */
    public void setPort(int type, int portNumber) {
        memory.set(CStruct.U32, ELEMENT, portNumber);
        memory.set(CStruct.U32, EVENT_TYPE, type);
    }

    /** The {@code IBV_EVENT_*} value. */
    public int type() {
        return memory.get(CStruct.U32, EVENT_TYPE);
    }

    /** The object it is about, when its type says so. */
    public long pointer() {
        return memory.get(CStruct.POINTER, ELEMENT);
    }

    /** The port it is about, when its type says so. */
    public int portNumber() {
        return memory.get(CStruct.U32, ELEMENT);
    }
}
