package io.rdmarpc.transport;

import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.EnumSet;

/**
 * The buffers of a UD receive queue and their posting. The route header is placed so that payloads are cache-line
 * aligned.
 *
 * <pre>
 *   entry i, at i x stride     0        24          64               64 + MTU
 *                              | unused | GRH, 40 B | payload ...    |
 *   GRH of RoCE v2 over IPv4:  bytes 20..39 hold the IP header, its source address at 32 (annex A17.4.5.2);
 *   of IPv6 and InfiniBand:    the source GID is at 8..23
 * </pre>
 *
 * <pre>
 *   in the queue pair --taken--&gt; with readers --release--&gt; to be posted with the next postlist --&gt; in the queue pair
 *                                                    \--&gt; in reserve, when more are posted than are wanted
 *   in reserve --------------------------------------------&gt; with readers, of a packet that came without a receive
 * </pre>
 *
 * Entries that are given back are re-posted in postlists, so they cost one doorbell for many. Engine thread only.
 */
final class ReceiveRing implements AutoCloseable {

    static final int GRH_BYTES = 40;
    private static final int PAYLOAD = 64;
    /** Entries that are warm enough when all of them are used in turn. */
    private static final int SMALL = 128;
    /** One entry of so many may wait to be posted again. */
    private static final int SMALLEST_PART = 32;

    private static final int GRH = PAYLOAD - GRH_BYTES;
    private static final int SOURCE_GID = GRH + 8;
    private static final int SOURCE_IPV4 = GRH + 32;
    private static final ValueLayout.OfInt INT_BE = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG_BE = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final int entries;
    private final int depth;
    private final int postlist;
    private final int many;
    private final int stride;
    private final int bufferBytes;
    private final Arena arena;
    private final MemorySegment memory;
    private final MemorySegment readOnly;
    private final MemoryRegion region;
    private final ReceiveRequests requests;
    // What belongs to the queue pair; the rest is with readers or in reserve.
    private final boolean[] posted;
    // The last one in is the first one out, as it is the warmest.
    private final int[] reserve;
    private int reserved;
    private int inQueue;
    private int wanted;
    private int pending;
    private long postFailures;

    /**
     * Makes a ring of which nothing is posted yet.
     *
     * @param context the device, for its memory
     * @param domain where that is registered
     * @param depth how many receives the queue pair takes
     * @param spare how many entries there are besides, for {@link #takeReserved}
     */
    ReceiveRing(RdmaContext context, ProtectionDomain domain, int depth, int spare, int mtuBytes, int postlist) {
        this.entries = depth + spare;
        this.depth = depth;
        this.postlist = postlist;
        this.many = depth <= SMALL ? 1 : Math.min(postlist, depth / SMALLEST_PART);
        this.posted = new boolean[entries];
        this.reserve = new int[entries];
        this.wanted = depth;
        this.stride = PAYLOAD + mtuBytes;
        this.bufferBytes = GRH_BYTES + mtuBytes;
        this.arena = Arena.ofShared();
        this.memory = context.allocateMemory(arena, (long) entries * stride);
        this.readOnly = memory.asReadOnly();
        this.requests = ReceiveRequests.allocate(arena, postlist);
        this.region = register(domain);
    }

    private MemoryRegion register(ProtectionDomain domain) {
        boolean registered = false;
        try {
            MemoryRegion made = domain.registerLasting(memory, EnumSet.of(AccessFlag.LOCAL_WRITE));
            registered = true;
            return made;
        } finally {
            if (!registered) {
                arena.close();
            }
        }
    }

    /** Posts every entry but the spare ones; called once, when the queue pair is in INIT. */
    void fill(QueuePair qp) {
        for (int entry = 0; entry < entries; entry++) {
            release(qp, entry);
        }
        flush(qp);
    }

    /** A packet has arrived in an entry. */
    void taken(int entry) {
        posted[entry] = false;
        inQueue--;
    }

    /**
     * Says how many packets can arrive before the next flush, at most. More than these need not be posted: a queue pair uses its
     * entries in turn, and each time around a large ring all of it would go through the caches. A small one is posted whole.
     */
    void want(int count) {
        wanted = depth <= SMALL ? depth : Math.clamp(count, 1, depth);
    }

    /** Posts again what the queue pair had before it was reset. */
    void restart(QueuePair qp) {
        pending = 0;
        inQueue = 0;
        for (int entry = 0; entry < entries; entry++) {
            if (posted[entry]) {
                post(qp, entry);
            }
        }
        flush(qp);
    }

    /** Takes an entry for a packet that comes without a receive, -1 when there is none; it comes back by {@link #release}. */
    int takeReserved() {
        return reserved == 0 ? -1 : reserve[--reserved];
    }

    int entries() {
        return entries;
    }

    void release(QueuePair qp, int entry) {
        if (inQueue < wanted) {
            post(qp, entry);
        } else {
            reserve[reserved++] = entry;
        }
    }

    private void post(QueuePair qp, int entry) {
        if (pending == postlist) {
            submitBefore(qp, entry);
        }
        posted[entry] = true;
        inQueue++;
        long address = memory.address() + (long) entry * stride + GRH;
        requests.set(pending++, entry, address, bufferBytes, region.lkey());
        if (pending == postlist) {
            submit(qp);
        }
    }

    /** Posts a postlist that could not be posted before. If it fails again, the entry waits in reserve. */
    private void submitBefore(QueuePair qp, int entry) {
        boolean done = false;
        try {
            submit(qp);
            done = true;
        } finally {
            if (!done) {
                reserve[reserved++] = entry;
            }
        }
    }

    /** Posts what has come back if that is much; the rest has to follow before long. */
    void flushMany(QueuePair qp) {
        fillUp(qp);
        if (pending >= many) {
            submit(qp);
        }
    }

    void flush(QueuePair qp) {
        fillUp(qp);
        submit(qp);
    }

    /** More is wanted than before, or readers keep what they were given. */
    private void fillUp(QueuePair qp) {
        while (reserved > 0 && inQueue < wanted) {
            post(qp, reserve[--reserved]);
        }
    }

    private void submit(QueuePair qp) {
        if (pending == 0) {
            return;
        }
        requests.chain(0, pending);
        if (qp.postReceive(requests, 0) != 0) {
            // The queue has room for every entry, so the queue pair is in error: there is nothing to retry.
            postFailures++;
        }
        pending = 0;
    }

    long postFailures() {
        return postFailures;
    }

    int reserved() {
        return reserved;
    }

    MemorySegment writableMemory() {
        return memory;
    }

    int mtuBytes() {
        return bufferBytes - GRH_BYTES;
    }

    MemorySegment memory() {
        return readOnly;
    }

    long payloadOffset(int entry) {
        return (long) entry * stride + PAYLOAD;
    }

    boolean cameFrom(int entry, long gidHigh, long gidLow) {
        long at = (long) entry * stride;
        if (Gid.isIpv4Mapped(gidHigh, gidLow)) {
            return memory.get(INT_BE, at + SOURCE_IPV4) == (int) gidLow;
        }
        return memory.get(LONG_BE, at + SOURCE_GID) == gidHigh && memory.get(LONG_BE, at + SOURCE_GID + 8) == gidLow;
    }

    @Override
    public void close() {
        region.close();
        arena.close();
    }
}
