package io.rdmarpc.verbs.check;

import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import org.jspecify.annotations.Nullable;

/**
 * Checks a list of receives before it is posted, like {@link SendRequestChecks}. Providers call it for every checked
 * queue pair and every shared receive queue.
 */
public final class ReceiveRequestChecks {

    private static final int GRH_BYTES = 40;

    private final int maxSge;
    private final int minBytes;
    private final boolean isShared;

    private ReceiveRequestChecks(int maxSge, int minBytes, boolean isShared) {
        this.maxSge = maxSge;
        this.minBytes = minBytes;
        this.isShared = isShared;
    }

    /**
     * Creates checks for a queue pair.
     *
     * @param config the parameters with which the queue pair was created
     * @param granted the granted sizes
     * @return the checks
     */
    public static ReceiveRequestChecks of(QueuePairConfig config, QueuePairCapabilities granted) {
        int minBytes = config.type() == QueuePairType.UD ? GRH_BYTES : 0;
        return new ReceiveRequestChecks(granted.maxReceiveSge(), minBytes, config.sharedReceiveQueue() != null);
    }

    /**
     * Creates checks for a shared receive queue.
     *
     * @param maxSge scatter/gather entries granted for each receive
     * @return the checks
     */
    public static ReceiveRequestChecks ofSharedQueue(int maxSge) {
        return new ReceiveRequestChecks(maxSge, 0, false);
    }

    /**
     * Checks a list. If a receive is invalid, {@link ReceiveRequests#badIndex()} returns its index afterwards.
     *
     * @param requests the array that holds the list
     * @param first index of the first receive
     * @param state the last known state of the queue pair, null if the queue is closed
     * @throws RdmaWorkRequestException for the first invalid receive
     */
    public void check(ReceiveRequests requests, int first, @Nullable QueuePairState state) {
        if (state == null || state == QueuePairState.RESET || isShared) {
            throw fault(requests, first, notReady(state));
        }
        if (first < 0 || first >= requests.capacity()) {
            throw fault(requests, first, SendFaults.outside(first, requests.capacity()));
        }
        int remaining = requests.capacity();
        for (int index = first; index >= 0; index = requests.next(index)) {
            if (remaining-- == 0) {
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
                            + Math.min(requests.maxSge(), maxSge) + " are possible. The limit is the smaller of the "
                            + requests.maxSge() + " of the array and the " + maxSge + " granted to the queue");
        }
        long bytes = minBytes > 0 ? requests.totalLength(index) : 0;
        // A receive of 0 bytes is allowed: it accepts no datagram and only occupies a queue entry.
        if (bytes > 0 && bytes < minBytes) {
            throw fault(
                    requests,
                    index,
                    "Receive " + index + " has " + bytes + " bytes: a datagram's needs " + GRH_BYTES
                            + " for the global route header, plus the size of the message");
        }
    }

    private String notReady(@Nullable QueuePairState state) {
        if (state == null) {
            return "The queue is closed: create a queue before posting receives";
        }
        return isShared
                ? "The queue pair uses a shared receive queue: post receives to that queue"
                : "The queue pair is in state RESET and accepts receives from INIT on: modify it to INIT first";
    }

    private static RdmaWorkRequestException fault(ReceiveRequests requests, int index, String what) {
        requests.badIndex(index);
        return new RdmaWorkRequestException(index, what);
    }
}
