package io.rdmarpc.verbs.soft.shm;

import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How many rings peers may make here, and of how many bytes. A peer process has at most half of what the other ones leave, so that the
 * next peer always finds room for some. One thread at a time.
 */
final class RingBudget {

    /** One ring may have that share of all bytes. */
    static final int LARGEST_RING_SHARE = 4;

    static final int MOST_RINGS = 4096;
    static final int MOST_RINGS_OF_ONE = 256;

    private static final int MOST_WARNINGS = 64;
    private static final System.Logger LOG = System.getLogger(RingBudget.class.getName());

    private final long mostBytes;
    private final HostLinkCounters counters;
    private final Map<String, Use> uses = new HashMap<>();
    private final Set<String> warned = new HashSet<>();
    private long bytes;
    private int rings;

    /** What one peer has. */
    private static final class Use {
        private long bytes;
        private int rings;
    }

    RingBudget(long mostBytes, HostLinkCounters counters) {
        this.mostBytes = mostBytes;
        this.counters = counters;
    }

    /**
     * Returns how a peer process is called here.
     *
     * @param process its number as the kernel says, 0 when that is not known
     * @param inbox the inbox that it says it has, which begins with its own number for the process
     */
    static String peer(int process, String inbox) {
        return process > 0 ? "process " + process : "JVM " + inbox.substring(0, inbox.indexOf('-'));
    }

    /** Takes room for a ring; null, counted and logged, when a peer has too much. */
    @Nullable
    Share take(String peer, long ringBytes) {
        Use use = uses.getOrDefault(peer, new Use());
        String refusal = refusal(use, ringBytes);
        if (refusal != null) {
            counters.countRefusedRing();
            warn(
                    peer,
                    "A ring of " + ringBytes + " bytes of " + peer + " in shared memory is refused: " + refusal
                            + ". The peer is reached by UDP. Raise rdma.soft.shared-memory.inbound-bytes, now "
                            + mostBytes
                            + ", if it is one of yours.");
            return null;
        }
        uses.putIfAbsent(peer, use);
        use.bytes += ringBytes;
        use.rings++;
        bytes += ringBytes;
        rings++;
        return new Share(peer, use, ringBytes);
    }

    private @Nullable String refusal(Use use, long ringBytes) {
        long largest = mostBytes / LARGEST_RING_SHARE;
        long mostOfOne = (mostBytes - bytes + use.bytes) / 2;
        int mostRings = Math.min(MOST_RINGS_OF_ONE, (MOST_RINGS - rings + use.rings) / 2);
        if (ringBytes > largest) {
            return "one ring has at most %d bytes".formatted(largest);
        } else if (use.bytes + ringBytes > mostOfOne) {
            return "it has %d bytes and may have %d".formatted(use.bytes, mostOfOne);
        } else if (use.rings >= mostRings) {
            return "it has %d rings and may have %d".formatted(use.rings, mostRings);
        }
        return null;
    }

    /** Counts what makes no sense. */
    void countBroken() {
        counters.countBrokenRing();
    }

    /** Says once of a peer what is wrong with it, of so many peers at most. */
    void warn(String peer, String text) {
        boolean first = warned.size() < MOST_WARNINGS && warned.add(peer);
        LOG.log(first ? Level.WARNING : Level.DEBUG, text);
    }

    /** Room for a ring. */
    final class Share implements AutoCloseable {

        private final String peer;
        private final Use use;
        private final long ringBytes;
        private boolean closed;

        private Share(String peer, Use use, long ringBytes) {
            this.peer = peer;
            this.use = use;
            this.ringBytes = ringBytes;
        }

        /** Gives it back; a second call does nothing. */
        @Override
        public void close() {
            if (closed) {
                return;
            }
            closed = true;
            use.bytes -= ringBytes;
            bytes -= ringBytes;
            rings--;
            if (--use.rings == 0) {
                uses.remove(peer, use);
            }
        }

        @Override
        public String toString() {
            return String.format(Locale.ROOT, "%d bytes of %s", ringBytes, peer);
        }
    }
}
