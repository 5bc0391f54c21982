package io.rdmarpc.verbs.soft.shm;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The own directory, where senders put their rings. One thread at a time. */
final class Inbox implements AutoCloseable {

    static final String RING_PREFIX = "ring-";

    private static final Pattern NAME = Pattern.compile("[0-9a-f]{16}-[0-9a-f]{16}");

    private final Rendezvous rendezvous;
    private final String name;
    private final FileChannel lock;
    private final SharedFile stateFile;
    private final InboxState state;
    private final Set<String> seen = new HashSet<>();
    private final int addresses;
    private int ringsSeen;

    private Inbox(Rendezvous rendezvous, String name, FileChannel lock, SharedFile stateFile, int addresses) {
        this.rendezvous = rendezvous;
        this.name = name;
        this.lock = lock;
        this.stateFile = stateFile;
        this.state = new InboxState(stateFile.memory());
        this.addresses = addresses;
    }

    /** Tells whether a file of the directory of all has the name of an inbox. */
    static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }

    /** Makes an inbox that nothing leads to yet. */
    static Inbox create(Rendezvous rendezvous, int addresses) throws IOException {
        String name = Liveness.jvm() + "-" + Liveness.randomNumber();
        Path draft = rendezvous.createInbox(name);
        FileChannel lock = Liveness.lock(draft);
        try {
            SharedFile stateFile = SharedFile.create(draft.resolve(InboxState.FILE), InboxState.BYTES);
            new InboxState(stateFile.memory()).start(addresses);
            Rendezvous.publish(draft);
            return new Inbox(rendezvous, name, lock, stateFile, addresses);
        } catch (IOException e) {
            lock.close();
            throw e;
        }
    }

    String name() {
        return name;
    }

    InboxState state() {
        return state;
    }

    /** Tells whether a sender has made a ring since {@link #newRings} was called. */
    boolean hasNewRings() {
        return state.rings() != ringsSeen;
    }

    /** Opens the rings that were made since the last call; those that make no sense are left alone. */
    List<InboundRing> newRings() {
        ringsSeen = state.rings();
        List<InboundRing> found = new ArrayList<>();
        try (DirectoryStream<Path> rings = Files.newDirectoryStream(rendezvous.inbox(name), RING_PREFIX + "*")) {
            for (Path ring : rings) {
                if (seen.add(ring.getFileName().toString())) {
                    InboundRing.open(ring, addresses).ifPresent(found::add);
                }
            }
        } catch (IOException e) {
            // Without its directory an inbox gets no more rings; those it has go on.
        }
        return found;
    }

    void forget(InboundRing ring) {
        seen.remove(ring.path().getFileName().toString());
    }

    /** Tells the senders and removes all files. */
    @Override
    public void close() {
        state.close();
        rendezvous.removeInbox(name);
        rendezvous.removeIfEmpty();
        stateFile.close();
        try {
            lock.close();
        } catch (IOException e) {
            // The lock goes with the process at the latest.
        }
    }
}
