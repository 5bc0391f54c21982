package io.rdmarpc.verbs.soft.shm.budget;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Limits the pieces of memory that peers make this process keep, and their bytes. A peer process has at most half of what the other
 * ones leave, so that the next peer always finds room for some. Any thread.
 */
public final class PeerBudget {

    private static final int MOST_WARNINGS = 64;

    private final String pieces;
    private final int most;
    private final int mostOfOne;
    private final long mostBytes;
    // Guarded by this.
    private final Map<String, Use> uses = new HashMap<>();
    private final Set<String> warned = new HashSet<>();
    private final Use all = new Use();

    /** What one peer has, or all of them. */
    private static final class Use {
        private int count;
        private long bytes;

        void add(int pieces, long size) {
            count += pieces;
            bytes += size;
        }
    }

    /**
     * Makes a budget.
     *
     * @param pieces what the pieces are called in messages
     * @param most pieces of all peers
     * @param mostOfOne pieces of one peer
     * @param mostBytes bytes of all peers
     */
    PeerBudget(String pieces, int most, int mostOfOne, long mostBytes) {
        this.pieces = pieces;
        this.most = most;
        this.mostOfOne = mostOfOne;
        this.mostBytes = mostBytes;
    }

    /**
     * Returns how a peer process is called here.
     *
     * @param process its number as the kernel says, 0 when that is not known
     * @param inbox the inbox that it says it has, which begins with its own number for the process
     */
    public static String peer(int process, String inbox) {
        return process > 0 ? "process " + process : "JVM " + inbox.substring(0, inbox.indexOf('-'));
    }

    /**
     * Takes room for a piece.
     *
     * @param peer by {@link #peer}
     * @param size its bytes
     * @param refused called with the reason when the peer has too much
     * @return the room, to be closed when the piece is gone; null when the peer has too much
     */
    @Nullable
    Share take(String peer, long size, Consumer<String> refused) {
        String rejection;
        synchronized (this) {
            Use use = uses.getOrDefault(peer, new Use());
            rejection = rejection(use, size);
            if (rejection == null) {
                uses.putIfAbsent(peer, use);
                use.add(1, size);
                all.add(1, size);
                return new Share(peer, use, size);
            }
        }
        refused.accept(rejection);
        return null;
    }

    private @Nullable String rejection(Use use, long size) {
        long bytesOfOne = (mostBytes - all.bytes + use.bytes) / 2;
        int countOfOne = Math.min(mostOfOne, (most - all.count + use.count) / 2);
        if (size > bytesOfOne - use.bytes) {
            return String.format(Locale.ROOT, "it has %d bytes and may have %d", use.bytes, bytesOfOne);
        }
        return use.count < countOfOne
                ? null
                : String.format(Locale.ROOT, "it has %d %s and may have %d", use.count, pieces, countOfOne);
    }

    /** Warns of a peer once, and of 64 peers at most; what comes after that is logged for debugging. */
    void warn(Logger log, String peer, String text) {
        boolean first;
        synchronized (this) {
            first = warned.size() < MOST_WARNINGS && warned.add(peer);
        }
        log.log(first ? Level.WARNING : Level.DEBUG, text);
    }

    private synchronized void giveBack(Share share) {
        share.use.add(-1, -share.size);
        all.add(-1, -share.size);
        if (share.use.count == 0) {
            uses.remove(share.peer, share.use);
        }
    }

    /** Room for a piece. One thread at a time. */
    public final class Share implements AutoCloseable {

        private final String peer;
        private final Use use;
        private final long size;
        private boolean closed;

        private Share(String peer, Use use, long size) {
            this.peer = peer;
            this.use = use;
            this.size = size;
        }

        /** Gives it back; a second call does nothing. */
        @Override
        public void close() {
            if (!closed) {
                closed = true;
                giveBack(this);
            }
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%d bytes of %s", size, peer);
        }
    }
}
