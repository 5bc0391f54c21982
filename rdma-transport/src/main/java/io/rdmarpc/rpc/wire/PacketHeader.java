package io.rdmarpc.rpc.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * The header of every datagram, little-endian.
 *
 * <pre>
 *  0        1        2        3        4                8
 *  +--------+--------+--------+--------+----------------+--------------------------------+
 *  | version| type   | status | flags  | session        | cookie                         |
 *  +--------+--------+--------+--------+----------------+--------------------------------+
 *  16                                  24               28                               32
 *  +-----------------------------------+----------------+----------------+
 *  | request index                     | method id      | length         |
 *  +-----------------------------------+----------------+----------------+
 *  flag DEADLINE: 8 more bytes, the caller's remaining time in microseconds
 *  flag METADATA: the message begins with a block of metadata, which the layers above the engine read and write
 * </pre>
 *
 * <ul>
 *   <li>session: the receiver's number of the session; cookie: the shared secret of both ends
 *   <li>request index: counts the calls of a session; slot = index mod window; the next call of a slot has index +
 *       window
 *   <li>status: in responses a status code, in requests the version of the {@link CreditWord} that the client knows
 *   <li>method id: in packets to clients a {@link CreditWord} instead
 *   <li>length: length of the message in bytes. The message follows in this packet. For the LARGE types, a {@link
 *       ReadDescriptor} follows instead, from which the receiver READs the message
 * </ul>
 */
public final class PacketHeader {

    /** Length of the fixed part in bytes. */
    public static final int BYTES = 32;

    /** Length of the block of {@link #FLAG_DEADLINE}, in bytes. */
    public static final int DEADLINE_BYTES = 8;

    /** The version that this class reads and writes. */
    public static final byte VERSION = 1;

    /** The remaining time follows the fixed part. */
    public static final int FLAG_DEADLINE = 1;

    /** In a {@link PacketType#PROGRESS}: the server has READ the request, and the client may reuse its memory. */
    public static final int FLAG_REQUEST_READ = 2;

    /** In a stream's acknowledgment that returns no credits: the sender requests an acknowledgment. */
    public static final int FLAG_STREAM_PROBE = 8;

    /**
     * In a {@link PacketType#RESPONSE}: the server is stopping and has not run the call and will not run it. The client
     * may retry it on another server, whether or not the method is idempotent.
     */
    public static final int FLAG_NOT_RUN = 64;

    /** In a stream's acknowledgment: the sender accepts no more messages; the receiver must end its direction. */
    public static final int FLAG_STREAM_STOP = 32;

    /** In a stream's acknowledgment: the stream no longer exists. */
    public static final int FLAG_STREAM_GONE = 64;

    /** In a {@link PacketType#STREAM_ITEM}: the last item of its direction. */
    public static final int FLAG_STREAM_END = 128;

    /** In a request: it uses the client's last credit, and the client could use more. */
    public static final int FLAG_MORE_CREDITS = 4;

    /** Client to server: the client uses only one credit from now on, see {@link CreditWord}. */
    public static final int FLAG_RETURN_CREDITS = 8;

    /** Another message follows in the same packet, see {@link BatchFormat}. */
    public static final int FLAG_FOLLOWED = 16;

    /** In a request: the message begins with a block of metadata, which is part of the length. */
    public static final int FLAG_METADATA = 32;

    /** All flags that this version defines for a packet of a call. */
    public static final int KNOWN_FLAGS =
            FLAG_DEADLINE | FLAG_REQUEST_READ | FLAG_MORE_CREDITS | FLAG_RETURN_CREDITS | FLAG_FOLLOWED | FLAG_METADATA;

    /** All flags that this version defines for a {@link PacketType#RESPONSE}. */
    public static final int KNOWN_RESPONSE_FLAGS = KNOWN_FLAGS | FLAG_NOT_RUN;

    /** All flags that this version defines for a packet of a stream. */
    public static final int KNOWN_STREAM_FLAGS =
            FLAG_STREAM_PROBE | FLAG_FOLLOWED | FLAG_STREAM_STOP | FLAG_STREAM_GONE | FLAG_STREAM_END;

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private PacketHeader() {}

    /**
     * Writes the fixed part.
     *
     * @param memory the memory to write to
     * @param at offset of its first byte
     * @param type a {@link PacketType}
     * @param status a status code; in requests the credit version that the client knows
     * @param flags flag bits
     * @param session the receiver's session number
     * @param cookie the session's secret
     * @param requestIndex the call's index in the session
     * @param methodId the method; in packets to clients a {@link CreditWord}
     * @param length length of the message in bytes
     */
    public static void write(
            MemorySegment memory,
            long at,
            int type,
            int status,
            int flags,
            int session,
            long cookie,
            long requestIndex,
            int methodId,
            int length) {
        // Written as 8-byte words, in the size in which it is copied: narrow stores defeat the CPU's store forwarding
        // for a wider load.
        int first = VERSION | ((type & 0xFF) << 8) | ((status & 0xFF) << 16) | (flags << 24);
        memory.set(LONG, at, word(first, session));
        memory.set(LONG, at + 8, cookie);
        memory.set(LONG, at + 16, requestIndex);
        memory.set(LONG, at + 24, word(methodId, length));
    }

    private static long word(int low, int high) {
        return ((long) high << Integer.SIZE) | Integer.toUnsignedLong(low);
    }

    /**
     * Writes the deadline block after a fixed part.
     *
     * @param memory the memory that holds the header
     * @param at offset of the header's first byte
     * @param remainingMicros the caller's remaining time in microseconds
     */
    public static void writeDeadline(MemorySegment memory, long at, long remainingMicros) {
        memory.set(LONG, at + BYTES, remainingMicros);
    }

    /**
     * Reads version, type, status, flags and session.
     *
     * @param memory the memory that holds the header
     * @param at offset of its first byte
     * @return the first eight bytes, for the methods below
     */
    public static long first(MemorySegment memory, long at) {
        return memory.get(LONG, at);
    }

    /**
     * Returns the version.
     *
     * @param first the first eight bytes
     * @return the version byte
     */
    public static byte version(long first) {
        return (byte) first;
    }

    /**
     * Returns the type.
     *
     * @param first the first eight bytes
     * @return a {@link PacketType}, not checked
     */
    public static int type(long first) {
        return (byte) (first >>> 8);
    }

    /**
     * Returns the status.
     *
     * @param first the first eight bytes
     * @return a status code, not checked
     */
    public static int status(long first) {
        return (int) (first >>> 16) & 0xFF;
    }

    /**
     * Returns the flags.
     *
     * @param first the first eight bytes
     * @return flag bits, not checked
     */
    public static int flags(long first) {
        return (int) (first >>> 24) & 0xFF;
    }

    /**
     * Returns the receiver's session number.
     *
     * @param first the first eight bytes
     * @return the number, not checked
     */
    public static int session(long first) {
        return (int) (first >>> Integer.SIZE);
    }

    /**
     * Returns the cookie.
     *
     * @param memory the memory that holds the header
     * @param at offset of its first byte
     * @return the secret, not checked
     */
    public static long cookie(MemorySegment memory, long at) {
        return memory.get(LONG, at + 8);
    }

    /**
     * Returns the request index.
     *
     * @param memory the memory that holds the header
     * @param at offset of its first byte
     * @return the call's index in the session
     */
    public static long requestIndex(MemorySegment memory, long at) {
        return memory.get(LONG, at + 16);
    }

    /**
     * Reads method and message length.
     *
     * @param memory the memory that holds the header
     * @param at offset of its first byte
     * @return the last eight bytes of the fixed part, for the methods below
     */
    public static long last(MemorySegment memory, long at) {
        return memory.get(LONG, at + 24);
    }

    /**
     * Returns the method.
     *
     * @param last the last eight bytes of the fixed part
     * @return its id
     */
    public static int methodId(long last) {
        return (int) last;
    }

    /**
     * Returns the length of the message.
     *
     * @param last the last eight bytes of the fixed part
     * @return length in bytes, not checked
     */
    public static int length(long last) {
        return (int) (last >>> Integer.SIZE);
    }

    /**
     * Returns the caller's remaining time.
     *
     * @param memory the memory that holds the header
     * @param at offset of its first byte
     * @return microseconds; defined only if {@link #FLAG_DEADLINE} is set
     */
    public static long remainingMicros(MemorySegment memory, long at) {
        return memory.get(LONG, at + BYTES);
    }

    /**
     * Returns the length of the header with the blocks that its flags announce.
     *
     * @param flags flag bits
     * @return length in bytes
     */
    public static int bytes(int flags) {
        return (flags & FLAG_DEADLINE) != 0 ? BYTES + DEADLINE_BYTES : BYTES;
    }
}
