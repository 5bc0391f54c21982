package io.rdmarpc.demo.live.side;

/**
 * The client's engine and device as the page shows them; counters since the device was opened.
 *
 * @param provider verbs provider
 * @param device its device
 * @param reason which device, and why that one
 * @param gid its address
 * @param link what carries the packets
 * @param pathMtuBytes payload bytes of a packet
 * @param window calls of a session in flight at a time
 * @param sessions open ones
 * @param inFlight calls without an answer, those in the backlog included
 * @param backlog calls that wait for the window now
 * @param windowStalls calls that have waited for the window
 * @param creditStalls calls that have waited for a receive
 * @param retransmissions requests sent again
 * @param drops packets dropped
 * @param packetsSent datagrams
 * @param packetsReceived datagrams
 * @param bytesSent in datagrams
 * @param bytesReceived in datagrams
 * @param reads RDMA READs
 * @param readBytes fetched by them
 * @param registeredBytes registered memory
 * @param busyShare share of the polling thread's turns in which there was something to do
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
        double busyShare) {}
