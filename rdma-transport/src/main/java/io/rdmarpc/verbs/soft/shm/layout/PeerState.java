package io.rdmarpc.verbs.soft.shm.layout;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A peer's {@link InboxState}, mapped for reading until all rings to the peer are closed. */
public final class PeerState {

    private final MemorySegment memory;
    private final AutoCloseable mapping;
    private final InboxState state;
    private final int addresses;
    /** Null for sealed memory, which cannot be shortened. */
    private final @Nullable FileFaults faults;

    private final AtomicInteger users = new AtomicInteger(1);

    private PeerState(MemorySegment memory, Arena mapping) {
        this.memory = memory;
        this.mapping = mapping;
        this.state = new InboxState(memory);
        this.faults = null;
        this.addresses = state.addresses();
    }

    private PeerState(SharedFile file) {
        this.memory = file.memory();
        this.mapping = file;
        this.state = new InboxState(memory);
        this.faults = new FileFaults();
        int[] read = {0};
        faults.touch(() -> read[0] = state.addresses());
        this.addresses = read[0];
    }

    /**
     * Maps the memory that a peer has passed.
     *
     * @throws IOException if it has no valid state, or the owner has closed its inbox
     */
    public static PeerState received(MemFd file) throws IOException {
        if (file.bytes() != InboxState.BYTES) {
            throw new IOException(
                    "the state of an inbox must have " + InboxState.BYTES + " bytes, not " + file.bytes());
        }
        Arena arena = Arena.ofShared();
        PeerState made = null;
        try {
            made = new PeerState(file.mapForReading(arena), arena).checked();
            return made;
        } finally {
            if (made == null) {
                arena.close();
            }
        }
    }

    /**
     * Maps a file in a peer's inbox.
     *
     * @throws IOException if there is no file, it has no valid state, or the owner has closed its inbox
     */
    public static PeerState open(Path inbox) throws IOException {
        SharedFile file = SharedFile.openForReading(inbox.resolve(InboxState.FILE), InboxState.BYTES);
        PeerState made = null;
        try {
            made = new PeerState(file).checked();
            return made;
        } finally {
            if (made == null) {
                file.close();
            }
        }
    }

    private PeerState checked() throws IOException {
        if (addresses == 0 || isClosed()) {
            throw new IOException("the state of the inbox is invalid or closed");
        }
        return this;
    }

    public int addresses() {
        return addresses;
    }

    /** Returns the native address of the state, readable while a user holds this object. */
    public long stateAddress() {
        return memory.address() + InboxState.STATE;
    }

    /** Returns whether the owner has closed the inbox, or has shortened its file. */
    public boolean isClosed() {
        return faults == null
                ? InboxState.isClosed(state.now())
                : faults.holds(() -> InboxState.isClosed(state.now())) || faults.isTorn();
    }

    /** Returns the current state; a shortened file counts as awake. */
    public int now() {
        if (faults == null) {
            return state.now();
        }
        int[] found = {InboxState.AWAKE};
        faults.touch(() -> found[0] = state.now());
        return found[0];
    }

    /** Adds a user of the mapping. */
    public PeerState share() {
        users.incrementAndGet();
        return this;
    }

    /** Removes a user; the last one unmaps the memory. */
    public void release() {
        if (users.decrementAndGet() == 0) {
            try {
                mapping.close();
            } catch (Exception e) {
                throw new IllegalStateException("cannot close a mapping", e);
            }
        }
    }
}
