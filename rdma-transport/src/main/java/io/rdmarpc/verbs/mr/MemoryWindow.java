package io.rdmarpc.verbs.mr;

import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;

/**
 * A key to a part of a memory region that can be given and taken back by work requests ({@code struct ibv_mw} of type
 * 2): far cheaper than registering. The window is bound by {@link SendRequests#setBind} on a queue pair of the same
 * domain, and unbound by a {@link SendOpcode#LOCAL_INV}, or by the peer's {@link SendOpcode#SEND_WITH_INV}.
 *
 * <p>Whether a device really checks the window's range is its own affair: rxe of Linux 6.1 checks the region's.
 */
public interface MemoryWindow extends AutoCloseable {

    /**
     * Returns what a work request refers to it by.
     *
     * @return an opaque number: the C pointer
     */
    long handle();

    /**
     * Returns the key of the last bind, or the first one.
     *
     * @return the rkey
     */
    int rkey();

    /**
     * Makes the key for the next bind: the upper 24 bits belong to the window, the lower 8 to the user
     * ({@code ibv_inc_rkey}). Afterwards {@link #rkey()} returns it. Each call is for one bind that is then posted: the
     * device goes by the key before. When a bind has failed, free the window and allocate another.
     *
     * @return the rkey to bind with
     */
    int nextRkey();

    /**
     * Frees the window; its key is invalid afterwards. A second call does nothing. Close a bound window before its queue pair:
     * the queue pair of rxe on Linux 6.1 otherwise takes 50 s to close. Closing the domain keeps this order.
     */
    @Override
    void close();
}
