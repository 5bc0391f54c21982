package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Memory that this process and its peers hand over to each other. A peer learns of pages when it is first granted some. */
final class HostMemory implements PeerMemory, AutoCloseable {

    private static final long PAGE_BYTES = 4096;
    private static final long TAKE_PAUSE_NANOS = 100_000;

    private final Handover handover;
    private final OutboundRings outbound;
    private final InboundRings inbound;
    private final Arena arena = Arena.ofShared();
    private final MemFd keyMemory;
    private final KeyTable keys;
    /** By their numbers. */
    private final Map<Integer, LentPages> all = new ConcurrentHashMap<>();

    private final AtomicInteger numbers = new AtomicInteger(Handover.KEYS);
    private long lastTakeNanos = System.nanoTime() - TAKE_PAUSE_NANOS;

    private HostMemory(Handover handover, OutboundRings outbound, InboundRings inbound, MemFd keyMemory)
            throws IOException {
        this.handover = handover;
        this.outbound = outbound;
        this.inbound = inbound;
        this.keyMemory = keyMemory;
        this.keys = new KeyTable(keyMemory.map(arena, () -> {}));
    }

    static HostMemory create(Handover handover, OutboundRings outbound, InboundRings inbound) throws IOException {
        MemFd keys = MemFd.create("rdma-rpc-keys", KeyTable.BYTES);
        try {
            return new HostMemory(handover, outbound, inbound, keys);
        } catch (IOException e) {
            keys.close();
            throw e;
        }
    }

    // ---- own ----

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

    @Override
    public boolean share(LinkAddress peer, int number) {
        OutboundRing ring = outbound.peer(peer).ring();
        if (ring == null) {
            return false;
        }
        return ring.hasShared(number) || sharePages(ring, number);
    }

    /** Hands the own keys over to a peer whose ring was found. */
    void shareKeys(Path inbox) {
        boolean ignored = handover.offer(inbox, Handover.PAGES, Handover.KEYS, keyMemory);
    }

    private boolean sharePages(OutboundRing ring, int number) {
        LentPages pages = all.get(number);
        if (pages == null || !pages.offer(handover, ring.inbox())) {
            return false;
        }
        ring.share(number);
        return true;
    }

    /** Tells peers what has been freed, which they map until then, and hears what they have; some of it later if need be. */
    void exchange() {
        handover.take(outbound);
        all.values().removeIf(pages -> pages.isFreed() && outbound.unshare(handover, pages.number()));
    }

    @Override
    public void publish(int key) {
        keys.publish(key);
    }

    @Override
    public void revoke(int key) {
        keys.revoke(key);
        inbound.awaitUnpinned(key);
    }

    @Override
    public boolean isSeen(int number) {
        LentPages pages = all.get(number);
        return pages != null && pages.isSeen();
    }

    // ---- a peer's ----

    @Override
    public @Nullable MemorySegment pages(LinkAddress peer, int number) {
        MappedPages mapped = mapped(peer, number);
        return mapped == null ? null : mapped.memory();
    }

    @Override
    public @Nullable Sight see(LinkAddress peer, int number) {
        MappedPages mapped = mapped(peer, number);
        return mapped == null ? null : mapped.see();
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
        OutboundRing ring = ringWithKeys(peer);
        return ring != null && ring.pages().isValid(key);
    }

    @Override
    public int registration(LinkAddress peer, int key) {
        OutboundRing ring = ringWithKeys(peer);
        return ring == null ? 0 : ring.pages().registration(key);
    }

    private @Nullable OutboundRing ringWithKeys(LinkAddress peer) {
        OutboundRing ring = outbound.peer(peer).ring();
        if (ring != null && !ring.pages().hasKeys()) {
            lookForHandovers();
        }
        return ring;
    }

    /** Takes what peers have handed over, unless that was done just now. It comes when they have found the own ring. */
    void lookForHandovers() {
        long now = System.nanoTime();
        if (now - lastTakeNanos >= TAKE_PAUSE_NANOS) {
            lastTakeNanos = now;
            handover.take(outbound);
        }
    }

    @Override
    public void close() {
        keyMemory.close();
        arena.close();
    }
}
