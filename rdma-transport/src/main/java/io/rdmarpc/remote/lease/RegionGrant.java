package io.rdmarpc.remote.lease;

import io.rdmarpc.remote.RemoteRegion;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Own memory lent to a peer: whoever opens the {@link #token} first, within the lease, may use exactly this range with
 * exactly these rights until the lease ends or the grant is closed. Then the key is invalid at the NIC. Any thread.
 */
public interface RegionGrant extends AutoCloseable {

    /**
     * Returns what to give the peer, in an argument of a call for instance.
     *
     * @return the token
     */
    RegionToken token();

    /**
     * Returns what the peer may do.
     *
     * @return the rights
     */
    Set<RemoteRight> rights();

    /**
     * Tells when the peer has no access any more: the lease has ended, or the grant was closed, or the peer has given the
     * region back or died, after it had been opened.
     *
     * @return completed then, exceptionally when the device keeps the key; then the memory must not be used for
     *     anything else
     */
    CompletableFuture<Void> ended();

    /**
     * Lends it for longer, or shorter. The peer, if it has opened the token, learns that when it {@linkplain
     * RemoteRegion#renew renews}. Does nothing when the lease is over.
     *
     * @param lease how long from now, over 0
     */
    void renew(Duration lease);

    /**
     * Ends it: when this returns the peer's NIC operations fail, and no listener has the memory before it. A second call only
     * waits. A listener that calls it does not wait.
     *
     * @throws RdmaRemoteMemoryException when the device or a listener takes longer than the answer time-out
     */
    @Override
    void close();

    /**
     * Begins to end it.
     *
     * @return as {@link #ended}
     */
    CompletableFuture<Void> closeAsync();

    /**
     * Sets who is told when the peer has written with {@link RemoteRegion#writeWithNotify}; the grant must have {@link
     * RemoteRight#NOTIFY}. Set it before the token goes out: notices that nobody listens to are lost.
     *
     * @param newListener told from now on
     * @return this
     */
    RegionGrant onWrite(WriteListener newListener);
}
