package io.rdmarpc.async;

import io.rdmarpc.async.error.RdmaRegionBusyException;
import io.rdmarpc.async.error.RdmaRegionClosedException;
import org.jspecify.annotations.Nullable;

/**
 * Who uses which bytes of a region now. Devices may read the same bytes at a time; a device that writes has its bytes
 * alone. Looks at every operation of the region that has not ended: give each its own region where thousands are pending.
 */
final class RegionClaims {

    private final Runnable whenFree;
    private @Nullable Operation<?> first;
    private int holds;
    private boolean closed;

    /**
     * Starts without claims.
     *
     * @param whenFree called once, when the last claim or hold goes after the close
     */
    RegionClaims(Runnable whenFree) {
        this.whenFree = whenFree;
    }

    /** Takes the bytes of an operation's slice for it. */
    synchronized void take(Operation<?> operation, LocalSlice slice) {
        check(slice, operation.kind().writesLocally(), operation.kind().name());
        operation.nextClaim = first;
        if (first != null) {
            first.previousClaim = operation;
        }
        first = operation;
    }

    /** Looks whether bytes may be read or written now. */
    synchronized void check(LocalSlice slice, boolean forWriting, String who) {
        if (closed) {
            throw new RdmaRegionClosedException(who + " of " + slice + ": the region was closed. Use another");
        }
        for (Operation<?> user = first; user != null; user = user.nextClaim) {
            LocalSlice taken = user.local();
            if (taken != null && (forWriting || user.kind().writesLocally()) && taken.overlaps(slice)) {
                throw new RdmaRegionBusyException(
                        user.kind(),
                        who + " of " + slice + ": the device has " + taken + " for a " + user.kind()
                                + " that has not ended, whatever happened to its future. Wait for it, or use other"
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

    /** Keeps the region from being released until {@link #drop}. */
    synchronized void hold() {
        if (closed) {
            throw new RdmaRegionClosedException("The region was closed: nobody can hold it any more. Use another");
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

    /** Takes no more claims; true when this was the first close and nobody uses the region. */
    synchronized boolean close() {
        boolean free = !closed && isFree();
        closed = true;
        return free;
    }
}
