package io.rdmarpc.remote.link;

import io.rdmarpc.async.RdmaConnection;
import io.rdmarpc.async.RemoteMemoryRange;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteRight;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The lease of a region, shared by all its slices, which end with it. Any thread. */
public interface Lease {

    long bytes();

    Set<RemoteRight> rights();

    /** Returns the remaining time in nanoseconds, 0 or less after the end. */
    long remainingNanos();

    boolean isUsable();

    /**
     * Starts an operation of the device.
     *
     * @param start starts the operation; it may call {@link #range} and {@link #slot}
     * @param done runs before the future completes, only if the device has completed the operation successfully
     */
    <T> CompletableFuture<T> run(Function<RdmaConnection, CompletableFuture<T>> start, Runnable done);

    /** Returns the address range of a part of the region. Only valid inside {@link #run}. */
    RemoteMemoryRange range(long offset, long bytes);

    /** Returns the notification slot of the region. Only valid inside {@link #run}. */
    int slot();

    CompletableFuture<Void> renew(long leaseNanos);

    CompletableFuture<Void> free();

    /**
     * Returns a token for a part of the region.
     *
     * @param offset offset in the region in bytes
     * @param bytes the length of the part in bytes
     * @param onlyFor the peer that may open the token, null for any peer
     * @throws RdmaRemoteMemoryException if it cannot be passed on
     */
    RegionToken token(long offset, long bytes, @Nullable UUID onlyFor);
}
