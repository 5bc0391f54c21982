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

    /** Allocates an empty struct. */
    public static AsyncEventStruct allocate(Arena arena) {
        return new AsyncEventStruct(arena.allocate(LAYOUT));
    }

    /** Writes an event that concerns an object, as the kernel does. */
    public void setObject(int type, long pointer) {
        memory.set(CStruct.POINTER, ELEMENT, pointer);
        memory.set(CStruct.U32, EVENT_TYPE, type);
    }

    /** Writes an event that concerns a port, as the kernel does. */
    public void setPort(int type, int portNumber) {
        memory.set(CStruct.U32, ELEMENT, portNumber);
        memory.set(CStruct.U32, EVENT_TYPE, type);
    }

    /** Returns the {@code IBV_EVENT_*} value. */
    public int type() {
        return memory.get(CStruct.U32, EVENT_TYPE);
    }

    /** Returns the object that the event concerns; valid for event types that concern objects. */
    public long pointer() {
        return memory.get(CStruct.POINTER, ELEMENT);
    }

    /** Returns the port that the event concerns; valid for event types that concern ports. */
    public int portNumber() {
        return memory.get(CStruct.U32, ELEMENT);
    }
}
