package io.rdmarpc.remote;

import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.async.RdmaConnection;
import io.rdmarpc.async.RemoteMemoryRange;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.link.Lease;
import io.rdmarpc.remote.notification.NotificationQueue;
import io.rdmarpc.remote.support.RemoteMemoryCounters.Count;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Operations on a part of leased memory. It rejects operations that the owner's NIC would reject, splits operations
 * that exceed the limit of the device, and counts operations. Any thread.
 *
 * @param core provides counters and staging memory
 * @param lease the lease of the memory
 * @param start start of the part, in bytes from the start of the lease
 * @param length length of the part in bytes
 */
record RegionAccess(MemoryCore core, Lease lease, long start, long length) {

    private static final int WORD = Long.BYTES;
    private static final int MAX_TAG = (1 << 16) - 1;

    /** Starts an operation for one fragment on a connection. */
    private interface Fragment {
        CompletableFuture<Void> start(RdmaConnection connection, long at, long bytes);
    }

    /** Returns a part of this part. */
    RegionAccess slice(long offset, long bytes) {
        return new RegionAccess(core, lease, start + offset, bytes);
    }

    CompletableFuture<Void> read(long offset, LocalSlice into) {
        RdmaRemoteMemoryException rejection = rejection(RemoteRight.READ, offset, into.length());
        return rejection != null
                ? rejected(rejection)
                : inFragments(
                        into.length(),
                        (connection, at, bytes) -> connection.read(into.slice(at, bytes), range(offset + at, bytes)),
                        Count.READS,
                        Count.READ_BYTES);
    }

    CompletableFuture<byte[]> read(long offset, int bytes) {
        RdmaRemoteMemoryException rejection = rejection(RemoteRight.READ, offset, bytes);
        return rejection != null
                ? rejected(rejection)
                : core.staging().useAsync(bytes, slice -> read(offset, slice), LocalSlice::toBytes);
    }

    CompletableFuture<Void> write(long offset, LocalSlice from) {
        RdmaRemoteMemoryException rejection = rejection(RemoteRight.WRITE, offset, from.length());
        return rejection != null
                ? rejected(rejection)
                : inFragments(
                        from.length(),
                        (connection, at, bytes) -> connection.write(from.slice(at, bytes), range(offset + at, bytes)),
                        Count.WRITES,
                        Count.WRITTEN_BYTES);
    }

    CompletableFuture<Void> write(long offset, byte[] bytes) {
        RdmaRemoteMemoryException rejection = rejection(RemoteRight.WRITE, offset, bytes.length);
        return rejection != null
                ? rejected(rejection)
                : core.staging()
                        .useAsync(bytes.length, slice -> write(offset, slice.put(bytes)), Function.identity())
                        .thenApply(_ -> null);
    }

    CompletableFuture<Void> writeWithNotify(long offset, LocalSlice from, int tag) {
        if (tag < 0 || tag > MAX_TAG || from.length() > core.maxOperationBytes()) {
            throw new IllegalArgumentException("A write with notification of " + from.length() + " bytes and tag " + tag
                    + " is not possible: the limits are " + core.maxOperationBytes()
                    + " bytes on this device and tags from 0 to "
                    + MAX_TAG);
        }
        RdmaRemoteMemoryException rejection = rejection(RemoteRight.NOTIFY, offset, from.length());
        if (rejection == null) {
            rejection = rejection(RemoteRight.WRITE, offset, from.length());
        }
        return rejection != null
                ? rejected(rejection)
                : inFragments(
                        from.length(),
                        (connection, at, bytes) -> connection.writeWithImmediate(
                                from.slice(at, bytes),
                                range(offset + at, bytes),
                                NotificationQueue.immediate(lease.slot(), tag)),
                        Count.WRITES,
                        Count.WRITTEN_BYTES);
    }

    CompletableFuture<Long> compareAndSwap(long offset, long expected, long update) {
        return atomic(offset, (connection, word) -> connection.compareAndSwap(word, expected, update));
    }

    CompletableFuture<Long> getAndAdd(long offset, long addend) {
        return atomic(offset, (connection, word) -> connection.fetchAndAdd(word, addend));
    }

    /** Starts an atomic; the future completes with the original value. */
    private interface Atomic {
        CompletableFuture<Long> start(RdmaConnection connection, RemoteMemoryRange word);
    }

    private CompletableFuture<Long> atomic(long offset, Atomic atomic) {
        RdmaRemoteMemoryException rejection = rejection(RemoteRight.ATOMIC, offset, WORD);
        if (rejection != null) {
            return rejected(rejection);
        }
        return lease.run(
                connection -> atomic.start(connection, range(offset, WORD)),
                () -> core.counters().add(Count.ATOMICS));
    }

    private RemoteMemoryRange range(long offset, long bytes) {
        return lease.range(start + offset, bytes);
    }

    private @Nullable RdmaRemoteMemoryException rejection(RemoteRight right, long offset, long bytes) {
        if (offset < 0 || bytes < 0 || offset > length - bytes) {
            return new RdmaRemoteMemoryException(
                    Reason.BOUNDS,
                    "Bytes " + offset + " to " + (offset + bytes) + " are outside " + this + ", which has " + length
                            + " bytes. No operation was posted.");
        }
        if (!lease.rights().contains(right)) {
            return new RdmaRemoteMemoryException(
                    Reason.RIGHTS,
                    this + " was lent with " + lease.rights() + ", not with " + right + ". The owner must lend it "
                            + "with that right.");
        }
        return null;
    }

    private <T> CompletableFuture<T> rejected(RdmaRemoteMemoryException why) {
        core.counters().add(Count.REJECTED_OPERATIONS);
        return CompletableFuture.failedFuture(why);
    }

    /** Throws if an operation would be rejected; for callers that block. */
    void check(RemoteRight right, long offset, long bytes) {
        RdmaRemoteMemoryException rejection = rejection(right, offset, bytes);
        if (rejection != null) {
            core.counters().add(Count.REJECTED_OPERATIONS);
            throw rejection;
        }
    }

    /** Counts completed work: the bytes of each fragment, and the operation after its last fragment. */
    private CompletableFuture<Void> inFragments(long bytes, Fragment fragment, Count operations, Count moved) {
        long maxBytes = core.maxOperationBytes();
        if (bytes <= maxBytes) {
            return lease.run(connection -> fragment.start(connection, 0, bytes), () -> {
                core.counters().add(operations);
                core.counters().add(moved, bytes);
            });
        }
        List<CompletableFuture<Void>> parts = new ArrayList<>();
        for (long at = 0; at < bytes; at += maxBytes) {
            long from = at;
            long part = Math.min(maxBytes, bytes - at);
            parts.add(lease.run(
                    connection -> fragment.start(connection, from, part),
                    () -> core.counters().add(moved, part)));
        }
        return CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new))
                .thenRun(() -> core.counters().add(operations));
    }

    @Override
    public String toString() {
        return start == 0 && length == lease.bytes()
                ? lease.toString()
                : "bytes " + start + " to " + (start + length) + " of " + lease;
    }
}
