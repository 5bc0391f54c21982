package io.rdmarpc.rpc.stats;

import java.util.Map;
import java.util.TreeMap;

/**
 * Counters of an engine since its creation. They are read while the engine runs. Each value is exact, but the values
 * may be from different moments.
 *
 * @param packetsSent datagrams posted
 * @param packetsReceived datagrams received
 * @param bytesSent payload and header bytes of datagrams sent
 * @param bytesReceived payload and header bytes of datagrams received
 * @param readBytes bytes fetched by RDMA READ
 * @param reads RDMA READs completed, and large messages read in place
 * @param callsStarted calls that this process sent
 * @param callsCompleted calls with a response of any status
 * @param callsFailed calls that ended without a response
 * @param requestsReceived calls received for the first time
 * @param retransmissions requests that were retransmitted
 * @param duplicates requests that were received again
 * @param drops packets dropped, by reason
 * @param clientSessions open sessions to servers
 * @param serverSessions open sessions of clients
 * @param loopIterations duty cycles of the event loop
 */
public record EngineStatistics(
        long packetsSent,
        long packetsReceived,
        long bytesSent,
        long bytesReceived,
        long readBytes,
        long reads,
        long callsStarted,
        long callsCompleted,
        long callsFailed,
        long requestsReceived,
        long retransmissions,
        long duplicates,
        Map<String, Long> drops,
        int clientSessions,
        int serverSessions,
        long loopIterations) {

    /**
     * Adds the counters of another engine.
     *
     * @param other the other engine's counters
     * @return the sums
     */
    public EngineStatistics plus(EngineStatistics other) {
        Map<String, Long> allDrops = new TreeMap<>(drops);
        other.drops.forEach((reason, count) -> allDrops.merge(reason, count, Long::sum));
        return new EngineStatistics(
                packetsSent + other.packetsSent,
                packetsReceived + other.packetsReceived,
                bytesSent + other.bytesSent,
                bytesReceived + other.bytesReceived,
                readBytes + other.readBytes,
                reads + other.reads,
                callsStarted + other.callsStarted,
                callsCompleted + other.callsCompleted,
                callsFailed + other.callsFailed,
                requestsReceived + other.requestsReceived,
                retransmissions + other.retransmissions,
                duplicates + other.duplicates,
                allDrops,
                clientSessions + other.clientSessions,
                serverSessions + other.serverSessions,
                loopIterations + other.loopIterations);
    }
}
