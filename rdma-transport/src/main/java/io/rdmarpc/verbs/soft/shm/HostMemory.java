package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Memory in files of the own inbox, which peers map too. */
final class HostMemory implements PeerMemory, AutoCloseable {

    private static final long PAGE_BYTES = 4096;

    /** Left free for rings, which matter more. */
    private static final long RESERVED_BYTES = 16 << 20;

    private final Path inbox;
    private final OutboundRings outbound;
    private final SharedFile keyFile;
    private final KeyTable keys;
    private final List<Pages> all = new CopyOnWriteArrayList<>();
    private final AtomicInteger numbers = new AtomicInteger();

    private HostMemory(Path inbox, OutboundRings outbound, SharedFile keyFile) {
        this.inbox = inbox;
        this.outbound = outbound;
        this.keyFile = keyFile;
        this.keys = new KeyTable(keyFile.memory());
    }

    /** A file of pages. */
    private record Pages(int number, Path path, MemorySegment memory) {

        private boolean isAlive() {
            return memory.scope().isAlive();
        }

        private boolean contains(long address, long bytes) {
            long offset = address - memory.address();
            return offset >= 0 && offset + bytes <= memory.byteSize() && isAlive();
        }
    }

    static HostMemory create(Path inbox, OutboundRings outbound) throws IOException {
        return new HostMemory(inbox, outbound, SharedFile.create(inbox.resolve(KeyTable.FILE), KeyTable.BYTES));
    }

    // ---- own ----

    @Override
    public MemorySegment allocate(Arena arena, long bytes) throws IOException {
        removeFreed();
        if (Files.getFileStore(inbox).getUsableSpace() - bytes < RESERVED_BYTES) {
            throw new IOException("no room for " + bytes + " bytes in " + inbox);
        }
        int number = numbers.getAndIncrement();
        Path path = inbox.resolve(PeerPages.fileName(number));
        try {
            long whole = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
            MemorySegment memory = SharedFile.createIn(arena, path, whole);
            all.add(new Pages(number, path, memory));
            return memory.asSlice(0, bytes);
        } catch (IOException e) {
            Files.deleteIfExists(path);
            throw e;
        }
    }

    /** An arena does not tell that it was closed: files are removed when the next one is made. */
    private void removeFreed() {
        List<Pages> freed = all.stream().filter(pages -> !pages.isAlive()).toList();
        for (Pages pages : freed) {
            all.remove(pages);
            try {
                Files.deleteIfExists(pages.path());
            } catch (IOException e) {
                // It goes with the inbox.
            }
        }
    }

    @Override
    public @Nullable Place place(MemorySegment memory) {
        if (memory.isNative()) {
            for (Pages pages : all) {
                if (pages.contains(memory.address(), memory.byteSize())) {
                    return new Place(
                            pages.number(), memory.address() - pages.memory().address());
                }
            }
        }
        return null;
    }

    @Override
    public void publish(int key) {
        keys.publish(key);
    }

    @Override
    public void revoke(int key) {
        keys.revoke(key);
    }

    // ---- a peer's ----

    @Override
    public @Nullable MemorySegment pages(LinkAddress peer, int number) {
        OutboundRing ring = outbound.peer(peer).ring();
        return ring == null ? null : ring.pages().pages(number);
    }

    @Override
    public boolean isValid(LinkAddress peer, int key) {
        OutboundRing ring = outbound.peer(peer).ring();
        return ring != null && ring.pages().isValid(key);
    }

    @Override
    public void close() {
        keyFile.close();
    }
}
