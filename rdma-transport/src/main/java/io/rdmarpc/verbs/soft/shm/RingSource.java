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
 * Makes rings and gives them to their readers: memory without a name if this end can pass it, otherwise a file that the reader
 * takes over. A reader takes those of its own kind only. One of the first kind is kept ready, since making it takes long and a ring
 * is needed while a lock is held.
 */
final class RingSource implements AutoCloseable {

    /** Small, so that it stays in the caches of both ends; what does not fit goes the way of all else. */
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

    /** Memory without a name, which has its descriptor until it is given away. */
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

    /** Returns the UDP port of who sends. */
    int port() {
        return self.port();
    }

    /** Makes a ring ready for who needs one next. Any thread, without any lock. */
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
            // Whoever needs one tries again.
        }
    }

    private long fileBytes(int targetQpn) {
        return ShmRingLayout.HEADER_BYTES + (long) bytes(targetQpn);
    }

    private int bytes(int targetQpn) {
        return targetQpn == 0 ? ringBytes : Math.min(ringBytes, MAX_PATH_BYTES);
    }

    /** Tells whether rings are memory that is passed; else they are files. */
    boolean passesMemory() {
        return handover != null;
    }

    /**
     * Makes a ring and hands it over to an inbox; the reader is to be told.
     *
     * @param ticket what the reader answers with
     * @param targetQpn the number of the queue pair that it leads to, 0 when it is for all
     * @throws IOException when the inbox has gone or takes none now, or no memory is left
     */
    SharedFile pass(Path inbox, int ticket, int targetQpn) throws IOException {
        Handover by = Objects.requireNonNull(handover);
        if (!Files.exists(inbox.resolve(Handover.FILE))) {
            throw new IOException(inbox + " is of a process that cannot be passed memory");
        }
        Nameless kept = targetQpn == 0 ? ready.getAndSet(null) : null;
        Nameless made = kept == null ? Nameless.create(fileBytes(targetQpn)) : kept;
        OutboundRing.writeHeader(made.memory().memory(), self, bytes(targetQpn), targetQpn);
        if (!by.offerRing(inbox, ticket, made.descriptor())) {
            made.close();
            throw new IOException(inbox + " takes nothing now");
        }
        made.descriptor().close();
        return made.memory();
    }

    /**
     * Makes a ring as a file in an inbox; the reader is to be told.
     *
     * @throws IOException when the inbox has gone, no memory is left, or the file was shortened meanwhile
     */
    SharedFile publish(Path inbox) throws IOException {
        Path draft = Rendezvous.newRing(inbox);
        try {
            SharedFile file = SharedFile.create(draft, fileBytes(0));
            FileFaults faults = new FileFaults();
            faults.touch(() -> OutboundRing.writeHeader(file.memory(), self, bytes(0), 0));
            if (faults.isTorn()) {
                file.close();
                throw new IOException(draft + " was shortened");
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
