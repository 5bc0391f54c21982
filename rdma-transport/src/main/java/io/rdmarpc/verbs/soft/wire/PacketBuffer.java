package io.rdmarpc.verbs.soft.wire;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * Room for one packet as in a UDP datagram: BTH to ICRC, with a payload of at most one path MTU. It has two views of
 * the same off-heap bytes: {@link #bytes()} for headers and sockets, {@link #memory()} for payload copies. Its owner
 * reuses it. One thread at a time.
 */
public final class PacketBuffer {

    /** The largest path MTU, plus room for the headers of any packet. */
    public static final int CAPACITY = 4096 + 128;

    /** Enough for all headers, and for a whole packet without payload. */
    private static final int MAX_HEADER_BYTES = 56;

    private final ByteBuffer bytes;
    private final MemorySegment memory;
    private final boolean checked;
    private MemorySegment payload;
    private long payloadBase;
    private boolean isElsewhere;
    private int trafficClass;

    /** Creates an empty packet. */
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

    /** Creates empty packets in contiguous memory. */
    public static PacketBuffer[] array(int count) {
        ByteBuffer all = ByteBuffer.allocateDirect(count * CAPACITY);
        PacketBuffer[] packets = new PacketBuffer[count];
        for (int i = 0; i < count; i++) {
            packets[i] = new PacketBuffer(all.slice(i * CAPACITY, CAPACITY), true);
        }
        return packets;
    }

    /** Creates room for packets over a path without corruption, whose last four bytes are undefined. */
    public static PacketBuffer withoutIcrc() {
        return new PacketBuffer(ByteBuffer.allocateDirect(CAPACITY), false);
    }

    /** Returns whether the last four bytes are an ICRC to check. */
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

    /** Sets the packet's length; the position becomes 0. */
    public void length(int length) {
        bytes.position(0).limit(length);
    }

    /**
     * Makes this buffer refer to a packet whose payload stays in place, because its sender can still change it. The
     * headers are copied here before they are read. The payload is later copied once.
     *
     * @param source the memory of the packet, until this buffer refers to another one
     * @param offset offset of the packet in the source
     * @param length its length in bytes
     */
    public void show(MemorySegment source, long offset, int length) {
        MemorySegment.copy(source, offset, memory, 0, Math.min(length, MAX_HEADER_BYTES));
        length(length);
        isElsewhere = true;
        payloadIn(source);
        payloadBase = offset;
    }

    /** Sets the payload's memory if it differs, because a reference store costs a GC barrier with G1. */
    @SuppressWarnings({"ReferenceEquality", "MemorySegmentReferenceEquality"}) // compares identities on purpose
    private void payloadIn(MemorySegment source) {
        if (payload != source) {
            payload = source;
        }
    }

    /** Returns the memory from which to copy the payload. */
    public MemorySegment payload() {
        return payload;
    }

    /** Returns the offset in {@link #payload()} of a byte of the packet. */
    public long payloadAt(int index) {
        return payloadBase + index;
    }

    /** Copies the payload here, for callers that read all {@link #bytes()} of a received packet. */
    public void makeWhole() {
        if (isElsewhere) {
            int here = Math.min(length(), MAX_HEADER_BYTES);
            MemorySegment.copy(payload, payloadBase + here, memory, here, length() - here);
            isElsewhere = false;
            payload = memory;
            payloadBase = 0;
        }
    }

    /** Returns the traffic class of a received packet, with the ECN bits; 0 if unknown. */
    public int trafficClass() {
        return trafficClass;
    }

    /** Sets the traffic class of a received packet. */
    public void trafficClass(int value) {
        trafficClass = value;
    }

    /** Copies another packet into this buffer. */
    public void copyFrom(PacketBuffer other) {
        other.makeWhole();
        length(other.length());
        bytes.put(0, other.bytes, 0, other.length());
    }
}
