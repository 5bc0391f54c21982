package io.rdmarpc.verbs.ibverbs.ffi.cm;

import static io.rdmarpc.verbs.ffi.CStruct.offset;
import static io.rdmarpc.verbs.ffi.CStruct.struct;

import io.rdmarpc.verbs.ffi.CStruct;
import io.rdmarpc.verbs.ibverbs.ffi.struct.LayoutCheck;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;

/**
 * The event channel of identifiers.
 *
 * <pre>
 *   struct rdma_event_channel {  byte
 *       int  fd;                    0   readable if an event is pending
 *   };                              4
 * </pre>
 *
 * @param memory the struct; it belongs to the library
 */
public record CmChannelStruct(MemorySegment memory) {

    public static final StructLayout LAYOUT = struct("rdma_event_channel", CStruct.U32.withName("fd"));

    static CmChannelStruct at(long pointer) {
        CmChannelStruct channel = new CmChannelStruct(CStruct.at(pointer, LAYOUT.byteSize()));
        LayoutCheck.that(channel.fd() >= 0, "rdma_event_channel.fd", channel.fd());
        return channel;
    }

    /** Returns the pointer for verbs. */
    public long pointer() {
        return memory.address();
    }

    /** Returns the file descriptor. */
    int fd() {
        return memory.get(CStruct.U32, offset(LAYOUT, "fd"));
    }
}
