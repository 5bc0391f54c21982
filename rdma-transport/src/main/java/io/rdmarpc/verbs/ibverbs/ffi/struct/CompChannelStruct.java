package io.rdmarpc.verbs.ibverbs.ffi.struct;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.ffi.CStruct;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * A completion channel.
 *
 * <pre>
 *   struct ibv_comp_channel {            byte
 *       struct ibv_context  *context;       0
 *       int                  fd;            8
 *       int                  refcnt;       12   number of completion queues
 *   };                                     16
 * </pre>
 *
 * @param memory the struct; it belongs to the library
 */
public record CompChannelStruct(MemorySegment memory) {

    public static final StructLayout LAYOUT = struct(
            "ibv_comp_channel",
            CStruct.POINTER.withName("context"),
            CStruct.U32.withName("fd"),
            CStruct.U32.withName("refcnt"));

    /** Reads a new channel and checks that its fields match its arguments. */
    public static CompChannelStruct at(long pointer, ContextStruct context) {
        CompChannelStruct channel = new CompChannelStruct(CStruct.at(pointer, LAYOUT.byteSize()));
        long actual = channel.memory.get(CStruct.POINTER, offset(LAYOUT, "context"));
        LayoutCheck.same("ibv_comp_channel.context", context.pointer(), actual);
        LayoutCheck.that(channel.fileDescriptor() >= 0, "ibv_comp_channel.fd", channel.fileDescriptor());
        return channel;
    }

    /** Returns the pointer for verbs. */
    public long pointer() {
        return memory.address();
    }

    /** Returns the descriptor, which is readable if events are pending. */
    public int fileDescriptor() {
        return memory.get(CStruct.U32, offset(LAYOUT, "fd"));
    }
}
