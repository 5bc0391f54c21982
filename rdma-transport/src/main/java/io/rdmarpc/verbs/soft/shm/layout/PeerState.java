package io.rdmarpc.verbs.soft.shm.layout;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A peer's {@link InboxState}, mapped for reading until all rings that lead to the peer are closed. */
public final class PeerState {

    private final MemorySegment memory;
    private final AutoCloseable mapping;
    private final InboxState state;
    private final int addresses;
    /** Null for memory that cannot be shortened. */
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
     * Maps what a peer has handed over.
     *
     * @throws IOException when it is no state, or its owner has closed
     */
    public static PeerState received(MemFd file) throws IOException {
        if (file.bytes() != InboxState.BYTES) {
            throw new IOException("a state has " + InboxState.BYTES + " bytes, not " + file.bytes());
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
     * @throws IOException when there is none, it makes no sense, or its owner has closed
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
            throw new IOException("the owner of an inbox takes no rings");
        }
        return this;
    }

    public int addresses() {
        return addresses;
    }

    /** Returns where the state is, readable while a user holds this. */
    public long stateAddress() {
        return memory.address() + InboxState.STATE;
    }

    /** Tells whether the owner has closed, or has shortened its file. */
    public boolean isClosed() {
        return faults == null
                ? InboxState.isClosed(state.now())
                : faults.holds(() -> InboxState.isClosed(state.now())) || faults.isTorn();
    }

    /** Returns the state, in which a file that was shortened sleeps no more. */
    public int now() {
        if (faults == null) {
            return state.now();
        }
        int[] found = {InboxState.AWAKE};
        faults.touch(() -> found[0] = state.now());
        return found[0];
    }

    /** Keeps the mapping for one more user. */
    public PeerState share() {
        users.incrementAndGet();
        return this;
    }

    /** Ends the use by one. */
    public void release() {
        if (users.decrementAndGet() == 0) {
            try {
                mapping.close();
            } catch (Exception e) {
                throw new IllegalStateException("a mapping is not closed", e);
            }
        }
    }
}
