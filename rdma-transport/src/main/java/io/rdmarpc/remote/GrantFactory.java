package io.rdmarpc.remote;

import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.lease.WriteListener;
import io.rdmarpc.remote.lender.LocalGrant;
import io.rdmarpc.remote.support.LeaseDurations;
import io.rdmarpc.verbs.attributes.AccessFlag;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Grants local memory to peers. Arguments are checked on the caller's thread; the control thread makes the grant. Any
 * thread.
 *
 * @param core the core whose lender holds the grants
 */
record GrantFactory(MemoryCore core) {

    /** Waits until the control thread has made the grant. If the wait times out, the grant is closed again. */
    LocalGrant grant(LocalSlice slice, Set<RemoteRight> rights, Duration lease, @Nullable UUID onlyFor) {
        check(slice, rights, lease);
        CompletableFuture<LocalGrant> made = new CompletableFuture<>();
        core.threads().controlOrFail().execute(() -> {
            try {
                LocalGrant grant = core.lender().grant(core, slice, rights, lease, onlyFor);
                if (made.complete(grant)) {
                    core.leaseExpiry().schedule();
                } else {
                    core.lender().close(grant);
                }
            } catch (RuntimeException e) {
                made.completeExceptionally(e);
            }
        });
        return core.waiter().await(made, "a grant");
    }

    private static void check(LocalSlice slice, Set<RemoteRight> rights, Duration lease) {
        LeaseDurations.check(lease);
        if (rights.isEmpty() || slice.length() == 0) {
            throw new IllegalArgumentException("A grant of " + slice.length() + " bytes with rights " + rights
                    + " needs at least 1 byte and 1 right");
        }
        Set<AccessFlag> own = slice.region().rights();
        if (RemoteRight.access(rights).contains(AccessFlag.LOCAL_WRITE) && !own.contains(AccessFlag.LOCAL_WRITE)) {
            throw new RdmaRemoteMemoryException(
                    Reason.RIGHTS, "Read-only memory cannot be granted with " + rights + ". Grant only READ.");
        }
    }

    /** Returns a region for use in calls; each message that contains it gets its own grant. */
    RemoteRegion lend(LocalSlice slice, Set<RemoteRight> rights, Duration lease, @Nullable WriteListener listener) {
        LocalLease.Grants grants = (part, time) -> {
            LocalGrant grant = grant(part, rights, time, null);
            return listener == null ? grant : grant.onWrite(listener);
        };
        return RemoteRegion.all(core, new LocalLease(core, slice, rights, lease, grants));
    }
}
