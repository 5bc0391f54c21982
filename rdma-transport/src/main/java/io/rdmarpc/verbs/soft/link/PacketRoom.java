package io.rdmarpc.verbs.soft.link;

import java.lang.foreign.MemorySegment;

/** Room for one packet in memory that its receiver reads. The packet becomes visible with {@link #send}. */
public interface PacketRoom {

    /** Returns the memory that contains the room. */
    MemorySegment memory();

    /** Returns the offset of the packet in that memory. */
    long at();

    /** Sends the packet. Without this call the next packet uses the same room. */
    void send();
}
