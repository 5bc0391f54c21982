package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.MemFd;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The own directory, where senders put their rings. One thread at a time. */
final class Inbox implements AutoCloseable {

    static final String RING_PREFIX = "ring-";

    private static final Pattern NAME = Pattern.compile("[0-9a-f]{16}-[0-9a-f]{16}");

    private final Rendezvous rendezvous;
    private final String name;
    private final FileChannel lock;
    private final SharedFile stateFile;
    private final InboxState state;
    private final int addresses;
    private final @Nullable Handover handover;
    private final HostLinkCounters counters;
    private int ringsSeen;

    private Inbox(
            Rendezvous rendezvous,
            String name,
            FileChannel lock,
            SharedFile stateFile,
            @Nullable Handover handover,
            HostLinkCounters counters,
            int addresses) {
        this.rendezvous = rendezvous;
        this.name = name;
        this.lock = lock;
        this.stateFile = stateFile;
        this.handover = handover;
        this.counters = counters;
        this.state = new InboxState(stateFile.memory());
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

    /** Makes an inbox that nothing leads to yet. */
    static Inbox create(Rendezvous rendezvous, int addresses, boolean passesMemory, HostLinkCounters counters)
            throws IOException {
        String name = Liveness.jvm() + "-" + Liveness.randomNumber();
        Path draft = rendezvous.createInbox(name);
        FileChannel lock = Liveness.lock(draft);
        Handover handover = passesMemory ? Handover.open(draft, name, counters) : null;
        try {
            SharedFile stateFile = SharedFile.create(draft.resolve(InboxState.FILE), InboxState.BYTES);
            new InboxState(stateFile.memory()).start(addresses);
            Rendezvous.publish(draft);
            return new Inbox(rendezvous, name, lock, stateFile, handover, counters, addresses);
        } catch (IOException e) {
            if (handover != null) {
                handover.close();
            }
            lock.close();
            throw e;
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

    InboxState state() {
        return state;
    }

    /** Tells whether a sender has made a ring since {@link #newRings} was called. */
    boolean hasNewRings() {
        return state.rings() != ringsSeen || (handover != null && handover.hasMore());
    }

    /** Opens the rings that were made since the last call; those that make no sense are closed. */
    List<InboundRing> newRings(Handover.Peers peers) {
        ringsSeen = state.rings();
        List<InboundRing> found = new ArrayList<>();
        if (handover != null) {
            handover.take(peers);
            for (MemFd ring = handover.nextRing(); ring != null; ring = handover.nextRing()) {
                InboundRing.open(ring, addresses).ifPresentOrElse(found::add, counters::countBrokenRing);
            }
        }
        try (DirectoryStream<Path> rings = Files.newDirectoryStream(rendezvous.inbox(name), RING_PREFIX + "*")) {
            for (Path ring : rings) {
                InboundRing.open(ring, addresses).ifPresentOrElse(found::add, counters::countBrokenRing);
            }
        } catch (IOException e) {
            // Without its directory an inbox gets no more rings; those it has go on.
        }
        return found;
    }

    /** Tells the senders and removes all files. */
    @Override
    public void close() {
        state.close();
        rendezvous.removeInbox(name);
        rendezvous.removeIfEmpty();
        stateFile.close();
        if (handover != null) {
            handover.close();
        }
        try {
            lock.close();
        } catch (IOException e) {
            // The lock goes with the process at the latest.
        }
    }
}
