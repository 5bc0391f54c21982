package io.rdmarpc.verbs.mr;

import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;

/**
 * A key to a part of a memory region that work requests grant and revoke ({@code struct ibv_mw} of type 2). This is far
 * cheaper than registering memory. {@link SendRequests#setBind} binds the window on a queue pair of the same domain. A
 * {@link SendOpcode#LOCAL_INV}, or the peer's {@link SendOpcode#SEND_WITH_INV}, unbinds it.
 *
 * <p>Devices differ in their range checks: rxe of Linux 6.1 checks the range of the region, not of the window.
 */
public interface MemoryWindow extends AutoCloseable {

    /**
     * Returns the value by which a work request refers to the window.
     *
     * @return an opaque number: the C pointer
     */
    long handle();

    /**
     * Returns the key that {@link #nextRkey} created last, or the initial key.
     *
     * @return the rkey
     */
    int rkey();

    /**
     * Creates the key for the next bind ({@code ibv_inc_rkey}). The upper 24 bits belong to the window, the lower 8
     * bits to the user. Afterwards {@link #rkey()} returns the new key. Call it once for each posted bind, because the
     * device expects the previous key. If a bind fails, free the window and allocate another.
     *
     * @return the rkey to bind with
     */
    int nextRkey();

    /**
     * Frees the window and invalidates its key. A second call does nothing. Close a bound window before its queue pair:
     * otherwise closing a queue pair of rxe on Linux 6.1 takes 50 s. Closing the domain keeps this order.
     */
    @Override
    void close();
}
