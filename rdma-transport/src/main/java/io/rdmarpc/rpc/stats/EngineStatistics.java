package io.rdmarpc.rpc.stats;

import java.util.Map;
import java.util.TreeMap;

/**
 * What an engine has counted since it was made. The numbers are read while the engine runs, each one right by itself.
 *
 * @param packetsSent datagrams posted
 * @param packetsReceived datagrams received
 * @param bytesSent payload and header bytes of datagrams sent
 * @param bytesReceived payload and header bytes of datagrams received
 * @param readBytes bytes fetched by RDMA READ
 * @param reads RDMA READs completed, and large messages seen in place
 * @param callsStarted calls this process sent
 * @param callsCompleted calls answered, whatever the status
 * @param callsFailed calls that ended without an answer
 * @param requestsReceived calls received for the first time
 * @param retransmissions requests sent again
 * @param duplicates requests received again
 * @param drops packets dropped, by reason
 * @param clientSessions open sessions to servers
 * @param serverSessions open sessions of clients
 * @param loopIterations turns of the polling loop
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
     * Adds the numbers of another engine.
     *
     * @param other the other engine's
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
