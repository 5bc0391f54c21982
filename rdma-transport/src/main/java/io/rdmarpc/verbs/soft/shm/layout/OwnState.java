package io.rdmarpc.verbs.soft.shm.layout;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.shm.budget.RingBudget;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The {@link InboxState} of the local inbox: memory of fixed size that peers receive and can only read. Without native
 * access it is a file in the inbox, which is restored if another process shortens it.
 */
public final class OwnState implements AutoCloseable {

    private final AutoCloseable mapping;
    private final InboxState state;
    private final @Nullable MemFd memory;
    private final @Nullable StateFile file;
    private FileFaults faults = new FileFaults();

    /** The data to restore a shortened file. */
    private record StateFile(Path path, int addresses, RingBudget log) {}

    private OwnState(AutoCloseable mapping, InboxState state, @Nullable MemFd memory, @Nullable StateFile file) {
        this.mapping = mapping;
        this.state = state;
        this.memory = memory;
        this.file = file;
    }

    /** Creates sealed memory to pass to peers. */
    public static OwnState sealed(int addresses) throws IOException {
        MemFd memory = MemFd.createForReaders("rdma-rpc-state", InboxState.BYTES);
        Arena arena = Arena.ofShared();
        OwnState made = null;
        try {
            InboxState state = new InboxState(memory.map(arena, () -> {}));
            state.start(addresses);
            memory.sealForReaders();
            made = new OwnState(arena, state, memory, null);
            return made;
        } finally {
            if (made == null) {
                arena.close();
                memory.close();
            }
        }
    }

    /**
     * Creates a file that peers open.
     *
     * @param draft path at which the file is created
     * @param published path after the inbox is published
     */
    public static OwnState inFile(Path draft, Path published, int addresses, RingBudget log) throws IOException {
        SharedFile made = SharedFile.create(draft, InboxState.BYTES);
        InboxState state = new InboxState(made.memory());
        OwnState own = new OwnState(made, state, null, new StateFile(published, addresses, log));
        own.write(() -> state.start(addresses));
        return own;
    }

    /** Returns the memory to pass to peers, or null if they open a file. */
    @Nullable
    public MemFd memory() {
        return memory;
    }

    public void sleep() {
        write(state::sleep);
    }

    public void wake() {
        write(state::wake);
    }

    private void write(Runnable change) {
        if (file == null) {
            change.run();
            return;
        }
        faults.touch(change);
        if (faults.isTorn()) {
            restore(file, change);
        }
    }

    /** Restores the file once for each fault, so that a process that shortens it repeatedly cannot hold this thread. */
    private void restore(StateFile torn, Runnable change) {
        torn.log()
                .warn(
                        "the local state",
                        "Another process of this user has shortened " + torn.path()
                                + ", which peers read. The file is restored. Start Java with"
                                + " --enable-native-access to use memory that cannot be shortened.");
        try {
            SharedFile.restore(torn.path(), InboxState.BYTES);
        } catch (IOException e) {
            return; // The next change tries again; until then no peer wakes this process.
        }
        faults = new FileFaults();
        faults.touch(() -> state.start(torn.addresses()));
        faults.touch(change);
    }

    /** Marks the inbox as closed for its senders, and unmaps the memory. */
    @Override
    public void close() {
        write(state::close);
        try {
            mapping.close();
        } catch (Exception e) {
            throw new IllegalStateException("cannot close a mapping", e);
        }
        if (memory != null) {
            memory.close();
        }
    }
}
