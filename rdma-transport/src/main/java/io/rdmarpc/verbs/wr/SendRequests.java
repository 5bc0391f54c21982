package io.rdmarpc.verbs.wr;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.mr.MemoryWindow;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * An array of {@code struct ibv_send_wr} (infiniband/verbs.h), each with its own scatter/gather list. The requests can
 * be filled once and changed in place. The software RNIC reads the array directly; libibverbs receives the C structs
 * without conversion.
 *
 * <pre>
 *   byte 0    8     16       24       28      32          36   40                             80      128
 *        wr_id next sg_list  num_sge  opcode  send_flags  imm  wr: rdma | atomic | ud         qp_type, bind/tso
 *             rdma:   remote_addr 40, rkey 48
 *             atomic: remote_addr 40, compare_add 48, swap 56, rkey 64
 *             ud:     ah 40, remote_qpn 48, remote_qkey 52
 *             bind:   mw 80, rkey 88, mr 96, addr 104, length 112, access 120
 *   struct ibv_sge, 16 bytes: addr u64, length u32, lkey u32
 * </pre>
 *
 * Not thread-safe. The memory belongs to the arena given at creation, which must stay open as long as a queue pair
 * posts from the array.
 */
public final class SendRequests extends WorkRequests {

    /** {@code sizeof(struct ibv_send_wr)}. */
    public static final int WR_BYTES = 128;

    private static final int OPCODE = 28;
    private static final int FLAGS = 32;
    private static final int IMM = 36;
    private static final int REMOTE_ADDRESS = 40;
    private static final int RKEY = 48;
    private static final int AH = 40;
    private static final int REMOTE_QPN = 48;
    private static final int REMOTE_QKEY = 52;
    private static final int COMPARE_ADD = 48;
    private static final int SWAP = 56;
    private static final int ATOMIC_RKEY = 64;
    private static final int MW = 80;
    private static final int MW_RKEY = 88;
    private static final int BIND_MR = 96;
    private static final int BIND_ADDRESS = 104;
    private static final int BIND_LENGTH = 112;
    private static final int BIND_ACCESS = 120;

    private SendRequests(MemorySegment memory, int capacity, int maxSge) {
        super(memory, WR_BYTES, capacity, maxSge);
    }

    /**
     * Allocates an array of work requests.
     *
     * @param arena owns the memory
     * @param capacity number of work requests
     * @param maxSge maximum number of scatter/gather entries of each request
     * @return the array, all zero except for its internal pointers
     */
    public static SendRequests allocate(Arena arena, int capacity, int maxSge) {
        return new SendRequests(arena.allocate(bytes(WR_BYTES, capacity, maxSge), 64), capacity, maxSge);
    }

    /**
     * Sets the fields that all operations have.
     *
     * @param index the work request
     * @param wrId the identifier in the completion
     * @param opcode a {@link SendOpcode}
     * @param flags {@link SendFlags} bits
     * @param numSge number of scatter/gather entries in use
     */
    public void set(int index, long wrId, int opcode, int flags, int numSge) {
        int at = at(index);
        setHead(at, wrId, numSge);
        words.setInt(at + OPCODE, opcode);
        words.setInt(at + FLAGS, flags);
    }

    /**
     * Sets the remote memory of a READ or WRITE.
     *
     * @param index the work request
     * @param remoteAddress first byte of the remote memory
     * @param rkey the key of the remote memory
     */
    public void setRemote(int index, long remoteAddress, int rkey) {
        words.setLong(at(index) + REMOTE_ADDRESS, remoteAddress);
        words.setInt(at(index) + RKEY, rkey);
    }

    /**
     * Sets the immediate data of a SEND_WITH_IMM or RDMA_WRITE_WITH_IMM. The peer's completion returns the same value.
     *
     * @param index the work request
     * @param value 32 bits
     */
    public void setImmediate(int index, int value) {
        words.setNetworkInt(at(index) + IMM, value);
    }

    /**
     * Sets the key to invalidate: a local key for LOCAL_INV, a key of the peer for SEND_WITH_INV.
     *
     * @param index the work request
     * @param rkey the key
     */
    public void setInvalidate(int index, int rkey) {
        words.setInt(at(index) + IMM, rkey);
    }

    /**
     * Sets the operands of a compare-and-swap. Its only scatter/gather entry of 8 bytes receives the original value, in
     * the byte order of this host.
     *
     * @param index the work request
     * @param remoteAddress 8 remote bytes, aligned to 8
     * @param rkey the key of the remote memory
     * @param compare the expected value
     * @param swap the value to store if the expected value is present
     */
    public void setCompareAndSwap(int index, long remoteAddress, int rkey, long compare, long swap) {
        setAtomic(at(index), remoteAddress, rkey, compare, swap);
    }

    /**
     * Sets the operand of a fetch-and-add. Its only scatter/gather entry of 8 bytes receives the original value, in the
     * byte order of this host.
     *
     * @param index the work request
     * @param remoteAddress 8 remote bytes, aligned to 8
     * @param rkey the key of the remote memory
     * @param add the value to add
     */
    public void setFetchAndAdd(int index, long remoteAddress, int rkey, long add) {
        setAtomic(at(index), remoteAddress, rkey, add, 0);
    }

    private void setAtomic(int at, long remoteAddress, int rkey, long compareOrAdd, long swap) {
        words.setLong(at + REMOTE_ADDRESS, remoteAddress);
        words.setLong(at + COMPARE_ADD, compareOrAdd);
        words.setLong(at + SWAP, swap);
        words.setInt(at + ATOMIC_RKEY, rkey);
    }

    /**
     * Sets the memory to which a window is bound. A bound window must be invalidated first.
     *
     * @param index the work request
     * @param window the window
     * @param rkey the new key of the window: {@link MemoryWindow#nextRkey()}
     * @param region the region, registered with {@link AccessFlag#MW_BIND}
     * @param address first byte
     * @param bytes the length, at least 1
     * @param access {@link AccessFlag} bits: the rights of peers
     */
    public void setBind(
            int index, MemoryWindow window, int rkey, MemoryRegion region, long address, long bytes, int access) {
        int at = at(index);
        // Providers reject a bind if this field has a value from an earlier use of the request.
        words.setInt(at + IMM, 0);
        words.setLong(at + MW, window.handle());
        words.setInt(at + MW_RKEY, rkey);
        words.setLong(at + BIND_MR, region.handle());
        words.setLong(at + BIND_ADDRESS, address);
        words.setLong(at + BIND_LENGTH, bytes);
        words.setInt(at + BIND_ACCESS, access);
    }

    /**
     * Sets the receiver of a datagram.
     *
     * @param index the work request
     * @param addressHandle {@link AddressHandle#handle()}
     * @param remoteQpn the receiving queue pair
     * @param remoteQkey the QKEY of the receiving queue pair
     */
    public void setDatagram(int index, long addressHandle, int remoteQpn, int remoteQkey) {
        int at = at(index);
        words.setLong(at + AH, addressHandle);
        words.setInt(at + REMOTE_QPN, remoteQpn);
        words.setInt(at + REMOTE_QKEY, remoteQkey);
    }

    /**
     * Returns the operation.
     *
     * @param index the work request
     * @return a {@link SendOpcode}
     */
    public int opcode(int index) {
        return words.getInt(at(index) + OPCODE);
    }

    /**
     * Returns the flags.
     *
     * @param index the work request
     * @return {@link SendFlags} bits
     */
    public int flags(int index) {
        return words.getInt(at(index) + FLAGS);
    }

    /**
     * Returns the immediate data.
     *
     * @param index the work request
     * @return 32 bits as set
     */
    public int immediate(int index) {
        return words.getNetworkInt(at(index) + IMM);
    }

    /**
     * Returns the value to compare with, or to add.
     *
     * @param index the work request
     * @return the first operand of an atomic
     */
    public long compareOrAdd(int index) {
        return words.getLong(at(index) + COMPARE_ADD);
    }

    /**
     * Returns the value to store if the comparison succeeds.
     *
     * @param index the work request
     * @return the second operand of a compare-and-swap
     */
    public long swap(int index) {
        return words.getLong(at(index) + SWAP);
    }

    /**
     * Returns the remote key of an atomic.
     *
     * @param index the work request
     * @return the rkey
     */
    public int atomicRkey(int index) {
        return words.getInt(at(index) + ATOMIC_RKEY);
    }

    /**
     * Returns whether a request is a SEND with one scatter/gather entry and no flags except INLINE and SIGNALED.
     *
     * @param index the work request
     * @return false for all other requests
     */
    public boolean isPlainSend(int index) {
        return opcode(index) == SendOpcode.SEND
                && numSge(index) == 1
                && (flags(index) & ~(SendFlags.SIGNALED | SendFlags.INLINE)) == 0;
    }

    /**
     * Returns whether a request is signaled.
     *
     * @param index the work request
     * @return true if its flags contain SIGNALED
     */
    public boolean isSignaled(int index) {
        return (flags(index) & SendFlags.SIGNALED) != 0;
    }

    /**
     * Returns whether the provider copies the message when it is posted.
     *
     * @param index the work request
     * @return true if its flags contain INLINE
     */
    public boolean isInline(int index) {
        return (flags(index) & SendFlags.INLINE) != 0;
    }

    /**
     * Returns the window to bind.
     *
     * @param index the work request
     * @return the window's {@link MemoryWindow#handle()}
     */
    public long bindWindow(int index) {
        return words.getLong(at(index) + MW);
    }

    /**
     * Returns the region to bind to.
     *
     * @param index the work request
     * @return the region's {@link MemoryRegion#handle()}
     */
    public long bindRegion(int index) {
        return words.getLong(at(index) + BIND_MR);
    }

    /**
     * Returns the length of the memory to bind.
     *
     * @param index the work request
     * @return bytes
     */
    public long bindLength(int index) {
        return words.getLong(at(index) + BIND_LENGTH);
    }

    /**
     * Returns the remote address of a READ or WRITE.
     *
     * @param index the work request
     * @return first byte of the remote memory
     */
    public long remoteAddress(int index) {
        return words.getLong(at(index) + REMOTE_ADDRESS);
    }

    /**
     * Returns the remote key of a READ or WRITE.
     *
     * @param index the work request
     * @return the rkey
     */
    public int rkey(int index) {
        return words.getInt(at(index) + RKEY);
    }

    /**
     * Returns the address handle of a datagram.
     *
     * @param index the work request
     * @return {@link AddressHandle#handle()}
     */
    public long addressHandle(int index) {
        return words.getLong(at(index) + AH);
    }

    /**
     * Returns the receiving queue pair of a datagram.
     *
     * @param index the work request
     * @return its number
     */
    public int remoteQpn(int index) {
        return words.getInt(at(index) + REMOTE_QPN);
    }

    /**
     * Returns the QKEY of a datagram.
     *
     * @param index the work request
     * @return the key of the receiving queue pair
     */
    public int remoteQkey(int index) {
        return words.getInt(at(index) + REMOTE_QKEY);
    }
}
