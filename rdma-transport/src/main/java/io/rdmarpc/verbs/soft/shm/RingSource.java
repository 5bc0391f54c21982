package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.shm.layout.FileFaults;
import io.rdmarpc.verbs.soft.shm.layout.SharedFile;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Creates rings and passes them to their readers: anonymous memory if this process can pass it, otherwise a file that
 * the reader takes over. A reader accepts only the kind that it can use itself. One ring of anonymous memory is kept
 * ready, because its creation takes long and rings are needed while a lock is held.
 */
final class RingSource implements AutoCloseable {

    /**
     * Maximum bytes of a path's ring, which stays in the caches of both ends. Packets that do not fit use the main
     * ring.
     */
    private static final int MAX_PATH_BYTES = 128 << 10;

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

    /** Anonymous memory with its descriptor, until it is passed. */
    private record Nameless(MemFd descriptor, SharedFile memory) implements AutoCloseable {

        private static Nameless create(long bytes) throws IOException {
            MemFd descriptor = MemFd.create("rdma-rpc-ring", bytes);
            try {
                return new Nameless(descriptor, SharedFile.made(descriptor));
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

    /** Returns the UDP port of the sender. */
    int port() {
        return self.port();
    }

    /** Creates a ring in advance. Any thread, without any lock. */
    void prepare() {
        if (handover == null || ready.get() != null) {
            return;
        }
        try {
            Nameless made = Nameless.create(fileBytes(0));
            if (!ready.compareAndSet(null, made)) {
                made.close();
            } else if (closed) {
                close();
            }
        } catch (IOException e) {
            // The next caller that needs a ring tries again.
        }
    }

    private long fileBytes(int targetQpn) {
        return ShmRingLayout.HEADER_BYTES + (long) bytes(targetQpn);
    }

    private int bytes(int targetQpn) {
        return targetQpn == 0 ? ringBytes : Math.min(ringBytes, MAX_PATH_BYTES);
    }

    /** Returns whether rings are passed memory; otherwise they are files. */
    boolean passesMemory() {
        return handover != null;
    }

    /**
     * Creates a ring and passes it to an inbox. The caller has to notify the reader.
     *
     * @param ticket the number that the reader returns in its response
     * @param targetQpn number of the target queue pair, 0 if the ring is for all
     * @throws IOException if the inbox is gone or cannot receive now, or there is not enough memory
     */
    SharedFile pass(Path inbox, int ticket, int targetQpn) throws IOException {
        Handover by = Objects.requireNonNull(handover);
        if (!Files.exists(inbox.resolve(Handover.FILE))) {
            throw new IOException("the process of " + inbox + " cannot receive memory");
        }
        Nameless kept = targetQpn == 0 ? ready.getAndSet(null) : null;
        Nameless made = kept == null ? Nameless.create(fileBytes(targetQpn)) : kept;
        OutboundRing.writeHeader(made.memory().memory(), self, bytes(targetQpn), targetQpn);
        if (!by.offerRing(inbox, ticket, made.descriptor())) {
            made.close();
            throw new IOException(inbox + " cannot receive a ring now");
        }
        made.descriptor().close();
        return made.memory();
    }

    /**
     * Creates a ring as a file in an inbox. The caller has to notify the reader.
     *
     * @throws IOException if the inbox is gone, there is not enough memory, or another process has shortened the file
     */
    SharedFile publish(Path inbox) throws IOException {
        Path draft = Rendezvous.newRing(inbox);
        try {
            SharedFile file = SharedFile.create(draft, fileBytes(0));
            FileFaults faults = new FileFaults();
            faults.touch(() -> OutboundRing.writeHeader(file.memory(), self, bytes(0), 0));
            if (faults.isTorn()) {
                file.close();
                throw new IOException("another process has shortened " + draft);
            }
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
