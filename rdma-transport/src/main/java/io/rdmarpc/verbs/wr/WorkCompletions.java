package io.rdmarpc.verbs.wr;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * An array of {@code struct ibv_wc} (infiniband/verbs.h) that a poll fills. A provider in Java fills the array
 * directly. A device writes to memory of the arena, from which its provider reads the completions ({@link #readIn}).
 *
 * <pre>
 *   byte 0      8       12      16          20        24   28      32      36        40          42    44  45         48
 *        wr_id  status  opcode  vendor_err  byte_len  imm  qp_num  src_qp  wc_flags  pkey_index  slid  sl  path_bits
 * </pre>
 *
 * If the status is not {@link CompletionStatus#SUCCESS}, only wr_id, status, qp_num and vendor_err are defined. Not
 * thread-safe. An entry is valid until the next poll into this array. The memory belongs to the arena given at
 * creation, which must stay open as long as a thread polls into the array.
 */
public final class WorkCompletions {

    /** {@code sizeof(struct ibv_wc)}. */
    public static final int WC_BYTES = 48;

    /** {@code IBV_WC_GRH}: the first 40 bytes of the buffer hold the global route header. */
    public static final int FLAG_GRH = 1;

    /** {@code IBV_WC_WITH_IMM}: the immediate data is valid. */
    public static final int FLAG_WITH_IMM = 2;

    /** {@code IBV_WC_WITH_INV}: the sender has invalidated a key. */
    public static final int FLAG_WITH_INV = 8;

    private static final int WR_ID = 0;
    private static final int STATUS = 8;
    private static final int OPCODE = 12;
    private static final int VENDOR_ERR = 16;
    private static final int BYTE_LEN = 20;
    private static final int IMM = 24;
    private static final int QP_NUM = 28;
    private static final int SRC_QP = 32;
    private static final int FLAGS = 36;

    private final StructWords words;
    private final int capacity;

    private WorkCompletions(MemorySegment memory, int capacity) {
        this.words = new StructWords(memory);
        this.capacity = capacity;
    }

    /**
     * Allocates an array of completions.
     *
     * @param arena owns the memory
     * @param capacity maximum number of completions of one poll
     * @return the array
     */
    public static WorkCompletions allocate(Arena arena, int capacity) {
        return new WorkCompletions(arena.allocate((long) capacity * WC_BYTES, 64), capacity);
    }

    private static int at(int index) {
        return index * WC_BYTES;
    }

    /**
     * Reads the completions that a device has written to {@link #address()}.
     *
     * @param count number of completions, from index 0
     */
    public void readIn(int count) {
        words.readIn(at(Objects.checkIndex(count, capacity + 1)));
    }

    /**
     * Returns the maximum number of completions of one poll.
     *
     * @return the capacity
     */
    public int capacity() {
        return capacity;
    }

    /**
     * Returns the C address of the array.
     *
     * @return address of entry 0
     */
    public long address() {
        return words.address();
    }

    /**
     * Returns the identifier of the work request.
     *
     * @param index the completion
     * @return the wr_id
     */
    public long wrId(int index) {
        return words.getLong(at(index) + WR_ID);
    }

    /**
     * Returns the status of the operation.
     *
     * @param index the completion
     * @return a {@link CompletionStatus}
     */
    public int status(int index) {
        return words.getInt(at(index) + STATUS);
    }

    /**
     * Returns the operation; defined only on success.
     *
     * @param index the completion
     * @return a {@link CompletionOpcode}
     */
    public int opcode(int index) {
        return words.getInt(at(index) + OPCODE);
    }

    /**
     * Returns the device's own error code.
     *
     * @param index the completion
     * @return the vendor error; defined only if the status is not success
     */
    public int vendorError(int index) {
        return words.getInt(at(index) + VENDOR_ERR);
    }

    /**
     * Returns the number of bytes received (for a datagram with the 40 bytes of the GRH) or read.
     *
     * @param index the completion
     * @return bytes; defined only on success
     */
    public int byteLength(int index) {
        return words.getInt(at(index) + BYTE_LEN);
    }

    /**
     * Returns the immediate data.
     *
     * @param index the completion
     * @return the sender's 32 bits; defined only if {@link #FLAG_WITH_IMM} is set
     */
    public int immediate(int index) {
        return words.getNetworkInt(at(index) + IMM);
    }

    /**
     * Returns the key that the sender invalidated.
     *
     * @param index the completion
     * @return the rkey; defined only if {@link #FLAG_WITH_INV} is set
     */
    public int invalidatedRkey(int index) {
        return words.getInt(at(index) + IMM);
    }

    /**
     * Returns the local queue pair.
     *
     * @param index the completion
     * @return its number
     */
    public int qpNumber(int index) {
        return words.getInt(at(index) + QP_NUM);
    }

    /**
     * Returns the sending queue pair of a datagram.
     *
     * @param index the completion
     * @return its number
     */
    public int sourceQp(int index) {
        return words.getInt(at(index) + SRC_QP);
    }

    /**
     * Returns the flags.
     *
     * @param index the completion
     * @return {@link #FLAG_GRH}, {@link #FLAG_WITH_IMM} and {@link #FLAG_WITH_INV} bits
     */
    public int flags(int index) {
        return words.getInt(at(index) + FLAGS);
    }

    /**
     * Fills an entry; for providers in Java.
     *
     * @param index the completion
     * @param wrId the identifier of the work request
     * @param status a {@link CompletionStatus}
     * @param opcode a {@link CompletionOpcode}
     * @param vendorError the provider's own error code
     * @param byteLength bytes received or read
     * @param qpNumber the local queue pair
     * @param sourceQp the sending queue pair of a datagram
     * @param flags {@link #FLAG_GRH} and {@link #FLAG_WITH_IMM} bits
     */
    public void set(
            int index,
            long wrId,
            int status,
            int opcode,
            int vendorError,
            int byteLength,
            int qpNumber,
            int sourceQp,
            int flags) {
        int at = at(index);
        words.setLong(at + WR_ID, wrId);
        words.setInt(at + STATUS, status);
        words.setInt(at + OPCODE, opcode);
        words.setInt(at + VENDOR_ERR, vendorError);
        words.setInt(at + BYTE_LEN, byteLength);
        words.setInt(at + IMM, 0);
        words.setInt(at + QP_NUM, qpNumber);
        words.setInt(at + SRC_QP, sourceQp);
        words.setInt(at + FLAGS, flags);
        words.setLong(at + 40, 0L);
    }

    /**
     * Sets the immediate data of an entry; for providers in Java, after {@link #set}.
     *
     * @param index the completion
     * @param value the sender's 32 bits
     */
    public void setImmediate(int index, int value) {
        words.setNetworkInt(at(index) + IMM, value);
    }
}
