package io.rdmarpc.demo.live.side;

/**
 * The client's engine and device as the page shows them. Counters count since the device was opened.
 *
 * @param provider verbs provider
 * @param device name of the device
 * @param reason selected device and the reason for the selection
 * @param gid address of the device
 * @param link medium that carries the packets
 * @param pathMtuBytes maximum payload of a packet in bytes
 * @param window maximum number of calls in flight per session
 * @param sessions number of open sessions
 * @param inFlight number of calls without a response, including calls in the backlog
 * @param backlog number of calls that wait for the window now
 * @param windowStalls number of calls that waited for the window
 * @param creditStalls number of calls that waited for a receive buffer at either end
 * @param retransmissions number of retransmitted requests
 * @param drops number of dropped packets
 * @param packetsSent number of sent datagrams
 * @param packetsReceived number of received datagrams
 * @param bytesSent bytes sent in datagrams
 * @param bytesReceived bytes received in datagrams
 * @param reads number of RDMA READs
 * @param readBytes bytes fetched by RDMA READs
 * @param registeredBytes bytes of registered memory
 * @param busyShare share of the polling thread's duty cycles that did work
 */
public record RdmaView(
        String provider,
        String device,
        String reason,
        String gid,
        String link,
        int pathMtuBytes,
        int window,
        int sessions,
        long inFlight,
        long backlog,
        long windowStalls,
        long creditStalls,
        long retransmissions,
        long drops,
        long packetsSent,
        long packetsReceived,
        long bytesSent,
        long bytesReceived,
        long reads,
        long readBytes,
        long registeredBytes,
        double busyShare) {

    /** Returns whether the device is the software RNIC. */
    public boolean isSoftware() {
        return provider.equals(RdmaSide.SOFTWARE_RNIC);
    }
}
