package io.rdmarpc.verbs.soft.shm.layout;

import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/**
 * A ring of records from one sender to one receiver. The sender makes the file; numbers are little-endian as the machine.
 *
 * <pre>
 *   byte 0       4         8           16             24             32         36    40
 *        magic   capacity  sender JVM  sender number  sender's port  addresses  target QPN  ...
 *        64                  tail u64: how many bytes the sender had written when it last saw that none were taken
 *        72                  the key of the reader's memory that the sender copies into just now: u32, or 0
 *        76                  ended by the sender, who lives on: u32, 0 or 1
 *       128                  ended by the reader: u32, 0, 1, or 2 when it has no room for this ring now
 *       192                  head u64: how many bytes the reader has taken
 *       256                  the sender's addresses, 16 bytes each
 *      4096                  records, capacity bytes
 * </pre>
 *
 * A datagram path is a ring for the datagrams of one queue pair to another one, whose number it has; 0 is the ring for all other packets. A reader
 * that does not know of paths takes it for one more ring.
 *
 * A record starts at a multiple of 8 and does not run over the end:
 *
 * <pre>
 *   byte 0       4        6        8
 *        length  source   target   packet, from BTH to the room of the ICRC; zero to seven bytes of padding
 *        u32     u16      u16
 * </pre>
 *
 * Source and target are indexes of the sender's and the receiver's addresses; {@link #MARK} is added to the source, so that
 * these eight bytes are never 0. The first eight bytes are stored last, in one
 * piece: a record is there when they are not 0. Before that the sender clears the eight bytes behind the record, so that the
 * reader finds nothing there. The length {@link #SKIP} says that the next record is at the start. The length {@link #LOOK} is a record
 * of eight bytes without a packet: the sender has handed something over, see {@link io.rdmarpc.verbs.soft.shm.Handover}.
 *
 * <p>Each end reads a number that the other end can write once, checks it, and uses what it has read.
 */
public final class ShmRingLayout {

    public static final int MAGIC = 0x52_4E_47_33;
    public static final int HEADER_BYTES = 4096;
    public static final int MOST_ADDRESSES = 240;
    public static final int RECORD_HEADER_BYTES = 8;
    static final int SKIP = -1;
    public static final int LOOK = -2;
    static final int MARK = 0x8000;

    /** What CPUs pass on as a whole. */
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
    public static final int GIVEN_UP = 128;
    public static final int REFUSED = 1;
    public static final int NO_ROOM = 2;
    public static final int HEAD = 192;
    public static final int ADDRESS_TABLE = 256;
    public static final int ADDRESS_BYTES = 16;

    /** Access to a number at a byte offset, with memory order. */
    public static final VarHandle LONG = ValueLayout.JAVA_LONG.varHandle().withInvokeExactBehavior();

    public static final VarHandle INT = ValueLayout.JAVA_INT.varHandle().withInvokeExactBehavior();

    private ShmRingLayout() {}

    /** Returns how many bytes of a ring a packet takes. */
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

    /** Returns the source, which is too large for any when the mark is missing. */
    static int source(long firstWord) {
        return ((int) (firstWord >>> 32) & 0xFFFF) ^ MARK;
    }

    static int target(long firstWord) {
        return (int) (firstWord >>> 48);
    }
}
