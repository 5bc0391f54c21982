package io.rdmarpc.remote;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.memory.PageSource;
import io.rdmarpc.remote.Counters.Count;
import io.rdmarpc.remote.RemoteMemoryConfig.Limits;
import io.rdmarpc.remote.RemoteMemoryException.Reason;
import io.rdmarpc.verbs.Errno;
import io.rdmarpc.verbs.VerbsException;
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
final class Lender {

    private static final System.Logger LOG = System.getLogger(Lender.class.getName());
    private static final long BUSY_RETRY_NANOS = 1_000_000_000;

    private final NanoClock clock;
    private final Limits limits;
    private final PageSource pages;
    private final Counters counters;
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
        private boolean toldNotices;

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
    Lender(NanoClock clock, Limits limits, PageSource pages, Counters counters) {
        this.clock = clock;
        this.limits = limits;
        this.pages = pages;
        this.counters = counters;
        this.quotas = new Quotas(limits);
    }

    LinkMessage.Lent allocate(Holder holder, LinkMessage.Allocate asked) {
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
                        quotas.giveBack(peer, bytes);
                    },
                    null);
        } finally {
            if (region == null) {
                arena.close();
                quotas.giveBack(peer, bytes);
            }
        }
        LinkMessage.Lent lent =
                lend(region, Math.min(asked.leaseNanos(), limits.maxLease().toNanos()));
        counters.add(Count.ALLOCATED);
        return lent;
    }

    private void checkAllocation(LinkMessage.Allocate asked) {
        if (asked.bytes() <= 0 || asked.leaseNanos() <= 0) {
            throw new RemoteMemoryException(
                    Reason.BOUNDS,
                    asked.bytes() + " bytes for " + asked.leaseNanos() + " ns cannot be lent: both must be over 0.");
        }
        if (asked.rights().isEmpty() || !limits.rights().containsAll(asked.rights())) {
            throw new RemoteMemoryException(
                    Reason.RIGHTS,
                    "Rights " + asked.rights() + " are not given, only some of " + limits.rights()
                            + ". Ask for those, or widen the owner's limits.");
        }
    }

    private MemorySegment allocate(Arena arena, long bytes) {
        try {
            return pages.allocate(arena, bytes);
        } catch (OutOfMemoryError none) {
            throw new RemoteMemoryException(
                    Reason.DEVICE,
                    "The owner has no " + bytes + " bytes outside the Java heap. Raise its -XX:MaxDirectMemorySize.",
                    none);
        }
    }

    private LinkMessage.Lent lend(LentRegion region, long leaseNanos) {
        boolean ready = false;
        try {
            region.takeNotices();
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
    RegionGrant grant(
            GrantOwner owner, LocalSlice slice, Set<RemoteRight> rights, Duration lease, @Nullable UUID onlyFor) {
        LocalRegion.Hold hold = slice.region().hold();
        RegionToken token = new RegionToken(owner.id(), Secret.fresh(), slice.length(), Set.copyOf(rights));
        RegionGrant grant = new RegionGrant(
                owner,
                token,
                hold.segment().asSlice(slice.offset(), slice.length()),
                hold,
                onlyFor,
                clock.nanoTime() + lease.toNanos());
        grants.add(grant);
        return grant;
    }

    LinkMessage.Lent open(Holder holder, LinkMessage.Open asked) {
        long now = clock.nanoTime();
        RegionGrant grant = checked(holder, asked.secret(), now);
        String peer = holder.account();
        quotas.take(peer, 0);
        LentRegion region = null;
        try {
            region = new LentRegion(
                    ++lastId,
                    holder,
                    grant.rights(),
                    holder.register(grant.memory(), grant.rights()),
                    () -> quotas.giveBack(peer, 0),
                    grant);
        } finally {
            if (region == null) {
                quotas.giveBack(peer, 0);
            }
        }
        LinkMessage.Lent lent = lend(region, grant.deadlineNanos() - now);
        grant.markOpened(region);
        counters.add(Count.OPENED);
        return lent;
    }

    private RegionGrant checked(Holder holder, Secret secret, long now) {
        RegionGrant grant = grants.find(secret);
        if (grant == null) {
            throw noGrant(grants.endOf(secret));
        }
        if (!grant.isFor(holder.peer())) {
            throw new RemoteMemoryException(
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

    private static RemoteMemoryException noGrant(@Nullable Reason why) {
        if (why == Reason.USED_TOKEN) {
            return new RemoteMemoryException(
                    why, "This token was opened before, and opens once. Ask the owner for another.");
        }
        if (why == Reason.EXPIRED) {
            return new RemoteMemoryException(why, "The grant has ended. Ask the owner for another.");
        }
        return new RemoteMemoryException(
                Reason.UNKNOWN_TOKEN, "No grant has this token, or it ended long ago. Ask the owner for another.");
    }

    LinkMessage.Renewed renew(Holder holder, LinkMessage.Renew asked) {
        LentRegion region = leases.find(asked.id(), holder);
        if (region == null) {
            throw new RemoteMemoryException(
                    Reason.EXPIRED, "Region " + asked.id() + " is not lent any more: its lease has ended.");
        }
        RegionGrant grant = region.grant();
        if (grant != null) {
            return new LinkMessage.Renewed(Math.max(1, grant.deadlineNanos() - clock.nanoTime()));
        }
        long lease = Math.clamp(asked.leaseNanos(), 1, limits.maxLease().toNanos());
        leases.renew(region, clock.nanoTime() + lease + limits.grace().toNanos());
        counters.add(Count.RENEWED);
        return new LinkMessage.Renewed(lease);
    }

    /** The holder has no more use for it; it is told when it is the owner's again, what it wrote last included. */
    void free(Holder holder, LinkMessage.Free asked, Runnable then) {
        LentRegion region = leases.find(asked.id(), holder);
        if (region == null) {
            then.run();
        } else {
            leases.remove(region);
            end(region, Count.FREED, then);
        }
    }

    /** The owner lends it for longer, or shorter; the holder learns it when it renews. */
    void extend(RegionGrant grant, Duration lease) {
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
    void close(RegionGrant grant) {
        LentRegion region = grant.opened();
        if (region != null && leases.has(region)) {
            leases.remove(region);
            end(region, Count.REVOKED);
            region.holder().tell(new LinkMessage.Revoked(region.id(), Reason.CLOSED));
        }
        if (region == null && grants.has(grant)) {
            grants.end(grant, Reason.EXPIRED);
            grant.markEnded();
        }
    }

    /** The holder is gone: all of its regions come back. */
    void reclaim(Holder holder) {
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
            region.holder().tell(new LinkMessage.Revoked(region.id(), Reason.EXPIRED));
        }
        for (RegionGrant grant : grants.endDue(now)) {
            if (grant.opened() == null) {
                counters.add(Count.EXPIRED);
                grant.markEnded();
            }
        }
        releaseBusy();
    }

    private void releaseBusy() {
        for (Busy one : List.copyOf(busy)) {
            if (one.toldNotices) {
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
                stick(one.region, e);
            }
            return;
        }
        busy.remove(one);
        release(one.region, one.how);
    }

    private static boolean isBusy(RuntimeException failure) {
        return failure instanceof VerbsException refusal && refusal.errno() == Errno.EBUSY;
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
        RegionGrant grant = region.grant();
        if (grant != null) {
            grants.end(grant, Reason.USED_TOKEN);
        }
        try {
            region.revoke();
        } catch (RuntimeException e) {
            if (isBusy(e)) {
                hold(region, how, then, e);
            } else {
                stick(region, e);
                then.run();
            }
            return;
        }
        region.afterNotices(() -> {
            release(region, how);
            then.run();
        });
    }

    /** The peer may go on to write. The memory is neither freed nor given back until it has, or is dead. */
    private void hold(LentRegion region, Count how, Runnable then, RuntimeException why) {
        LOG.log(System.Logger.Level.WARNING, "{0} stays allocated for now: {1}", region, why.getMessage());
        Busy one = new Busy(region, how);
        busy.add(one);
        region.afterNotices(() -> {
            region.endNotices();
            one.toldNotices = true;
            then.run();
        });
    }

    /** What is counted is free. */
    private void release(LentRegion region, Count how) {
        RegionGrant grant = region.grant();
        try {
            region.release();
            counters.add(how);
            if (grant != null) {
                grant.markEnded();
            }
        } catch (RuntimeException e) {
            stick(region, e);
        }
    }

    private void stick(LentRegion region, RuntimeException why) {
        RegionGrant grant = region.grant();
        counters.add(Count.STUCK);
        LOG.log(System.Logger.Level.ERROR, region + " stays allocated: it was not let go of", why);
        if (grant != null) {
            grant.markStuck(why);
        }
    }

    /** Grants that nobody has opened end too. Nothing else is lent any more. */
    void endAll() {
        for (RegionGrant grant : grants.removeAll()) {
            if (grant.opened() == null) {
                grant.markEnded();
            }
        }
    }

    List<RemoteMemorySnapshot.Lent> lent(long now, int most) {
        return leases.stream().limit(most).map(region -> region.describeAt(now)).toList();
    }

    List<RemoteMemorySnapshot.Granted> granted(long now, int most) {
        return grants.stream().limit(most).map(grant -> grant.describeAt(now)).toList();
    }

    int regions() {
        return leases.size();
    }

    int grants() {
        return grants.size();
    }

    long lentBytes() {
        return quotas.totalBytes();
    }
}
