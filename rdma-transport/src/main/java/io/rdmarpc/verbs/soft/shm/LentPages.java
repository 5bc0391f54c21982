package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.ffi.ProcessMemory;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/**
 * Local memory that peers may map, until its arena ends. Only its address is stored, so that the arena can be garbage
 * collected.
 */
final class LentPages {

    /** Bytes at the end of the memory: the number of views, written by peers. */
    static final int TAIL_BYTES = Long.BYTES;

    private final int number;
    private final MemFd memory;
    private long address;
    private boolean freed;

    private LentPages(int number, MemFd memory) {
        this.number = number;
        this.memory = memory;
    }

    /** Pages and their mapped memory. */
    record Allocated(LentPages pages, MemorySegment memory) {}

    /**
     * Allocates pages.
     *
     * @throws IOException if there is not enough memory
     */
    static Allocated allocate(int number, Arena arena, long bytes) throws IOException {
        MemFd memory = MemFd.create("rdma-rpc-pages-" + number, bytes);
        LentPages pages = new LentPages(number, memory);
        try {
            MemorySegment mapped = memory.map(arena, pages::free);
            pages.address = mapped.address();
            return new Allocated(pages, mapped);
        } catch (IOException e) {
            memory.close();
            throw e;
        }
    }

    int number() {
        return number;
    }

    long address() {
        return address;
    }

    /** Frees the pages at the end of their arena, on any thread. */
    private synchronized void free() {
        freed = true;
        memory.close();
    }

    synchronized boolean isFreed() {
        return freed;
    }

    /** Changes the number of views in a peer's memory. */
    static void addViews(MemorySegment of, long count) {
        long ignored = (long) ShmRingLayout.LONG.getAndAdd(of, of.byteSize() - TAIL_BYTES, count);
    }

    synchronized boolean isViewed() {
        return !freed && ProcessMemory.longAt(address + memory.bytes() - TAIL_BYTES) > 0;
    }

    synchronized boolean contains(long first, long bytes) {
        long offset = first - address;
        return !freed && offset >= 0 && offset + bytes <= memory.bytes();
    }

    /** Passes the pages to a peer; false if it cannot receive now, or the arena has ended. */
    synchronized boolean offer(Handover handover, Path inbox) {
        return !freed && handover.offer(inbox, Handover.PAGES, number, memory);
    }
}
