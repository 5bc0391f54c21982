package io.rdmarpc.transport;

import java.util.ArrayDeque;

/**
 * The READs of one control connection's sessions that wait at an engine. Queues take turns, and each has at most its {@linkplain
 * FairPart fair part} of the NIC's READs in flight: a peer that serves READs slowly holds up its own ones. Made by {@link
 * RcTransport#newQueue}; engine thread only.
 */
public final class ReadQueue {

    final FairPart inFlight;
    final ArrayDeque<ReadOperation> waiting = new ArrayDeque<>();
    /** Whether the transport has it in its round. */
    boolean isQueued;

    ReadQueue(FairPart inFlight) {
        this.inFlight = inFlight;
    }
}
