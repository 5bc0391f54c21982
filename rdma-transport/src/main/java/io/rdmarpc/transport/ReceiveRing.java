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
 * The buffers of a UD receive queue, and their posting. The global route header (GRH) is placed so that payloads are
 * aligned to cache lines.
 *
 * <pre>
 *   entry i, at i x stride     0        24          64               64 + MTU
 *                              | unused | GRH, 40 B | payload ...    |
 *   GRH of RoCE v2 over IPv4:  bytes 20..39 hold the IP header, its source address at 32 (annex A17.4.5.2);
 *   of IPv6 and InfiniBand:    the source GID is at 8..23
 * </pre>
 *
 * <pre>
 *   in the queue pair --received--&gt; with readers --release--&gt; pending --postlist--&gt; in the queue pair
 *                                                    \--&gt; in reserve, if the target is reached
 *   in reserve --------------------------------------------&gt; with readers, for a packet without a receive
 * </pre>
 *
 * Released entries are posted again in postlists, with one doorbell for many entries. Engine thread only.
 */
final class ReceiveRing implements AutoCloseable {

    static final int GRH_BYTES = 40;
    private static final int PAYLOAD = 64;
    /** Maximum depth up to which the whole ring is posted, because that many entries stay in the cache. */
    private static final int FULLY_POSTED_DEPTH = 128;
    /** At most one in this many entries may wait to be posted again. */
    private static final int MAX_WAITING_PART = 32;

    private static final int GRH = PAYLOAD - GRH_BYTES;
    private static final int SOURCE_GID = GRH + 8;
    private static final int SOURCE_IPV4 = GRH + 32;
    private static final ValueLayout.OfInt INT_BE = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    private static final ValueLayout.OfLong LONG_BE = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final int entries;
    private final int depth;
    private final int postlist;
    private final int flushThreshold;
    private final int stride;
    private final int bufferBytes;
    private final Arena arena;
    private final MemorySegment memory;
    private final MemorySegment readOnly;
    private final MemoryRegion region;
    private final ReceiveRequests requests;
    // The entries that are in the queue pair; the others are with readers or in reserve.
    private final boolean[] posted;
    // A stack, because the entry released last is in the cache and should be used first.
    private final int[] reserve;
    private int reserved;
    private int postedCount;
    private int target;
    private int pending;
    private long postFailures;

    /**
     * Creates a ring, and posts none of its entries yet.
     *
     * @param context allocates the memory
     * @param domain registers the memory
     * @param depth number of receives that the queue pair accepts
     * @param spare number of additional entries for {@link #takeReserved}
     */
    ReceiveRing(RdmaContext context, ProtectionDomain domain, int depth, int spare, int mtuBytes, int postlist) {
        this.entries = depth + spare;
        this.depth = depth;
        this.postlist = postlist;
        this.flushThreshold = depth <= FULLY_POSTED_DEPTH ? 1 : Math.min(postlist, depth / MAX_WAITING_PART);
        this.posted = new boolean[entries];
        this.reserve = new int[entries];
        this.target = depth;
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

    /** Posts all entries except the spare ones. Called once, when the queue pair is in INIT. */
    void fill(QueuePair qp) {
        for (int entry = 0; entry < entries; entry++) {
            release(qp, entry);
        }
        flush(qp);
    }

    /** Records that a packet has arrived in an entry. */
    void onReceived(int entry) {
        posted[entry] = false;
        postedCount--;
    }

    /**
     * Sets the maximum number of packets that can arrive before the next flush. No more entries need to be posted. A
     * queue pair uses its entries in order, so each pass over a large ring would move the whole ring through the
     * caches. A small ring is posted completely.
     */
    void setTarget(int count) {
        target = depth <= FULLY_POSTED_DEPTH ? depth : Math.clamp(count, 1, depth);
    }

    /** Posts the entries that the queue pair had before it was reset. */
    void restart(QueuePair qp) {
        pending = 0;
        postedCount = 0;
        for (int entry = 0; entry < entries; entry++) {
            if (posted[entry]) {
                post(qp, entry);
            }
        }
        flush(qp);
    }

    /**
     * Takes an entry for a packet that arrives without a receive, or returns -1 if there is none. {@link #release}
     * returns the entry.
     */
    int takeReserved() {
        return reserved == 0 ? -1 : reserve[--reserved];
    }

    int entries() {
        return entries;
    }

    void release(QueuePair qp, int entry) {
        if (postedCount < target) {
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
        postedCount++;
        long address = memory.address() + (long) entry * stride + GRH;
        requests.set(pending++, entry, address, bufferBytes, region.lkey());
        if (pending == postlist) {
            submit(qp);
        }
    }

    /** Posts a full postlist that an earlier call failed to post. If that fails again, the entry waits in reserve. */
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

    /** Posts the released entries if there are many of them. The caller has to flush the rest soon. */
    void flushMany(QueuePair qp) {
        fillUp(qp);
        if (pending >= flushThreshold) {
            submit(qp);
        }
    }

    void flush(QueuePair qp) {
        fillUp(qp);
        submit(qp);
    }

    /** Posts reserved entries, because the target has risen or readers keep their entries. */
    private void fillUp(QueuePair qp) {
        while (reserved > 0 && postedCount < target) {
            post(qp, reserve[--reserved]);
        }
    }

    private void submit(QueuePair qp) {
        if (pending == 0) {
            return;
        }
        requests.chain(0, pending);
        if (qp.postReceive(requests, 0) != 0) {
            // The queue has room for every entry, so the queue pair is in the error state and a retry is useless.
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
