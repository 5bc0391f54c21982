package io.rdmarpc.rpc.control.limit;

import io.rdmarpc.rpc.wire.ControlCodec;
import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;

/**
 * The bytes that all control connections keep: the parts of messages that are not complete, and messages that a peer has not read. A
 * message may have 1 MiB, so connections that send all of one but its last byte would fill the heap. The bytes have a limit, and so has
 * the {@linkplain FairShare share} of each address. The first bytes of a connection do not count: ordinary messages are shorter. Control
 * thread only.
 */
public final class UnfinishedBytes {

    /** What a connection may keep without being counted. */
    public static final int FREE_BYTES = 4096;

    private static final int HEAP_SHARE = 16;
    private static final int SMALLEST_LIMIT = 8 * ControlCodec.MAX_FRAME_BYTES;
    private static final int LARGEST_LIMIT = 256 * ControlCodec.MAX_FRAME_BYTES;

    private final int limit;
    private final Map<InetAddress, Integer> bySource = new HashMap<>();
    private int total;

    /**
     * Makes a count.
     *
     * @param limit bytes of all connections
     */
    public UnfinishedBytes(int limit) {
        this.limit = limit;
    }

    /** Makes a count with a limit that fits the heap: a sixteenth of it, 8 MiB at least and 256 MiB at most. */
    public static UnfinishedBytes ofHeap() {
        return new UnfinishedBytes(
                Math.clamp(Runtime.getRuntime().maxMemory() / HEAP_SHARE, SMALLEST_LIMIT, LARGEST_LIMIT));
    }

    /** Returns how many bytes are counted. */
    public int total() {
        return total;
    }

    /** Begins to count a connection. */
    public Share share(InetAddress source) {
        return new Share(source);
    }

    /** What one connection keeps. */
    public final class Share implements AutoCloseable {

        private final InetAddress source;
        private int counted;
        private boolean closed;

        private Share(InetAddress source) {
            this.source = source;
        }

        /**
         * Counts what the connection keeps now.
         *
         * @param kept its bytes
         * @return false when that is more than is left for its address; the count stays as it was. A share that was closed counts nothing
         */
        public boolean resize(long kept) {
            long wanted = closed ? 0 : Math.max(0, kept - FREE_BYTES);
            int ofSource = bySource.getOrDefault(source, 0);
            long ofSourceThen = ofSource - counted + wanted;
            if (wanted > counted && ofSourceThen > FairShare.of(limit, total - ofSource)) {
                return false;
            }
            take((int) wanted, (int) ofSourceThen);
            return true;
        }

        private void take(int wanted, int ofSource) {
            total += wanted - counted;
            counted = wanted;
            if (ofSource == 0) {
                bySource.remove(source);
            } else {
                bySource.put(source, ofSource);
            }
        }

        /** Ends the count of a connection that has ended. A second call does nothing. */
        @Override
        public void close() {
            boolean _ = resize(0);
            closed = true;
        }
    }
}
