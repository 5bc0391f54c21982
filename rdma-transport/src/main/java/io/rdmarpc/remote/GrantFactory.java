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
 * Grants own memory: what cannot be granted is refused on the caller's thread, the rest is the control thread's. Any thread.
 *
 * @param core whose lender has the grants
 */
record GrantFactory(MemoryCore core) {

    /** Waits until the grant is known to the control thread; a caller who has given up leaves none. */
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
        return core.responseTimeout().await(made, "a grant");
    }

    private static void check(LocalSlice slice, Set<RemoteRight> rights, Duration lease) {
        LeaseDurations.check(lease);
        if (rights.isEmpty() || slice.length() == 0) {
            throw new IllegalArgumentException(
                    "a grant of " + slice.length() + " bytes with rights " + rights + ": it needs some of both");
        }
        Set<AccessFlag> own = slice.region().rights();
        if (RemoteRight.access(rights).contains(AccessFlag.LOCAL_WRITE) && !own.contains(AccessFlag.LOCAL_WRITE)) {
            throw new RdmaRemoteMemoryException(
                    Reason.RIGHTS, "Read-only memory cannot be granted with " + rights + ": grant READ alone.");
        }
    }

    /** What goes into calls: each message has a grant of its own. */
    RemoteRegion lend(LocalSlice slice, Set<RemoteRight> rights, Duration lease, @Nullable WriteListener listener) {
        LocalLease.Grants grants = (part, time) -> {
            LocalGrant grant = grant(part, rights, time, null);
            return listener == null ? grant : grant.onWrite(listener);
        };
        return RemoteRegion.all(core, new LocalLease(core, slice, rights, lease, grants));
    }
}
