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

/** What stands behind a region and all its slices, so that none outlives it. Any thread. */
public interface Lease {

    long bytes();

    Set<RemoteRight> rights();

    /** 0 or less when it is over. */
    long remainingNanos();

    boolean isUsable();

    /**
     * Starts an operation of the device.
     *
     * @param start does it; {@link #place} and {@link #slot} tell it where
     * @param done runs before the future completes, and only when the device has done it
     */
    <T> CompletableFuture<T> run(Function<RdmaConnection, CompletableFuture<T>> start, Runnable done);

    /** Where some of its bytes are; only within what {@link #run} starts. */
    RemoteMemoryRange place(long offset, long bytes);

    /** What notices name it by; only within what {@link #run} starts. */
    int slot();

    CompletableFuture<Void> renew(long leaseNanos);

    CompletableFuture<Void> free();

    /**
     * Returns what stands for some of it in a message.
     *
     * @param offset from which byte
     * @param bytes how many
     * @param onlyFor who may open it, null for whoever gets it
     * @throws RdmaRemoteMemoryException when it cannot be passed on
     */
    RegionToken token(long offset, long bytes, @Nullable UUID onlyFor);
}
