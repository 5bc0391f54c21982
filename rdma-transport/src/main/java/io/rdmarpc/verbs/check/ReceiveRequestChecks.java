package io.rdmarpc.verbs.check;

import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import org.jspecify.annotations.Nullable;

/**
 * Looks at a postlist of receives before it is posted, like {@link SendRequestChecks}. Called by providers for every
 * checked queue pair and every shared receive queue.
 */
public final class ReceiveRequestChecks {

    private static final int GRH_BYTES = 40;

    private final int maxSge;
    private final int leastBytes;
    private final boolean isShared;

    private ReceiveRequestChecks(int maxSge, int leastBytes, boolean isShared) {
        this.maxSge = maxSge;
        this.leastBytes = leastBytes;
        this.isShared = isShared;
    }

    /**
     * Makes checks for a queue pair.
     *
     * @param config what it was made with
     * @param granted its sizes
     * @return the checks
     */
    public static ReceiveRequestChecks of(QueuePairConfig config, QueuePairCapabilities granted) {
        int leastBytes = config.type() == QueuePairType.UD ? GRH_BYTES : 0;
        return new ReceiveRequestChecks(granted.maxReceiveSge(), leastBytes, config.sharedReceiveQueue() != null);
    }

    /**
     * Makes checks for a shared receive queue.
     *
     * @param maxSge scatter/gather entries granted for each receive
     * @return the checks
     */
    public static ReceiveRequestChecks ofSharedQueue(int maxSge) {
        return new ReceiveRequestChecks(maxSge, 0, false);
    }

    /**
     * Checks a postlist. {@link ReceiveRequests#badIndex()} is the wrong one afterwards when there is one.
     *
     * @param requests the array that holds the list
     * @param first index of its first receive
     * @param state the queue pair's state as far as it is known, null when the queue is closed
     * @throws RdmaWorkRequestException for the first receive that cannot work
     */
    public void check(ReceiveRequests requests, int first, @Nullable QueuePairState state) {
        if (state == null || state == QueuePairState.RESET || isShared) {
            throw fault(requests, first, notReady(state));
        }
        if (first < 0 || first >= requests.capacity()) {
            throw fault(requests, first, SendFaults.outside(first, requests.capacity()));
        }
        int left = requests.capacity();
        for (int index = first; index >= 0; index = requests.next(index)) {
            if (left-- == 0) {
                throw fault(requests, index, SendFaults.loop(first, requests.capacity()));
            }
            checkOne(requests, index);
        }
    }

    private void checkOne(ReceiveRequests requests, int index) {
        int count = requests.numSge(index);
        if (count < 0 || count > requests.maxSge() || count > maxSge) {
            throw fault(
                    requests,
                    index,
                    "Receive " + index + " has " + count + " scatter/gather entries: 0 to "
                            + Math.min(requests.maxSge(), maxSge) + " are possible, the smaller of the "
                            + requests.maxSge() + " of its array and the " + maxSge + " granted to the queue");
        }
        long bytes = leastBytes > 0 ? requests.totalLength(index) : 0;
        // One without any room takes no datagram and is not meant to: it marks a place in the queue.
        if (bytes > 0 && bytes < leastBytes) {
            throw fault(
                    requests,
                    index,
                    "Receive " + index + " has " + bytes + " bytes: a datagram's needs " + GRH_BYTES
                            + " for the route header and room for the message behind it");
        }
    }

    private String notReady(@Nullable QueuePairState state) {
        if (state == null) {
            return "The queue is closed: nothing can be received through it";
        }
        return isShared
                ? "The queue pair takes its receives from a shared receive queue: post them there"
                : "The queue pair is in state RESET: receives can be posted from INIT on. Modify it to INIT first";
    }

    private static RdmaWorkRequestException fault(ReceiveRequests requests, int index, String what) {
        requests.badIndex(index);
        return new RdmaWorkRequestException(index, what);
    }
}
