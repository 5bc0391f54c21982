package io.rdmarpc.verbs.soft.wire;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Room for one packet as it travels in UDP: BTH to ICRC, at most one path MTU of payload. Two views of the same off-heap
 * bytes: {@link #bytes()} for headers and sockets, {@link #memory()} for payload copies. Its owner reuses it; one thread at
 * a time.
 */
public final class PacketBuffer {

    /** The largest path MTU plus more headers than any packet has. */
    public static final int CAPACITY = 4096 + 128;

    /** More than all headers, and a whole packet that has no payload. */
    private static final int MOST_HEADER_BYTES = 56;

    private final ByteBuffer bytes;
    private final MemorySegment memory;
    private final boolean checked;
    private MemorySegment payload;
    private long payloadBase;
    private boolean isElsewhere;
    private int trafficClass;

    /** Makes an empty packet. */
    public PacketBuffer() {
        this(ByteBuffer.allocateDirect(CAPACITY), true);
    }

    private PacketBuffer(ByteBuffer bytes, boolean checked) {
        this.bytes = bytes;
        this.memory = MemorySegment.ofBuffer(bytes);
        this.payload = memory;
        this.checked = checked;
        bytes.limit(0);
    }

    /** Makes empty packets that lie side by side. */
    public static PacketBuffer[] array(int count) {
        ByteBuffer all = ByteBuffer.allocateDirect(count * CAPACITY);
        PacketBuffer[] packets = new PacketBuffer[count];
        for (int i = 0; i < count; i++) {
            packets[i] = new PacketBuffer(all.slice(i * CAPACITY, CAPACITY), true);
        }
        return packets;
    }

    /** Makes room for packets that came a way on which nothing changes them: their last four bytes say nothing. */
    public static PacketBuffer withoutIcrc() {
        return new PacketBuffer(ByteBuffer.allocateDirect(CAPACITY), false);
    }

    /** Tells whether the last four bytes are an ICRC to check. */
    public boolean hasIcrc() {
        return checked;
    }

    /** Returns the packet in network byte order, from position 0 to its length. */
    public ByteBuffer bytes() {
        return bytes;
    }

    /** Returns all {@link #CAPACITY} bytes. */
    public MemorySegment memory() {
        return memory;
    }

    /** Returns the packet's length in bytes. */
    public int length() {
        return bytes.limit();
    }

    /** Sets the packet's length; the position goes back to 0. */
    public void length(int length) {
        bytes.position(0).limit(length);
    }

    /**
     * Becomes a packet whose payload stays where it is: for one that whoever has sent it can still change. What is looked at,
     * its headers, is copied here first; the payload is only copied on, once.
     *
     * @param source what holds the packet, until this one becomes another
     * @param offset where it begins there
     * @param length its length in bytes
     */
    public void show(MemorySegment source, long offset, int length) {
        MemorySegment.copy(source, offset, memory, 0, Math.min(length, MOST_HEADER_BYTES));
        length(length);
        isElsewhere = true;
        payloadIn(source);
        payloadBase = offset;
    }

    /** A reference that is stored costs a fence with G1, and most packets come from where the last one came from. */
    @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // that very segment
    private void payloadIn(MemorySegment source) {
        if (payload != source) {
            payload = source;
        }
    }

    /** Returns the memory that the payload is to be copied from. */
    public MemorySegment payload() {
        return payload;
    }

    /** Returns where in {@link #payload()} a byte of the packet is. */
    public long payloadAt(int index) {
        return payloadBase + index;
    }

    /** Copies the payload too, for whoever looks at all {@link #bytes()} of a packet that came. */
    public void makeWhole() {
        if (isElsewhere) {
            int here = Math.min(length(), MOST_HEADER_BYTES);
            MemorySegment.copy(payload, payloadBase + here, memory, here, length() - here);
            isElsewhere = false;
            payload = memory;
            payloadBase = 0;
        }
    }

    /** Returns the traffic class, with the ECN bits, that the packet came with; 0 when that is not known. */
    public int trafficClass() {
        return trafficClass;
    }

    /** Notes the traffic class that the packet came with. */
    public void trafficClass(int value) {
        trafficClass = value;
    }

    /** Becomes a copy of another packet. */
    public void copyFrom(PacketBuffer other) {
        other.makeWhole();
        length(other.length());
        bytes.put(0, other.bytes, 0, other.length());
    }
}
