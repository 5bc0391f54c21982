package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaRegionBusyException;
import io.rdmarpc.async.error.RdmaRegionClosedException;
import org.jspecify.annotations.Nullable;

/**
 * Records which pending operations use which bytes of a region. Several operations may read the same bytes at once; an
 * operation that writes needs exclusive use of its bytes. A check visits every pending operation of the region: use
 * several regions if thousands are pending.
 */
final class RegionClaims {

    private final Runnable whenFree;
    private @Nullable Operation<?> first;
    private int holds;
    private boolean closed;

    /**
     * Creates an instance without claims.
     *
     * @param whenFree called once after the close, when the last claim or hold is released
     */
    RegionClaims(Runnable whenFree) {
        this.whenFree = whenFree;
    }

    /** Claims the bytes of a slice for an operation. */
    synchronized void take(Operation<?> operation, LocalSlice slice) {
        check(slice, operation.kind().writesLocally(), operation.kind().name());
        operation.nextClaim = first;
        if (first != null) {
            first.previousClaim = operation;
        }
        first = operation;
    }

    /** Throws if the bytes may not be read or written now. */
    synchronized void check(LocalSlice slice, boolean forWriting, String use) {
        if (closed) {
            throw new RdmaRegionClosedException(
                    use + " of " + slice + " was rejected: the region was closed. Use another region");
        }
        for (Operation<?> user = first; user != null; user = user.nextClaim) {
            LocalSlice taken = user.local();
            if (taken != null && (forWriting || user.kind().writesLocally()) && taken.overlaps(slice)) {
                throw new RdmaRegionBusyException(
                        user.kind(),
                        use + " of " + slice + " was rejected: the device uses " + taken + " for a " + user.kind()
                                + " that has not ended, even if its future has. Wait for the operation, or use other"
                                + " bytes");
            }
        }
    }

    void release(Operation<?> operation) {
        if (unlink(operation)) {
            whenFree.run();
        }
    }

    private synchronized boolean unlink(Operation<?> operation) {
        Operation<?> previous = operation.previousClaim;
        Operation<?> next = operation.nextClaim;
        if (previous != null) {
            previous.nextClaim = next;
        } else {
            first = next;
        }
        if (next != null) {
            next.previousClaim = previous;
        }
        operation.previousClaim = null;
        operation.nextClaim = null;
        return closed && isFree();
    }

    private boolean isFree() {
        return first == null && holds == 0;
    }

    /** Prevents the release of the region until {@link #drop}. */
    synchronized void hold() {
        if (closed) {
            throw new RdmaRegionClosedException("The region was closed and can no longer be held. Use another region");
        }
        holds++;
    }

    void drop() {
        if (dropped()) {
            whenFree.run();
        }
    }

    private synchronized boolean dropped() {
        holds--;
        return closed && isFree();
    }

    /** Rejects further claims; returns true if this was the first call and no claim or hold exists. */
    synchronized boolean close() {
        boolean free = !closed && isFree();
        closed = true;
        return free;
    }
}
