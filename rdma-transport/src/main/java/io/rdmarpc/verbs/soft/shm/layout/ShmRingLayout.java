package io.rdmarpc.verbs.soft.shm.layout;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A ring of records from one sender to one receiver. The sender creates the file. Numbers are in the byte order of the
 * machine.
 *
 * <pre>
 *   byte 0       4         8           16             24             32         36    40
 *        magic   capacity  sender JVM  sender number  sender's port  addresses  target QPN  ...
 *        64                  tail u64: bytes written when the sender last found the ring stuck
 *        72                  u32: the key of the reader's memory into which the sender is copying, or 0
 *        76                  u32: 1 if the sender has ended the ring, 0 otherwise
 *       128                  u32: 1 if the reader has abandoned the ring, 2 if it has no room, 0 otherwise
 *       192                  head u64: bytes that the reader has read
 *       256                  the sender's addresses, 16 bytes each
 *      4096                  records, capacity bytes
 * </pre>
 *
 * A datagram path is a ring for the datagrams of one queue pair to another one, whose number is in the header. Number 0
 * means the ring for all other packets. A reader that does not support paths treats a path as another such ring.
 *
 * A record starts at a multiple of 8 and does not wrap around:
 *
 * <pre>
 *   byte 0       4        6        8
 *        length  source   target   packet, from BTH to the room for the ICRC; zero to seven bytes of padding
 *        u32     u16      u16
 * </pre>
 *
 * Source and target are indexes of the sender's and the receiver's addresses. {@link #MARK} is added to the source, so
 * that these eight bytes are never 0. The sender stores the first eight bytes last, with one store: a record is present
 * if they are not 0. Before that it clears the eight bytes after the record, so that the reader finds no record there.
 * The length {@link #SKIP} means that the next record is at the start of the ring. The length {@link #LOOK} is a record
 * of eight bytes without a packet: the sender has passed a descriptor, see {@link io.rdmarpc.verbs.soft.shm.Handover}.
 *
 * <p>Either end can change its numbers at any time. So the other end reads such a number once, checks it, and uses the
 * value that it has read.
 */
public final class ShmRingLayout {

    public static final int MAGIC = 0x52_4E_47_33;
    public static final int HEADER_BYTES = 4096;
    public static final int MAX_ADDRESSES = 240;
    public static final int RECORD_HEADER_BYTES = 8;
    static final int SKIP = -1;
    public static final int LOOK = -2;
    static final int MARK = 0x8000;

    /** Size of a cache line in bytes. */
    public static final int LINE_BYTES = 64;

    public static final int CAPACITY = 4;
    public static final int SENDER_JVM = 8;
    public static final int SENDER_NUMBER = 16;
    public static final int PORT = 24;
    public static final int ADDRESSES = 32;
    public static final int TARGET_QPN = 36;
    public static final int QPN_BITS = 24;
    static final int TAIL = 64;
    public static final int PINNED = 72;
    public static final int ENDED = 76;
    public static final int ABANDONED = 128;
    public static final int REJECTED = 1;
    public static final int NO_ROOM = 2;
    public static final int HEAD = 192;
    public static final int ADDRESS_TABLE = 256;
    public static final int ADDRESS_BYTES = 16;

    /** Access to a number at a byte offset, with memory order. */
    public static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    public static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();

    private ShmRingLayout() {}

    /** Returns the bytes of a packet's record in a ring. */
    public static int recordBytes(int packetBytes) {
        return RECORD_HEADER_BYTES + packetBytes + 7 & -8;
    }

    /** Returns the first eight bytes of a record. */
    public static long firstWord(int length, int source, int target) {
        return (length & 0xFFFF_FFFFL) | (long) (source | MARK) << 32 | (long) target << 48;
    }

    static int length(long firstWord) {
        return (int) firstWord;
    }

    /** Returns the source index; without the mark it is larger than any valid index. */
    static int source(long firstWord) {
        return ((int) (firstWord >>> 32) & 0xFFFF) ^ MARK;
    }

    static int target(long firstWord) {
        return (int) (firstWord >>> 48);
    }
}
