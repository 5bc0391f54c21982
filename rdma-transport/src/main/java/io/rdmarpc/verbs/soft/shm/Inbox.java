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
 * The own directory, by which senders hand over their rings. Where memory can be passed it has a socket and nothing that is mapped; else
 * senders put files there. One thread at a time.
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

    /** Tells whether a file of the directory of all has the name of an inbox. */
    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** Returns the name of an inbox. */
    static String name(long jvm, long number) {
        return "%016x-%016x".formatted(jvm, number);
    }

    /**
     * Makes an inbox that nothing leads to yet.
     *
     * @param passesMemory whether rings are handed over, not put into files
     * @throws IOException when there is no place for it, or no memory can be passed that is to be
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
            // The lock goes with the process at the latest.
        }
    }

    String name() {
        return name;
    }

    /** Returns how memory is passed, or null when it is not. */
    @Nullable
    Handover handover() {
        return handover;
    }

    OwnState state() {
        return state;
    }

    /** Tells whether rings wait that were found while something else was looked for. */
    boolean hasNewRings() {
        return handover != null && handover.hasMore();
    }

    /** Opens the rings that were made since the last call; those that make no sense or are too many are closed. */
    List<InboundRing> newRings(Handover.Peers peers) {
        List<InboundRing> found = new ArrayList<>();
        if (handover == null) {
            takeFiles(found);
        } else {
            handover.take(peers);
            for (Handover.Ring ring = handover.nextRing(); ring != null; ring = handover.nextRing()) {
                addTo(found, InboundRing.open(ring, addresses, budget));
            }
        }
        return found;
    }

    private void takeFiles(List<InboundRing> found) {
        try (DirectoryStream<Path> rings = Files.newDirectoryStream(rendezvous.inbox(name), RING_PREFIX + "*")) {
            for (Path ring : rings) {
                addTo(found, InboundRing.open(ring, addresses, budget));
            }
        } catch (IOException e) {
            // Without its directory an inbox gets no more rings; those it has go on.
        }
    }

    private static void addTo(List<InboundRing> found, @Nullable InboundRing ring) {
        if (ring != null) {
            found.add(ring);
        }
    }

    /** Hands the own state over to a sender that has put a ring here; false when it cannot take that now. */
    boolean shareState(InboundRing ring) {
        return handover == null
                || state.memory() == null
                || handover.offerState(rendezvous.inbox(ring.sender()), ring.ticket(), state.memory());
    }

    /** Senders that wait for an answer need not wait until they find that this inbox has gone. */
    private void refuseAll(Handover by) {
        by.take(_ -> null);
        for (Handover.Ring ring = by.nextRing(); ring != null; ring = by.nextRing()) {
            try (Handover.Ring refused = ring) {
                InboundRing.refuse(refused);
            } catch (IOException e) {
                // Its sender learns it later.
            }
        }
    }

    /** Tells the senders and removes all files. */
    @Override
    public void close() {
        if (handover != null) {
            refuseAll(handover);
        }
        state.close();
        rendezvous.removeInbox(name);
        rendezvous.removeIfEmpty();
        closeAll(lock, null, handover);
    }
}
