package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.ffi.ProcessMemory;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** Own memory that peers may map, until its arena ends. It is known by address only, so that an arena can be forgotten. */
final class LentPages {

    /** At the end of each: how many peers see it in place, written by them. */
    static final int TAIL_BYTES = Long.BYTES;

    private final int number;
    private final MemFd memory;
    private long address;
    private boolean freed;

    private LentPages(int number, MemFd memory) {
        this.number = number;
        this.memory = memory;
    }

    /** Pages and what they were allocated for. */
    record Allocated(LentPages pages, MemorySegment memory) {}

    /**
     * Makes pages.
     *
     * @throws IOException when there is not enough memory
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

    /** Any thread: arenas end when they like. */
    private synchronized void free() {
        freed = true;
        memory.close();
    }

    synchronized boolean isFreed() {
        return freed;
    }

    /** Counts those who see a piece of somebody's memory. */
    static void addSights(MemorySegment of, long count) {
        long ignored = (long) ShmRingLayout.LONG.getAndAdd(of, of.byteSize() - TAIL_BYTES, count);
    }

    synchronized boolean isSeen() {
        return !freed && ProcessMemory.longAt(address + memory.bytes() - TAIL_BYTES) > 0;
    }

    synchronized boolean contains(long first, long bytes) {
        long offset = first - address;
        return !freed && offset >= 0 && offset + bytes <= memory.bytes();
    }

    /** Hands them over to a peer; false when it cannot take them now, or the arena has ended. */
    synchronized boolean offer(Handover handover, Path inbox) {
        return !freed && handover.offer(inbox, Handover.PAGES, number, memory);
    }
}
