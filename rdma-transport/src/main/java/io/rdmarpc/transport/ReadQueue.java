package io.rdmarpc.transport;

import java.util.ArrayDeque;

/**
 * The READs of one control connection's sessions that wait at an engine. Queues post in rotation, and each has at most
 * its {@linkplain FairPart fair part} of the NIC's READs in flight. A peer that serves READs slowly therefore delays
 * only its own READs. Created by {@link RcTransport#newQueue}; engine thread only.
 */
public final class ReadQueue {

    final FairPart inFlight;
    final ArrayDeque<ReadOperation> waiting = new ArrayDeque<>();
    /** Whether the transport's round contains this queue. */
    boolean isQueued;

    ReadQueue(FairPart inFlight) {
        this.inFlight = inFlight;
    }
}
