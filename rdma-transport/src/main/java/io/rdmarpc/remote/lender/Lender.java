package io.rdmarpc.remote.lender;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.concurrent.NanoClock;
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
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The owner's side: lends memory to peers and takes it back. Every region is a registration of its own, in the domain of
 * its holder alone, so taking it back is deregistering it. Control thread.
 *
 * <pre>
 *   allocate ----------------------&gt; lent --(freed, lease over, holder gone)--&gt; key dead --&gt; memory freed
 *   grant -&gt; token -&gt; open (once) --&gt; lent --(the same, or grant closed)-------&gt; key dead --&gt; memory the user's again
 * </pre>
 *
 * Between the two, listeners are told of the notices that came before.
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

    /** Regions that a peer may still write to which has stopped in its copy. */
    private final List<Busy> busy = new ArrayList<>();

    private final Quotas quotas;
    private long lastId;

    /** A region whose keys are dead and whose memory is not free. */
    private static final class Busy {

        private final LentRegion region;
        private final Count how;
        private boolean toldNotifications;

        Busy(LentRegion region, Count how) {
            this.region = region;
            this.how = how;
        }
    }

    /**
     * Starts with nothing lent.
     *
     * @param clock measures leases
     * @param limits what peers may have
     * @param pages where memory for them comes from
     * @param counters what happened
     */
    public Lender(NanoClock clock, LendingLimits limits, PageSource pages, RemoteMemoryCounters counters) {
        this.clock = clock;
        this.limits = limits;
        this.pages = pages;
        this.counters = counters;
        this.quotas = new Quotas(limits);
    }

    public LinkMessage.Lent allocate(LeaseHolder holder, LinkMessage.Allocate asked) {
        checkAllocation(asked);
        long bytes = asked.bytes();
        String peer = holder.account();
        quotas.take(peer, bytes);
        Arena arena = Arena.ofShared();
        LentRegion region = null;
        try {
            MemorySegment memory = allocate(arena, bytes);
            region = new LentRegion(
                    ++lastId,
                    holder,
                    asked.rights(),
                    holder.register(memory, asked.rights()),
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
                lend(region, Math.min(asked.leaseNanos(), limits.maxLease().toNanos()));
        counters.add(Count.ALLOCATED);
        return lent;
    }

    private void checkAllocation(LinkMessage.Allocate asked) {
        if (asked.bytes() <= 0 || asked.leaseNanos() <= 0) {
            throw new RdmaRemoteMemoryException(
                    Reason.BOUNDS,
                    asked.bytes() + " bytes for " + asked.leaseNanos() + " ns cannot be lent: both must be over 0.");
        }
        if (asked.rights().isEmpty() || !limits.rights().containsAll(asked.rights())) {
            throw new RdmaRemoteMemoryException(
                    Reason.RIGHTS,
                    "Rights " + asked.rights() + " are not given, only some of " + limits.rights()
                            + ". Ask for those, or widen the owner's limits.");
        }
    }

    private MemorySegment allocate(Arena arena, long bytes) {
        try {
            return pages.allocate(arena, bytes);
        } catch (OutOfMemoryError none) {
            throw new RdmaRemoteMemoryException(
                    Reason.DEVICE,
                    "The owner has no " + bytes + " bytes outside the Java heap. Raise its -XX:MaxDirectMemorySize.",
                    none);
        }
    }

    private LinkMessage.Lent lend(LentRegion region, long leaseNanos) {
        boolean ready = false;
        try {
            region.takeNotifications();
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

    /** Prepares own memory to be opened by a peer; nothing is registered yet. */
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

    public LinkMessage.Lent open(LeaseHolder holder, LinkMessage.Open asked) {
        long now = clock.nanoTime();
        LocalGrant grant = checked(holder, asked.secret(), now);
        String peer = holder.account();
        quotas.take(peer, 0);
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
        counters.add(Count.OPENED);
        return lent;
    }

    private LocalGrant checked(LeaseHolder holder, TokenSecret secret, long now) {
        LocalGrant grant = grants.find(secret);
        if (grant == null) {
            throw noGrant(grants.endOf(secret));
        }
        if (!grant.isFor(holder.peer())) {
            throw new RdmaRemoteMemoryException(
                    Reason.FOREIGN_PEER, "This token was made for another peer than " + holder + ".");
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
                    why, "This token was opened before, and opens once. Ask the owner for another.");
        }
        if (why == Reason.EXPIRED) {
            return new RdmaRemoteMemoryException(why, "The grant has ended. Ask the owner for another.");
        }
        return new RdmaRemoteMemoryException(
                Reason.UNKNOWN_TOKEN, "No grant has this token, or it ended long ago. Ask the owner for another.");
    }

    public LinkMessage.Renewed renew(LeaseHolder holder, LinkMessage.Renew asked) {
        LentRegion region = leases.find(asked.id(), holder);
        if (region == null) {
            throw new RdmaRemoteMemoryException(
                    Reason.EXPIRED, "Region " + asked.id() + " is not lent any more: its lease has ended.");
        }
        LocalGrant grant = region.grant();
        if (grant != null) {
            return new LinkMessage.Renewed(Math.max(1, grant.deadlineNanos() - clock.nanoTime()));
        }
        long lease = Math.clamp(asked.leaseNanos(), 1, limits.maxLease().toNanos());
        leases.renew(region, clock.nanoTime() + lease + limits.grace().toNanos());
        counters.add(Count.RENEWED);
        return new LinkMessage.Renewed(lease);
    }

    /** The holder has no more use for it; it is told when it is the owner's again, what it wrote last included. */
    public void free(LeaseHolder holder, LinkMessage.Free asked, Runnable then) {
        LentRegion region = leases.find(asked.id(), holder);
        if (region == null) {
            then.run();
        } else {
            leases.remove(region);
            end(region, Count.FREED, then);
        }
    }

    /** The owner lends it for longer, or shorter; the holder learns it when it renews. */
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
        counters.add(Count.RENEWED);
    }

    /** The owner does not want it any more. */
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

    /** The holder is gone: all of its regions come back. */
    public void reclaim(LeaseHolder holder) {
        for (LentRegion region : leases.of(holder)) {
            leases.remove(region);
            end(region, Count.RECLAIMED);
        }
    }

    /** Ends what is due. */
    void expire() {
        long now = clock.nanoTime();
        for (LentRegion region : leases.removeDue(now)) {
            end(region, Count.EXPIRED);
            region.holder().send(new LinkMessage.Revoked(region.id(), Reason.EXPIRED));
        }
        for (LocalGrant grant : grants.endDue(now)) {
            if (grant.opened() == null) {
                counters.add(Count.EXPIRED);
                grant.markEnded();
            }
        }
        releaseBusy();
    }

    private void releaseBusy() {
        for (Busy one : List.copyOf(busy)) {
            if (one.toldNotifications) {
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
        release(one.region, one.how);
    }

    private static boolean isBusy(RuntimeException failure) {
        return failure instanceof RdmaVerbsException rejection && rejection.errno() == Errno.EBUSY;
    }

    long nanosToNextExpiry() {
        long now = clock.nanoTime();
        long next = Math.min(leases.nanosToNext(now), grants.nanosToNext(now));
        return busy.isEmpty() ? next : Math.min(next, BUSY_RETRY_NANOS);
    }

    private void end(LentRegion region, Count how) {
        end(region, how, () -> {});
    }

    private void end(LentRegion region, Count how, Runnable then) {
        LocalGrant grant = region.grant();
        if (grant != null) {
            grants.end(grant, Reason.USED_TOKEN);
        }
        try {
            region.revoke();
        } catch (RuntimeException e) {
            if (isBusy(e)) {
                hold(region, how, then, e);
            } else {
                markStuck(region, e);
                then.run();
            }
            return;
        }
        region.afterNotifications(() -> {
            release(region, how);
            then.run();
        });
    }

    /** The peer may go on to write. The memory is neither freed nor given back until it has, or is dead. */
    private void hold(LentRegion region, Count how, Runnable then, RuntimeException why) {
        LOG.log(System.Logger.Level.WARNING, "{0} stays allocated for now: {1}", region, why.getMessage());
        Busy one = new Busy(region, how);
        busy.add(one);
        region.afterNotifications(() -> {
            region.endNotifications();
            one.toldNotifications = true;
            then.run();
        });
    }

    /** What is counted is free. */
    private void release(LentRegion region, Count how) {
        LocalGrant grant = region.grant();
        try {
            region.release();
            counters.add(how);
            if (grant != null) {
                grant.markEnded();
            }
        } catch (RuntimeException e) {
            markStuck(region, e);
        }
    }

    private void markStuck(LentRegion region, RuntimeException why) {
        LocalGrant grant = region.grant();
        counters.add(Count.STUCK);
        LOG.log(System.Logger.Level.ERROR, region + " stays allocated: it was not let go of", why);
        if (grant != null) {
            grant.markStuck(why);
        }
    }

    /** Grants that nobody has opened end too. Nothing else is lent any more. */
    public void endAll() {
        for (LocalGrant grant : grants.removeAll()) {
            if (grant.opened() == null) {
                grant.markEnded();
            }
        }
    }

    public List<RemoteMemorySnapshot.Lent> lent(long now, int most) {
        return leases.stream().limit(most).map(region -> region.describeAt(now)).toList();
    }

    public List<RemoteMemorySnapshot.Granted> granted(long now, int most) {
        return grants.stream().limit(most).map(grant -> grant.describeAt(now)).toList();
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
