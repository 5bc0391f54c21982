package io.rdmarpc.transport;

import io.rdmarpc.verbs.ipc.ShmDatagramChannel;
import org.jspecify.annotations.Nullable;

/**
 * Datagrams of a {@link UdTransport} through memory that is shared with peers of this host. If the queue pair has no
 * such channel, as with hardware, this class sends and receives nothing. Engine thread only.
 */
final class IpcDatagrams {

    /** Number of packets that readers can hold before further packets use posted receives. */
    private static final int SPARE_RECEIVES = 64;

    /** Number of polls of one path that take about as long as the other steps of an idle duty cycle. */
    private static final int MAX_FURTHER_POLLS = 8;

    private final @Nullable ShmDatagramChannel channel;
    private final ShmArrivals arrivals;
    private final int batch;

    /**
     * Creates the datagrams of one transport.
     *
     * @param channel the queue pair's channel, or null
     * @param ring the ring that receives the packets
     * @param batch maximum number of packets of one {@link #poll}
     */
    IpcDatagrams(@Nullable ShmDatagramChannel channel, ReceiveRing ring, int batch) {
        this.channel = channel;
        this.arrivals = new ShmArrivals(ring, batch);
        this.batch = batch;
    }

    /** Returns how many ring entries are needed in addition to the posted ones. */
    static int spareReceives(@Nullable ShmDatagramChannel channel) {
        return channel == null ? 0 : SPARE_RECEIVES;
    }

    /** Sends a datagram at once. Returns false if the caller has to post it to the queue pair. */
    boolean send(long addressHandle, UdEndpoint peer, long address, int length, int lkey) {
        ShmDatagramChannel used = channel;
        return used != null && used.send(addressHandle, peer.qpn(), peer.qkey(), address, length, lkey);
    }

    /** Wakes sleeping peers for which datagrams were sent. */
    void flush() {
        if (channel != null) {
            channel.flush();
        }
    }

    /** Returns whether a peer sends to this process through shared memory. */
    boolean isInUse() {
        return channel != null && channel.inbound() > 0;
    }

    /**
     * Returns how many further calls of {@link #poll} are worthwhile; 0 if so many paths lead to this process that one
     * poll takes long.
     */
    int furtherPolls() {
        int inbound = channel == null ? 0 : channel.inbound();
        return inbound == 0 ? 0 : MAX_FURTHER_POLLS / inbound;
    }

    /**
     * Moves received packets into {@link #arrivals}. Returns how many it found, including packets that used posted
     * receives.
     */
    int poll() {
        return channel == null ? 0 : channel.poll(arrivals, batch);
    }

    ShmArrivals arrivals() {
        return arrivals;
    }
}
