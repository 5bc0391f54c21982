package io.rdmarpc.verbs.soft.shm;

import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Limits the mappings of peers' memory in this process, and their bytes, over all peers of a link. The kernel gives a process 65,530
 * mappings and 47 bits of addresses by default, which the JVM needs too. A peer process has at most half of what the other ones leave,
 * so that the next peer always finds room for some. Any thread: a mapping ends where it is last seen.
 */
final class PageBudget {

    static final int MOST_MAPPINGS = 16_384;
    static final int MOST_MAPPINGS_OF_ONE = 2048;
    static final long MOST_BYTES = 1L << 44;

    private static final int MOST_WARNINGS = 64;
    private static final System.Logger LOG = System.getLogger(PageBudget.class.getName());

    // Guarded by this.
    private final Map<String, Use> uses = new HashMap<>();
    private final Set<String> warned = new HashSet<>();
    private int mappings;
    private long bytes;

    /** What one peer has. */
    private static final class Use {
        private int mappings;
        private long bytes;
    }

    /**
     * Takes room for a mapping.
     *
     * @param peer whose memory it is, by {@link RingBudget#peer}
     * @param size its bytes
     * @return the room, to be closed when the mapping has ended; null, and logged, when the peer has too much
     */
    @Nullable
    Share take(String peer, long size) {
        Share taken = tryTake(peer, size);
        if (taken == null) {
            warn(peer, size);
        }
        return taken;
    }

    private synchronized @Nullable Share tryTake(String peer, long size) {
        Use use = uses.getOrDefault(peer, new Use());
        int most = Math.min(MOST_MAPPINGS_OF_ONE, (MOST_MAPPINGS - mappings + use.mappings) / 2);
        long mostBytes = (MOST_BYTES - bytes + use.bytes) / 2;
        if (use.mappings >= most || size > mostBytes - use.bytes) {
            return null;
        }
        uses.putIfAbsent(peer, use);
        use.mappings++;
        use.bytes += size;
        mappings++;
        bytes += size;
        return new Share(peer, use, size);
    }

    private void warn(String peer, long size) {
        boolean first;
        String words;
        synchronized (this) {
            Use use = uses.getOrDefault(peer, new Use());
            first = warned.size() < MOST_WARNINGS && warned.add(peer);
            words = size + " bytes of memory of " + peer + " are not mapped: it has " + use.mappings + " mappings of "
                    + use.bytes + " bytes, all peers have " + mappings + " of " + bytes
                    + ". What it lends there goes through the ring.";
        }
        LOG.log(first ? Level.WARNING : Level.DEBUG, words);
    }

    private synchronized void giveBack(Share share) {
        Use use = share.use;
        use.mappings--;
        use.bytes -= share.size;
        mappings--;
        bytes -= share.size;
        if (use.mappings == 0) {
            uses.remove(share.peer, use);
        }
    }

    /** Room for a mapping. One thread at a time. */
    final class Share implements AutoCloseable {

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
    }
}
