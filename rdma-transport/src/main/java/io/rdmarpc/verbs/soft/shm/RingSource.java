package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Makes rings and gives them to their readers: memory without a name where both ends can pass it, else a file that the reader
 * takes over. One of the first kind is kept ready, since making it takes long and a ring is needed while a lock is held.
 */
final class RingSource implements AutoCloseable {

    private final OutboundRing.Sender self;
    private final int ringBytes;
    private final @Nullable Handover handover;
    private final AtomicReference<@Nullable Nameless> ready = new AtomicReference<>();
    private volatile boolean closed;

    RingSource(OutboundRing.Sender self, int ringBytes, @Nullable Handover handover) {
        this.self = self;
        this.ringBytes = ringBytes;
        this.handover = handover;
    }

    /** Memory without a name, which has its descriptor until it is given away. */
    private record Nameless(MemFd descriptor, SharedFile memory) implements AutoCloseable {

        private static Nameless create(long bytes) throws IOException {
            MemFd descriptor = MemFd.create("rdma-rpc-ring", bytes);
            try {
                return new Nameless(descriptor, SharedFile.of(descriptor));
            } catch (IOException e) {
                descriptor.close();
                throw e;
            }
        }

        @Override
        public void close() {
            descriptor.close();
            memory.close();
        }
    }

    /** Makes a ring ready for who needs one next. Any thread, without any lock. */
    void prepare() {
        if (handover == null || ready.get() != null) {
            return;
        }
        try {
            Nameless made = Nameless.create(fileBytes());
            if (!ready.compareAndSet(null, made)) {
                made.close();
            } else if (closed) {
                close();
            }
        } catch (IOException e) {
            // Whoever needs one tries again.
        }
    }

    private long fileBytes() {
        return RingLayout.HEADER_BYTES + (long) ringBytes;
    }

    /**
     * Makes a ring in an inbox; the reader is to be told.
     *
     * @throws IOException when the inbox has gone or takes none now, or no memory is left
     */
    SharedFile put(Path inbox) throws IOException {
        Handover by = handover;
        return by != null && Files.exists(inbox.resolve(Handover.FILE)) ? pass(by, inbox) : publish(inbox);
    }

    private SharedFile pass(Handover by, Path inbox) throws IOException {
        Nameless kept = ready.getAndSet(null);
        Nameless made = kept == null ? Nameless.create(fileBytes()) : kept;
        OutboundRing.writeHeader(made.memory().memory(), self, ringBytes);
        if (!by.offer(inbox, Handover.RING, 0, made.descriptor())) {
            made.close();
            throw new IOException(inbox + " takes nothing now");
        }
        made.descriptor().close();
        return made.memory();
    }

    private SharedFile publish(Path inbox) throws IOException {
        Path draft = Rendezvous.newRing(inbox);
        try {
            SharedFile file = SharedFile.create(draft, fileBytes());
            OutboundRing.writeHeader(file.memory(), self, ringBytes);
            Path ignored = Rendezvous.publish(draft);
            return file;
        } catch (IOException e) {
            Files.deleteIfExists(draft);
            throw e;
        }
    }

    @Override
    public void close() {
        closed = true;
        Nameless kept = ready.getAndSet(null);
        if (kept != null) {
            kept.close();
        }
    }
}
