package io.rdmarpc.verbs.soft.link;

import java.lang.foreign.MemorySegment;

/** Room for one packet in memory that its receiver reads. Nobody sees what is written there before {@link #send}. */
public interface PacketRoom {

    /** Returns the memory that the room is in. */
    MemorySegment memory();

    /** Returns where in it the packet begins. */
    long at();

    /** Sends what was written. Without it the room is the next packet's. */
    void send();
}
