package io.rdmarpc.remote.lease;

import io.rdmarpc.remote.RemoteRegion;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * Local memory lent to a peer. The peer that opens the {@link #token} first, within the lease, may use exactly this
 * range with exactly these rights. Its access ends when the lease ends or the grant is closed: the NIC then invalidates
 * the key. Any thread.
 */
public interface RegionGrant extends AutoCloseable {

    /**
     * Returns the token for the peer, which can be sent as an argument of a call.
     *
     * @return the token
     */
    RegionToken token();

    /**
     * Returns the rights of the peer.
     *
     * @return the rights
     */
    Set<RemoteRight> rights();

    /**
     * Reports when the peer has no access any more. That is the case when the lease has ended or the grant was closed.
     * For an opened grant it is also the case when the peer has freed the region or disconnected.
     *
     * @return completes at the end. It completes exceptionally if the device fails to invalidate the key; then the
     *     memory must not be used for other data
     */
    CompletableFuture<Void> ended();

    /**
     * Extends or shortens the lease. A peer that has opened the token learns the new end when it {@linkplain
     * RemoteRegion#renew renews} its lease. Has no effect after the end of the lease.
     *
     * @param lease the duration from now, positive
     */
    void renew(Duration lease);

    /**
     * Ends the grant. When this method returns, operations of the peer's NIC fail, and no listener uses the memory for
     * an earlier write. A second call only waits. On a listener's thread it does not wait.
     *
     * @throws RdmaRemoteMemoryException if the device or a listener takes longer than the response timeout
     */
    @Override
    void close();

    /**
     * Starts to end the grant, without waiting.
     *
     * @return a future as from {@link #ended}
     */
    CompletableFuture<Void> closeAsync();

    /**
     * Sets the listener for writes with {@link RemoteRegion#writeWithNotify}. The grant must have
     * {@link RemoteRight#NOTIFY}. Set it before the token is sent: notifications without a listener are lost.
     *
     * @param newListener replaces the previous listener
     * @return this
     */
    RegionGrant onWrite(WriteListener newListener);
}
