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
 * Operations on a part of leased memory: refused here before they are posted where the owner's NIC would refuse them, cut
 * where they are longer than devices take, and counted. Any thread.
 *
 * @param core whose counters and staging memory
 * @param lease what stands behind the memory
 * @param start where the part begins, bytes from the first of the lease
 * @param length of the part
 */
record RegionAccess(MemoryCore core, Lease lease, long start, long length) {

    private static final int WORD = Long.BYTES;
    private static final int MOST_TAG = (1 << 16) - 1;

    /** Moves some bytes over a connection. */
    private interface Fragment {
        CompletableFuture<Void> start(RdmaConnection connection, long at, long bytes);
    }

    /** A part of this one. */
    RegionAccess slice(long offset, long bytes) {
        return new RegionAccess(core, lease, start + offset, bytes);
    }

    CompletableFuture<Void> read(long offset, LocalSlice into) {
        RdmaRemoteMemoryException rejection = rejection(RemoteRight.READ, offset, into.length());
        return rejection != null
                ? refused(rejection)
                : inFragments(
                        into.length(),
                        (connection, at, bytes) -> connection.read(into.slice(at, bytes), place(offset + at, bytes)),
                        Count.READS,
                        Count.READ_BYTES);
    }

    CompletableFuture<byte[]> read(long offset, int bytes) {
        RdmaRemoteMemoryException rejection = rejection(RemoteRight.READ, offset, bytes);
        return rejection != null
                ? refused(rejection)
                : core.staging().useAsync(bytes, slice -> read(offset, slice), LocalSlice::toBytes);
    }

    CompletableFuture<Void> write(long offset, LocalSlice from) {
        RdmaRemoteMemoryException rejection = rejection(RemoteRight.WRITE, offset, from.length());
        return rejection != null
                ? refused(rejection)
                : inFragments(
                        from.length(),
                        (connection, at, bytes) -> connection.write(from.slice(at, bytes), place(offset + at, bytes)),
                        Count.WRITES,
                        Count.WRITTEN_BYTES);
    }

    CompletableFuture<Void> write(long offset, byte[] bytes) {
        RdmaRemoteMemoryException rejection = rejection(RemoteRight.WRITE, offset, bytes.length);
        return rejection != null
                ? refused(rejection)
                : core.staging()
                        .useAsync(bytes.length, slice -> write(offset, slice.put(bytes)), Function.identity())
                        .thenApply(_ -> null);
    }

    CompletableFuture<Void> writeWithNotify(long offset, LocalSlice from, int tag) {
        if (tag < 0 || tag > MOST_TAG || from.length() > core.mostBytesAtOnce()) {
            throw new IllegalArgumentException("a write of " + from.length() + " bytes with tag " + tag
                    + ": notices are for at most " + core.mostBytesAtOnce()
                    + " bytes at this device and tags from 0 to "
                    + MOST_TAG);
        }
        RdmaRemoteMemoryException rejection = rejection(RemoteRight.NOTIFY, offset, from.length());
        if (rejection == null) {
            rejection = rejection(RemoteRight.WRITE, offset, from.length());
        }
        return rejection != null
                ? refused(rejection)
                : inFragments(
                        from.length(),
                        (connection, at, bytes) -> connection.writeWithImmediate(
                                from.slice(at, bytes),
                                place(offset + at, bytes),
                                NotificationQueue.immediate(lease.slot(), tag)),
                        Count.WRITES,
                        Count.WRITTEN_BYTES);
    }

    CompletableFuture<Long> compareAndSwap(long offset, long expected, long update) {
        return atomic(offset, (connection, place) -> connection.compareAndSwap(place, expected, update));
    }

    CompletableFuture<Long> getAndAdd(long offset, long addend) {
        return atomic(offset, (connection, place) -> connection.fetchAndAdd(place, addend));
    }

    /** Changes a word and tells what it was. */
    private interface Atomic {
        CompletableFuture<Long> start(RdmaConnection connection, RemoteMemoryRange word);
    }

    private CompletableFuture<Long> atomic(long offset, Atomic atomic) {
        RdmaRemoteMemoryException rejection = rejection(RemoteRight.ATOMIC, offset, WORD);
        if (rejection != null) {
            return refused(rejection);
        }
        return lease.run(
                connection -> atomic.start(connection, place(offset, WORD)),
                () -> core.counters().add(Count.ATOMICS));
    }

    private RemoteMemoryRange place(long offset, long bytes) {
        return lease.place(start + offset, bytes);
    }

    private @Nullable RdmaRemoteMemoryException rejection(RemoteRight right, long offset, long bytes) {
        if (offset < 0 || bytes < 0 || offset > length - bytes) {
            return new RdmaRemoteMemoryException(
                    Reason.BOUNDS,
                    "Bytes " + offset + " to " + (offset + bytes) + " are not in " + this + " of " + length
                            + " bytes. Nothing was sent.");
        }
        if (!lease.rights().contains(right)) {
            return new RdmaRemoteMemoryException(
                    Reason.RIGHTS,
                    this + " was lent with " + lease.rights() + ", not with " + right + ". Ask its owner for more.");
        }
        return null;
    }

    private <T> CompletableFuture<T> refused(RdmaRemoteMemoryException why) {
        core.counters().add(Count.REFUSED_OPERATIONS);
        return CompletableFuture.failedFuture(why);
    }

    /** For who waits. */
    void check(RemoteRight right, long offset, long bytes) {
        RdmaRemoteMemoryException rejection = rejection(right, offset, bytes);
        if (rejection != null) {
            core.counters().add(Count.REFUSED_OPERATIONS);
            throw rejection;
        }
    }

    /** Counts what the device has done: the bytes of each fragment, the operation when it has done all of them. */
    private CompletableFuture<Void> inFragments(long bytes, Fragment fragment, Count operations, Count moved) {
        long most = core.mostBytesAtOnce();
        if (bytes <= most) {
            return lease.run(connection -> fragment.start(connection, 0, bytes), () -> {
                core.counters().add(operations);
                core.counters().add(moved, bytes);
            });
        }
        List<CompletableFuture<Void>> parts = new ArrayList<>();
        for (long at = 0; at < bytes; at += most) {
            long from = at;
            long part = Math.min(most, bytes - at);
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
