package io.rdmarpc.verbs.soft.shm.layout;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.shm.budget.RingBudget;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The {@link InboxState} of the own inbox: memory of a size for good, which peers are handed and can only read. Without native access it
 * is a file in the inbox; when another process shortens that, it is made whole again.
 */
public final class OwnState implements AutoCloseable {

    private final AutoCloseable mapping;
    private final InboxState state;
    private final @Nullable MemFd memory;
    private final @Nullable StateFile file;
    private FileFaults faults = new FileFaults();

    /** What is needed to make a file whole again. */
    private record StateFile(Path path, int addresses, RingBudget log) {}

    private OwnState(AutoCloseable mapping, InboxState state, @Nullable MemFd memory, @Nullable StateFile file) {
        this.mapping = mapping;
        this.state = state;
        this.memory = memory;
        this.file = file;
    }

    /** Makes memory that peers are handed. */
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
     * Makes a file that peers find.
     *
     * @param draft where it is made
     * @param published where it will be
     */
    public static OwnState inFile(Path draft, Path published, int addresses, RingBudget log) throws IOException {
        SharedFile made = SharedFile.create(draft, InboxState.BYTES);
        InboxState state = new InboxState(made.memory());
        OwnState own = new OwnState(made, state, null, new StateFile(published, addresses, log));
        own.write(() -> state.start(addresses));
        return own;
    }

    /** Returns what peers are handed, or null when they find a file. */
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

    /** Once for each fault: a process that shortens the file again and again must not keep this thread here. */
    private void restore(StateFile torn, Runnable change) {
        torn.log()
                .warn(
                        "the own state",
                        "Another process of this user has shortened " + torn.path()
                                + ", which peers look at: it is made whole again. Start Java with --enable-native-access for"
                                + " memory that cannot be shortened.");
        try {
            SharedFile.restore(torn.path(), InboxState.BYTES);
        } catch (IOException e) {
            return; // It is tried again with the next change; until then no peer rings.
        }
        faults = new FileFaults();
        faults.touch(() -> state.start(torn.addresses()));
        faults.touch(change);
    }

    /** Tells the senders, and ends the mapping. */
    @Override
    public void close() {
        write(state::close);
        try {
            mapping.close();
        } catch (Exception e) {
            throw new IllegalStateException("a mapping is not closed", e);
        }
        if (memory != null) {
            memory.close();
        }
    }
}
