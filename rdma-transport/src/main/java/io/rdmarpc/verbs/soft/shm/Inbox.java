package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.shm.budget.HostLinkCounters;
import io.rdmarpc.verbs.soft.shm.budget.RingBudget;
import io.rdmarpc.verbs.soft.shm.layout.InboxState;
import io.rdmarpc.verbs.soft.shm.layout.OwnState;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The directory of this process, through which senders pass their rings. With native access it has a socket and no
 * mapped files. Without it senders create files there. One thread at a time.
 */
final class Inbox implements AutoCloseable {

    static final String RING_PREFIX = "ring-";

    private static final Pattern NAME = Pattern.compile("[0-9a-f]{16}-[0-9a-f]{16}");

    private final Rendezvous rendezvous;
    private final String name;
    private final FileChannel lock;
    private final OwnState state;
    private final int addresses;
    private final @Nullable Handover handover;
    private final RingBudget budget;

    private Inbox(
            Rendezvous rendezvous,
            String name,
            FileChannel lock,
            OwnState state,
            @Nullable Handover handover,
            RingBudget budget,
            int addresses) {
        this.rendezvous = rendezvous;
        this.name = name;
        this.lock = lock;
        this.state = state;
        this.handover = handover;
        this.budget = budget;
        this.addresses = addresses;
    }

    /** Returns whether a file name in the common directory is the name of an inbox. */
    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** Returns the name of an inbox. */
    static String name(long jvm, long number) {
        return "%016x-%016x".formatted(jvm, number);
    }

    /**
     * Creates an inbox without any address entries.
     *
     * @param passesMemory whether rings are passed as descriptors instead of files
     * @throws IOException if the directory, or the lock, socket or state in it, cannot be created
     */
    static Inbox create(
            Rendezvous rendezvous, int addresses, boolean passesMemory, RingBudget budget, HostLinkCounters counters)
            throws IOException {
        String name = PeerLiveness.jvm() + "-" + PeerLiveness.randomNumber();
        Path draft = rendezvous.createInbox(name);
        FileChannel lock = PeerLiveness.lock(draft);
        Handover handover = null;
        OwnState state = null;
        Inbox made = null;
        try {
            handover = passesMemory ? Handover.open(draft, name, counters) : null;
            state = passesMemory
                    ? OwnState.sealed(addresses)
                    : OwnState.inFile(
                            draft.resolve(InboxState.FILE),
                            rendezvous.inbox(name).resolve(InboxState.FILE),
                            addresses,
                            budget);
            Path _ = Rendezvous.publish(draft);
            made = new Inbox(rendezvous, name, lock, state, handover, budget, addresses);
            return made;
        } finally {
            if (made == null) {
                closeAll(lock, state, handover);
            }
        }
    }

    private static void closeAll(FileChannel lock, @Nullable OwnState state, @Nullable Handover handover) {
        if (state != null) {
            state.close();
        }
        if (handover != null) {
            handover.close();
        }
        try {
            lock.close();
        } catch (IOException e) {
            // The kernel releases the lock at the end of the process at the latest.
        }
    }

    String name() {
        return name;
    }

    /** Returns the socket for passed memory, or null if rings are files. */
    @Nullable
    Handover handover() {
        return handover;
    }

    OwnState state() {
        return state;
    }

    /** Returns whether rings are pending that another call has received. */
    boolean hasNewRings() {
        return handover != null && handover.hasMore();
    }

    /** Opens the rings that were created since the last call; closes those that are invalid or over the limit. */
    List<InboundRing> newRings(Handover.Peers peers) {
        List<InboundRing> found = new ArrayList<>();
        if (handover == null) {
            openFiles(found);
        } else {
            handover.take(peers);
            for (Handover.Ring ring = handover.nextRing(); ring != null; ring = handover.nextRing()) {
                addTo(found, InboundRing.open(ring, addresses, budget));
            }
        }
        return found;
    }

    private void openFiles(List<InboundRing> found) {
        try (DirectoryStream<Path> rings = Files.newDirectoryStream(rendezvous.inbox(name), RING_PREFIX + "*")) {
            for (Path ring : rings) {
                addTo(found, InboundRing.open(ring, addresses, budget));
            }
        } catch (IOException e) {
            // Without its directory an inbox gets no more rings; existing rings continue.
        }
    }

    private static void addTo(List<InboundRing> found, @Nullable InboundRing ring) {
        if (ring != null) {
            found.add(ring);
        }
    }

    /** Passes the state of this process to the sender of a ring; false if it cannot receive now. */
    boolean shareState(InboundRing ring) {
        return handover == null
                || state.memory() == null
                || handover.offerState(rendezvous.inbox(ring.sender()), ring.ticket(), state.memory());
    }

    /** Rejects all pending rings, so that their senders need not wait until they find the inbox removed. */
    private void rejectAll(Handover by) {
        by.take(_ -> null);
        for (Handover.Ring ring = by.nextRing(); ring != null; ring = by.nextRing()) {
            try (Handover.Ring rejected = ring) {
                InboundRing.reject(rejected);
            } catch (IOException e) {
                // Its sender finds the inbox removed later.
            }
        }
    }

    /** Marks the inbox as closed for its senders, and removes all files. */
    @Override
    public void close() {
        if (handover != null) {
            rejectAll(handover);
        }
        state.close();
        rendezvous.removeInbox(name);
        rendezvous.removeIfEmpty();
        closeAll(lock, null, handover);
    }
}
