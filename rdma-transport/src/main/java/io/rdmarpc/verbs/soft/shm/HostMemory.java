package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Memory that this process and its peers hand over to each other. A peer learns of pages when it is first granted some. */
final class HostMemory implements PeerMemory, AutoCloseable {

    private static final long PAGE_BYTES = 4096;

    private final Handover handover;
    private final OutboundRings outbound;
    private final InboundRings inbound;
    private final boolean mapsWrites;
    private final Arena arena = Arena.ofShared();
    private final MemFd keyMemory;
    private final KeyTable keys;
    private final List<LentPages> all = new CopyOnWriteArrayList<>();
    private final AtomicInteger numbers = new AtomicInteger(Handover.KEYS);

    private HostMemory(
            Handover handover, OutboundRings outbound, InboundRings inbound, boolean mapsWrites, MemFd keyMemory)
            throws IOException {
        this.handover = handover;
        this.outbound = outbound;
        this.inbound = inbound;
        this.mapsWrites = mapsWrites;
        this.keyMemory = keyMemory;
        this.keys = new KeyTable(keyMemory.map(arena, () -> {}));
    }

    static HostMemory create(
            Handover handover, OutboundRings outbound, InboundRings inbound, boolean mapsWrites) throws IOException {
        MemFd keys = MemFd.create("rdma-rpc-keys", KeyTable.BYTES);
        try {
            return new HostMemory(handover, outbound, inbound, mapsWrites, keys);
        } catch (IOException e) {
            keys.close();
            throw e;
        }
    }

    // ---- own ----

    @Override
    public MemorySegment allocate(Arena of, long bytes) throws IOException {
        long whole = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
        LentPages.Allocated made = LentPages.allocate(numbers.incrementAndGet(), of, whole);
        all.add(made.pages());
        return made.memory().asSlice(0, bytes);
    }

    @Override
    public @Nullable Place place(MemorySegment memory) {
        if (memory.isNative()) {
            for (LentPages pages : all) {
                if (pages.contains(memory.address(), memory.byteSize())) {
                    return new Place(pages.number(), memory.address() - pages.address());
                }
            }
        }
        return null;
    }

    @Override
    public boolean share(LinkAddress peer, int number) {
        OutboundRing ring = outbound.peer(peer).ring();
        if (ring == null) {
            return false;
        }
        return ring.hasShared(number) || (shareKeys(ring) && sharePages(ring, number));
    }

    private boolean shareKeys(OutboundRing ring) {
        if (!ring.hasShared(Handover.KEYS)
                && handover.offer(ring.inbox(), Handover.PAGES, Handover.KEYS, keyMemory)) {
            ring.share(Handover.KEYS);
        }
        return ring.hasShared(Handover.KEYS);
    }

    private boolean sharePages(OutboundRing ring, int number) {
        for (LentPages pages : all) {
            if (pages.number() == number && pages.offer(handover, ring.inbox())) {
                ring.share(number);
                return true;
            }
        }
        return false;
    }

    /** Tells peers what has been freed, which they map until then, and hears what they have. One who cannot take it now is
     * told later. */
    void exchange() {
        handover.take(outbound);
        for (LentPages pages : all) {
            if (pages.isFreed() && outbound.unshare(handover, pages.number())) {
                all.remove(pages);
            }
        }
    }

    @Override
    public boolean mapsWrites() {
        return mapsWrites;
    }

    @Override
    public void publish(int key) {
        keys.publish(key);
    }

    @Override
    public void revoke(int key) {
        keys.revoke(key);
        if (mapsWrites) {
            inbound.awaitUnpinned(key);
        }
    }

    // ---- a peer's ----

    @Override
    public @Nullable MemorySegment pages(LinkAddress peer, int number) {
        OutboundRing ring = outbound.peer(peer).ring();
        if (ring == null) {
            return null;
        }
        MemorySegment known = ring.pages().pages(number);
        if (known == null) {
            handover.take(outbound);
            known = ring.pages().pages(number);
        }
        return known;
    }

    @Override
    public boolean pin(LinkAddress peer, int key) {
        OutboundRing ring = outbound.peer(peer).ring();
        return ring != null && ring.pin(key);
    }

    @Override
    public void unpin(LinkAddress peer) {
        OutboundRing ring = outbound.peer(peer).ring();
        if (ring != null) {
            ring.unpin();
        }
    }

    @Override
    public boolean isValid(LinkAddress peer, int key) {
        OutboundRing ring = outbound.peer(peer).ring();
        return ring != null && ring.pages().isValid(key);
    }

    @Override
    public void close() {
        keyMemory.close();
        arena.close();
    }
}
