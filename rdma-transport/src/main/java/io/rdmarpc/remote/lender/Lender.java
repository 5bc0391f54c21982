package io.rdmarpc.remote.lender;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.events.LeaseEvent;
import io.rdmarpc.memory.PageSource;
import io.rdmarpc.remote.lease.LendingLimits;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lease.RemoteMemorySnapshot;
import io.rdmarpc.remote.lease.RemoteRight;
import io.rdmarpc.remote.support.RemoteMemoryCounters;
import io.rdmarpc.remote.support.RemoteMemoryCounters.Count;
import io.rdmarpc.remote.wire.LinkMessage;
import io.rdmarpc.remote.wire.TokenCodec;
import io.rdmarpc.remote.wire.TokenSecret;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Lends memory of this process to peers and revokes it. Every region has its own registration, in the protection domain
 * of its holder only, so that deregistering it revokes the access. Control thread.
 *
 * <pre>
 *   allocate ----------------------&gt; lent --(freed, lease over, holder gone)--&gt; key invalid --&gt; memory freed
 *   grant -&gt; token -&gt; open (once) --&gt; lent --(same, or grant closed)-------&gt; key invalid --&gt; reusable
 * </pre>
 *
 * After the key is invalid and before the memory is released, listeners handle earlier notifications.
 */
public final class Lender {

    private static final System.Logger LOG = System.getLogger(Lender.class.getName());
    private static final long BUSY_RETRY_NANOS = 1_000_000_000;

    private final NanoClock clock;
    private final LendingLimits limits;
    private final PageSource pages;
    private final RemoteMemoryCounters counters;
    private final LeaseTable leases = new LeaseTable();
    private final GrantTable grants = new GrantTable();

    /** Revoked regions to which a peer may still write, because its process was stopped during a copy. */
    private final List<Busy> busy = new ArrayList<>();

    private final Quotas quotas;
    private long lastId;

    /** A region whose key is invalid and whose memory cannot be released yet. */
    private static final class Busy {

        private final LentRegion region;
        private final Count outcome;
        private boolean notificationsHandled;

        Busy(LentRegion region, Count outcome) {
            this.region = region;
            this.outcome = outcome;
        }
    }

    /**
     * Creates a lender without leases.
     *
     * @param clock the clock of leases
     * @param limits limits of peers
     * @param pages allocates memory for peers
     * @param counters counts events
     */
    public Lender(NanoClock clock, LendingLimits limits, PageSource pages, RemoteMemoryCounters counters) {
        this.clock = clock;
        this.limits = limits;
        this.pages = pages;
        this.counters = counters;
        this.quotas = new Quotas(limits);
    }

    public LinkMessage.Lent allocate(LeaseHolder holder, LinkMessage.Allocate request) {
        checkAllocation(request);
        long bytes = request.bytes();
        String peer = holder.account();
        quotas.reserve(peer, bytes);
        Arena arena = Arena.ofShared();
        LentRegion region = null;
        try {
            MemorySegment memory = allocate(arena, bytes);
            region = new LentRegion(
                    ++lastId,
                    holder,
                    request.rights(),
                    holder.register(memory, request.rights()),
                    () -> {
                        arena.close();
                        quotas.release(peer, bytes);
                    },
                    null);
        } finally {
            if (region == null) {
                arena.close();
                quotas.release(peer, bytes);
            }
        }
        LinkMessage.Lent lent =
                lend(region, Math.min(request.leaseNanos(), limits.maxLease().toNanos()));
        count(Count.ALLOCATED, region);
        return lent;
    }

    private void checkAllocation(LinkMessage.Allocate request) {
        if (request.bytes() <= 0 || request.leaseNanos() <= 0) {
            throw new RdmaRemoteMemoryException(
                    Reason.BOUNDS,
                    request.bytes() + " bytes for " + request.leaseNanos() + " ns cannot be lent: both must be "
                            + "positive.");
        }
        if (request.rights().isEmpty() || !limits.rights().containsAll(request.rights())) {
            throw new RdmaRemoteMemoryException(
                    Reason.RIGHTS,
                    "Rights " + request.rights() + " are not allowed, only " + limits.rights()
                            + ". Request only those, or extend the owner's limits.");
        }
    }

    private MemorySegment allocate(Arena arena, long bytes) {
        try {
            return pages.allocate(arena, bytes);
        } catch (OutOfMemoryError none) {
            throw new RdmaRemoteMemoryException(
                    Reason.DEVICE,
                    "The owner could not allocate " + bytes + " bytes outside the Java heap. Raise its "
                            + "-XX:MaxDirectMemorySize.",
                    none);
        }
    }

    private LinkMessage.Lent lend(LentRegion region, long leaseNanos) {
        boolean ready = false;
        try {
            region.startNotifications();
            ready = true;
        } finally {
            if (!ready) {
                region.revoke();
                region.release();
            }
        }
        leases.add(region, clock.nanoTime() + leaseNanos + limits.grace().toNanos());
        return region.describe(leaseNanos);
    }

    /** Prepares local memory that a peer can open. It is registered when the peer opens it. */
    public LocalGrant grant(
            GrantOwner owner, LocalSlice slice, Set<RemoteRight> rights, Duration lease, @Nullable UUID onlyFor) {
        LocalRegion.Hold hold = slice.region().hold();
        TokenSecret secret = TokenSecret.fresh();
        RegionToken token = TokenCodec.token(owner.id(), secret, slice.length(), rights);
        LocalGrant grant = new LocalGrant(
                owner,
                token,
                secret,
                hold.segment().asSlice(slice.offset(), slice.length()),
                hold,
                onlyFor,
                clock.nanoTime() + lease.toNanos());
        grants.add(grant);
        return grant;
    }

    public LinkMessage.Lent open(LeaseHolder holder, LinkMessage.Open request) {
        long now = clock.nanoTime();
        LocalGrant grant = checked(holder, request.secret(), now);
        String peer = holder.account();
        quotas.reserve(peer, 0);
        LentRegion region = null;
        try {
            region = new LentRegion(
                    ++lastId,
                    holder,
                    grant.rights(),
                    holder.register(grant.memory(), grant.rights()),
                    () -> quotas.release(peer, 0),
                    grant);
        } finally {
            if (region == null) {
                quotas.release(peer, 0);
            }
        }
        LinkMessage.Lent lent = lend(region, grant.deadlineNanos() - now);
        grant.markOpened(region);
        count(Count.OPENED, region);
        return lent;
    }

    private LocalGrant checked(LeaseHolder holder, TokenSecret secret, long now) {
        LocalGrant grant = grants.find(secret);
        if (grant == null) {
            throw noGrant(grants.endOf(secret));
        }
        if (!grant.isFor(holder.peer())) {
            throw new RdmaRemoteMemoryException(
                    Reason.FOREIGN_PEER,
                    "This token was issued for another peer than " + holder + ". Request a token for this peer.");
        }
        if (grant.opened() != null) {
            throw noGrant(Reason.USED_TOKEN);
        }
        if (grant.deadlineNanos() - now <= 0) {
            throw noGrant(Reason.EXPIRED);
        }
        return grant;
    }

    private static RdmaRemoteMemoryException noGrant(@Nullable Reason why) {
        if (why == Reason.USED_TOKEN) {
            return new RdmaRemoteMemoryException(
                    why, "This token was opened before, and opens only once. Request another from the owner.");
        }
        if (why == Reason.EXPIRED) {
            return new RdmaRemoteMemoryException(why, "The grant has ended. Request another from the owner.");
        }
        return new RdmaRemoteMemoryException(
                Reason.UNKNOWN_TOKEN, "No grant has this token, or it ended long ago. Request another from the owner.");
    }

    public LinkMessage.Renewed renew(LeaseHolder holder, LinkMessage.Renew request) {
        LentRegion region = leases.find(request.id(), holder);
        if (region == null) {
            throw new RdmaRemoteMemoryException(
                    Reason.EXPIRED,
                    "The lease of region " + request.id() + " has ended. Allocate again, or request "
                            + "another grant.");
        }
        LocalGrant grant = region.grant();
        if (grant != null) {
            return new LinkMessage.Renewed(Math.max(1, grant.deadlineNanos() - clock.nanoTime()));
        }
        long lease = Math.clamp(request.leaseNanos(), 1, limits.maxLease().toNanos());
        leases.renew(region, clock.nanoTime() + lease + limits.grace().toNanos());
        count(Count.RENEWED, region);
        return new LinkMessage.Renewed(lease);
    }

    /**
     * Frees a region for its holder. The task runs after the region is released and its last notifications were
     * handled.
     */
    public void free(LeaseHolder holder, LinkMessage.Free request, Runnable then) {
        LentRegion region = leases.find(request.id(), holder);
        if (region == null) {
            then.run();
        } else {
            leases.remove(region);
            end(region, Count.FREED, then);
        }
    }

    /** Extends or shortens a grant; the holder learns the new end when it renews its lease. */
    public void extend(LocalGrant grant, Duration lease) {
        long deadline = clock.nanoTime() + lease.toNanos();
        if (!grants.remove(grant)) {
            return;
        }
        grant.deadline(deadline);
        grants.add(grant);
        LentRegion region = grant.opened();
        if (region != null && leases.has(region)) {
            leases.renew(region, deadline + limits.grace().toNanos());
        }
        count(Count.RENEWED, region);
    }

    /** Closes a grant on behalf of this process. */
    public void close(LocalGrant grant) {
        LentRegion region = grant.opened();
        if (region != null && leases.has(region)) {
            leases.remove(region);
            end(region, Count.REVOKED);
            region.holder().send(new LinkMessage.Revoked(region.id(), Reason.CLOSED));
        }
        if (region == null && grants.has(grant)) {
            grants.end(grant, Reason.EXPIRED);
            grant.markEnded();
        }
    }

    /** Reclaims all regions of a holder that has disconnected. */
    public void reclaim(LeaseHolder holder) {
        for (LentRegion region : leases.of(holder)) {
            leases.remove(region);
            end(region, Count.RECLAIMED);
        }
    }

    /** Ends leases and grants whose deadline has passed, and retries regions that were busy. */
    void expire() {
        long now = clock.nanoTime();
        for (LentRegion region : leases.removeDue(now)) {
            end(region, Count.EXPIRED);
            region.holder().send(new LinkMessage.Revoked(region.id(), Reason.EXPIRED));
        }
        for (LocalGrant grant : grants.endDue(now)) {
            if (grant.opened() == null) {
                count(Count.EXPIRED, null);
                grant.markEnded();
            }
        }
        releaseBusy();
    }

    private void releaseBusy() {
        for (Busy one : List.copyOf(busy)) {
            if (one.notificationsHandled) {
                releaseBusy(one);
            }
        }
    }

    private void releaseBusy(Busy one) {
        try {
            one.region.revoke();
        } catch (RuntimeException e) {
            if (!isBusy(e)) {
                busy.remove(one);
                markStuck(one.region, e);
            }
            return;
        }
        busy.remove(one);
        release(one.region, one.outcome);
    }

    private static boolean isBusy(RuntimeException failure) {
        return failure instanceof RdmaVerbsException busyFailure && busyFailure.errno() == Errno.EBUSY;
    }

    long nanosToNextExpiry() {
        long now = clock.nanoTime();
        long next = Math.min(leases.nanosToNext(now), grants.nanosToNext(now));
        return busy.isEmpty() ? next : Math.min(next, BUSY_RETRY_NANOS);
    }

    private void end(LentRegion region, Count outcome) {
        end(region, outcome, () -> {});
    }

    private void end(LentRegion region, Count outcome, Runnable then) {
        LocalGrant grant = region.grant();
        if (grant != null) {
            grants.end(grant, Reason.USED_TOKEN);
        }
        try {
            region.revoke();
        } catch (RuntimeException e) {
            if (isBusy(e)) {
                hold(region, outcome, then, e);
            } else {
                markStuck(region, e);
                then.run();
            }
            return;
        }
        region.afterNotifications(() -> {
            release(region, outcome);
            then.run();
        });
    }

    /**
     * Keeps the memory of a region that the peer may still write. It is released after that write ends or the peer's
     * process dies.
     */
    private void hold(LentRegion region, Count outcome, Runnable then, RuntimeException why) {
        LOG.log(
                System.Logger.Level.WARNING,
                "{0} stays allocated until the peer's write ends: {1}",
                region,
                why.getMessage());
        Busy one = new Busy(region, outcome);
        busy.add(one);
        region.afterNotifications(() -> {
            region.endNotifications();
            one.notificationsHandled = true;
            then.run();
        });
    }

    /** Releases a region and counts it. */
    private void release(LentRegion region, Count outcome) {
        LocalGrant grant = region.grant();
        try {
            region.release();
            count(outcome, region);
            if (grant != null) {
                grant.markEnded();
            }
        } catch (RuntimeException e) {
            markStuck(region, e);
        }
    }

    /** Counts a change of a lease and records it for the Flight Recorder. A grant that was never opened has no region. */
    private void count(Count change, @Nullable LentRegion region) {
        counters.add(change);
        if (LeaseEvent.isOn()) {
            String name = change.name().toLowerCase(Locale.ROOT);
            if (region == null) {
                LeaseEvent.record(name, 0, 0, "");
            } else {
                LeaseEvent.record(
                        name, region.id(), region.bytes(), region.holder().account());
            }
        }
    }

    private void markStuck(LentRegion region, RuntimeException why) {
        LocalGrant grant = region.grant();
        count(Count.STUCK, region);
        LOG.log(System.Logger.Level.ERROR, region + " stays allocated: releasing it failed", why);
        if (grant != null) {
            grant.markStuck(why);
        }
    }

    /** Ends all unopened grants. All leases must have ended before. */
    public void endAll() {
        for (LocalGrant grant : grants.removeAll()) {
            if (grant.opened() == null) {
                grant.markEnded();
            }
        }
    }

    public List<RemoteMemorySnapshot.Lent> lent(long now, int limit) {
        return leases.stream()
                .limit(limit)
                .map(region -> region.describeAt(now))
                .toList();
    }

    public List<RemoteMemorySnapshot.Granted> granted(long now, int limit) {
        return grants.stream().limit(limit).map(grant -> grant.describeAt(now)).toList();
    }

    public int regions() {
        return leases.size();
    }

    public int grants() {
        return grants.size();
    }

    public long lentBytes() {
        return quotas.totalBytes();
    }
}
