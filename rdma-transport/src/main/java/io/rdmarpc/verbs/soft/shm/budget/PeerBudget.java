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
 * Limits the objects that peers cause this process to hold, and their bytes. One peer process may use at most half of
 * the budget that the other peers leave, so that the next peer also gets some. Any thread.
 */
public final class PeerBudget {

    private static final int MAX_WARNINGS = 64;

    private final String pieces;
    private final int most;
    private final int maxOfOne;
    private final long maxBytes;
    // Guarded by this.
    private final Map<String, Use> uses = new HashMap<>();
    private final Set<String> warned = new HashSet<>();
    private final Use all = new Use();

    /** The usage of one peer, or of all peers. */
    private static final class Use {
        private int count;
        private long bytes;

        void add(int pieces, long size) {
            count += pieces;
            bytes += size;
        }
    }

    /**
     * Creates a budget.
     *
     * @param pieces the plural of the objects, for log messages
     * @param most maximum number of objects of all peers
     * @param maxOfOne maximum number of objects of one peer
     * @param maxBytes maximum bytes of all peers
     */
    PeerBudget(String pieces, int most, int maxOfOne, long maxBytes) {
        this.pieces = pieces;
        this.most = most;
        this.maxOfOne = maxOfOne;
        this.maxBytes = maxBytes;
    }

    /**
     * Returns the name of a peer process in budgets and log messages.
     *
     * @param process its identifier as reported by the kernel, 0 if unknown
     * @param inbox the inbox that it claims, whose name begins with the number of its JVM
     */
    public static String peer(int process, String inbox) {
        return process > 0 ? "process " + process : "JVM " + inbox.substring(0, inbox.indexOf('-'));
    }

    /**
     * Reserves the budget for an object.
     *
     * @param peer the owner, as in {@link #peer}
     * @param size size of the object in bytes
     * @param onRejected called with the reason if the peer is over its limit
     * @return the share, to be closed with the object; null if the peer is over its limit
     */
    @Nullable
    Share take(String peer, long size, Consumer<String> onRejected) {
        String reason;
        synchronized (this) {
            Use use = uses.getOrDefault(peer, new Use());
            reason = reason(use, size);
            if (reason == null) {
                uses.putIfAbsent(peer, use);
                use.add(1, size);
                all.add(1, size);
                return new Share(peer, use, size);
            }
        }
        onRejected.accept(reason);
        return null;
    }

    private @Nullable String reason(Use use, long size) {
        long bytesOfOne = (maxBytes - all.bytes + use.bytes) / 2;
        int countOfOne = Math.min(maxOfOne, (most - all.count + use.count) / 2);
        if (size > bytesOfOne - use.bytes) {
            return String.format(Locale.ROOT, "it has %d bytes, its limit is %d", use.bytes, bytesOfOne);
        }
        return use.count < countOfOne
                ? null
                : String.format(Locale.ROOT, "it has %d %s, its limit is %d", use.count, pieces, countOfOne);
    }

    /** Logs a warning once for each of at most 64 peers; other messages are logged at debug level. */
    void warn(Logger log, String peer, String text) {
        boolean first;
        synchronized (this) {
            first = warned.size() < MAX_WARNINGS && warned.add(peer);
        }
        log.log(first ? Level.WARNING : Level.DEBUG, text);
    }

    private synchronized void release(Share share) {
        share.use.add(-1, -share.size);
        all.add(-1, -share.size);
        if (share.use.count == 0) {
            uses.remove(share.peer, share.use);
        }
    }

    /** The budget of one object. One thread at a time. */
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

        /** Returns the share to the budget; a second call does nothing. */
        @Override
        public void close() {
            if (!closed) {
                closed = true;
                release(this);
            }
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%d bytes of %s", size, peer);
        }
    }
}
