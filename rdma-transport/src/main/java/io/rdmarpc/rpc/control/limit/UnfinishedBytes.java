package io.rdmarpc.rpc.control.limit;

import io.rdmarpc.rpc.wire.ControlCodec;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the bytes that all control connections store: incomplete messages, and messages that a peer has not read. A
 * message may be 1 MiB long. Connections that send all but the last byte of a message could therefore fill the heap.
 * The total is limited, and so is the {@linkplain FairShare share} of each address. The first bytes of a connection do
 * not count, because ordinary messages are shorter. Control thread only.
 */
public final class UnfinishedBytes {

    /** Number of bytes that a connection may store without being counted. */
    public static final int FREE_BYTES = 4096;

    private static final int HEAP_SHARE = 16;
    private static final int MIN_LIMIT = 8 * ControlCodec.MAX_FRAME_BYTES;
    private static final int MAX_LIMIT = 256 * ControlCodec.MAX_FRAME_BYTES;

    private final int limit;
    private final Map<InetAddress, Integer> bySource = new HashMap<>();
    private int total;

    /**
     * Creates a counter.
     *
     * @param limit maximum number of bytes of all connections
     */
    public UnfinishedBytes(int limit) {
        this.limit = limit;
    }

    /** Creates a counter with a limit that fits the heap: a sixteenth of it, at least 8 MiB and at most 256 MiB. */
    public static UnfinishedBytes ofHeap() {
        return new UnfinishedBytes(Math.clamp(Runtime.getRuntime().maxMemory() / HEAP_SHARE, MIN_LIMIT, MAX_LIMIT));
    }

    /** Returns the number of counted bytes. */
    public int total() {
        return total;
    }

    /** Returns the counter of a new connection. */
    public Share share(InetAddress source) {
        return new Share(source);
    }

    /** The stored bytes of one connection. */
    public final class Share implements AutoCloseable {

        private final InetAddress source;
        private int counted;
        private boolean closed;

        private Share(InetAddress source) {
            this.source = source;
        }

        /**
         * Sets the number of bytes that the connection stores.
         *
         * @param kept number of stored bytes
         * @return false if that exceeds the share of its address; the count is then unchanged. A closed share counts no
         *     bytes
         */
        public boolean resize(long kept) {
            long wanted = closed ? 0 : Math.max(0, kept - FREE_BYTES);
            int ofSource = bySource.getOrDefault(source, 0);
            long ofSourceThen = ofSource - counted + wanted;
            if (wanted > counted && ofSourceThen > FairShare.of(limit, total - ofSource)) {
                return false;
            }
            count((int) wanted, (int) ofSourceThen);
            return true;
        }

        private void count(int wanted, int ofSource) {
            total += wanted - counted;
            counted = wanted;
            if (ofSource == 0) {
                bySource.remove(source);
            } else {
                bySource.put(source, ofSource);
            }
        }

        /** Ends the count after the end of a connection. A second call does nothing. */
        @Override
        public void close() {
            boolean _ = resize(0);
            closed = true;
        }
    }
}
