package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Memory that this process and its peers share. A peer receives pages with its first grant of access to them. */
final class HostMemory implements PeerMemory {

    private static final long PAGE_BYTES = 4096;
    private static final long TAKE_PAUSE_NANOS = 100_000;

    private final Handover handover;
    private final OutboundRings outbound;
    private final InboundRings inbound;
    /** Local pages by number. */
    private final Map<Integer, LentPages> all = new ConcurrentHashMap<>();

    private final AtomicInteger numbers = new AtomicInteger(Handover.KEYS);
    private long lastTakeNanos = System.nanoTime() - TAKE_PAUSE_NANOS;
    private @Nullable OutboundRing pinned;

    HostMemory(Handover handover, OutboundRings outbound, InboundRings inbound) {
        this.handover = handover;
        this.outbound = outbound;
        this.inbound = inbound;
    }

    // ---- local memory ----

    @Override
    public MemorySegment allocate(Arena of, long bytes) throws IOException {
        long whole = (bytes + LentPages.TAIL_BYTES + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        LentPages.Allocated made = LentPages.allocate(numbers.incrementAndGet(), of, whole);
        all.put(made.pages().number(), made.pages());
        return made.memory().asSlice(0, bytes);
    }

    @Override
    public @Nullable Place place(MemorySegment memory) {
        if (memory.isNative()) {
            for (LentPages pages : all.values()) {
                if (pages.contains(memory.address(), memory.byteSize())) {
                    return new Place(pages.number(), memory.address() - pages.address());
                }
            }
        }
        return null;
    }

    /** {@inheritDoc} The peer receives its key table before the first pages, so that it has both. */
    @Override
    public long grant(LinkAddress peer, int number, int key) {
        OutboundRing ring = outbound.peer(peer).ring();
        GrantedKeys keys = ring == null ? null : ring.grantedKeys();
        if (ring == null || keys == null || !keys.handOver(handover, ring.inbox())) {
            return NO_GRANT;
        }
        return ring.hasShared(number) || sharePages(ring, number) ? keys.grant(key) : NO_GRANT;
    }

    private boolean sharePages(OutboundRing ring, int number) {
        LentPages pages = all.get(number);
        if (pages == null || !pages.offer(handover, ring.inbox())) {
            return false;
        }
        ring.share(number);
        return true;
    }

    /**
     * Receives the messages of peers and notifies them of freed pages, which they map until then. Retries messages that
     * a peer could not receive before.
     */
    void exchange() {
        handover.take(outbound);
        all.values().removeIf(pages -> pages.isFreed() && outbound.unshare(handover, pages.number()));
    }

    @Override
    public void renew(int key, int fresh) {
        outbound.renew(key, fresh);
    }

    @Override
    public @Nullable Copies revoke(int key) {
        outbound.revoke(key);
        return inbound.pinnedBy(key);
    }

    @Override
    public boolean isViewed(int number) {
        LentPages pages = all.get(number);
        return pages != null && pages.isViewed();
    }

    // ---- memory of peers ----

    @Override
    public @Nullable MemorySegment pages(LinkAddress peer, int number) {
        MappedPages mapped = mapped(peer, number);
        return mapped == null ? null : mapped.memory();
    }

    @Override
    public @Nullable Sight view(LinkAddress peer, int number) {
        MappedPages mapped = mapped(peer, number);
        return mapped == null ? null : mapped.view();
    }

    private @Nullable MappedPages mapped(LinkAddress peer, int number) {
        OutboundRing ring = outbound.peer(peer).ring();
        if (ring == null) {
            return null;
        }
        MappedPages known = ring.pages().pages(number);
        if (known == null) {
            handover.take(outbound);
            known = ring.pages().pages(number);
        }
        return known;
    }

    @Override
    public boolean pin(LinkAddress peer, int key, long grant) {
        OutboundRing ring = outbound.peer(peer).ring();
        boolean valid = ring != null && ring.pin(key, grant);
        pinned = valid ? ring : null;
        return valid;
    }

    /**
     * {@inheritDoc} Also works if the owner has abandoned the ring in the meantime, because it still waits for the
     * unpin.
     */
    @Override
    public void unpin() {
        OutboundRing ring = pinned;
        if (ring != null) {
            pinned = null;
            ring.unpin();
        }
    }

    @Override
    public boolean isValid(LinkAddress peer, int key, long grant) {
        OutboundRing ring = outbound.peer(peer).ring();
        return ring != null && ring.pages().isValid(key, grant);
    }

    /**
     * Receives the messages of peers, at limited intervals. Peers send them after they have found this process's ring.
     */
    void receiveHandovers() {
        long now = System.nanoTime();
        if (now - lastTakeNanos >= TAKE_PAUSE_NANOS) {
            lastTakeNanos = now;
            handover.take(outbound);
        }
    }
}
