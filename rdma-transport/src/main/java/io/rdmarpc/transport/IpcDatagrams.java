package io.rdmarpc.transport;

import io.rdmarpc.verbs.ipc.ShmDatagramChannel;
import org.jspecify.annotations.Nullable;

/**
 * Datagrams of a {@link UdTransport} through memory that it shares with peers of this host. For a queue pair without such a channel, as those of
 * hardware, it sends nothing and finds nothing. Engine thread only.
 */
final class IpcDatagrams {

    /** Packets that readers can hold before further ones take posted receives. */
    private static final int SPARE_RECEIVES = 64;

    /** Looks into one path that take about as long as the rest of an idle duty cycle. */
    private static final int LOOKS = 8;

    private final @Nullable ShmDatagramChannel channel;
    private final ShmArrivals arrivals;
    private final int batch;

    /**
     * Makes the datagrams of one transport.
     *
     * @param channel the queue pair's, or null
     * @param ring where received packets go
     * @param batch packets that one {@link #poll} takes at most
     */
    IpcDatagrams(@Nullable ShmDatagramChannel channel, ReceiveRing ring, int batch) {
        this.channel = channel;
        this.arrivals = new ShmArrivals(ring, batch);
        this.batch = batch;
    }

    /** Returns how many entries a receive ring needs that are never posted. */
    static int spareReceives(@Nullable ShmDatagramChannel channel) {
        return channel == null ? 0 : SPARE_RECEIVES;
    }

    /** Sends a datagram at once; false when it is to be posted. */
    boolean send(long addressHandle, UdEndpoint peer, long address, int length, int lkey) {
        ShmDatagramChannel used = channel;
        return used != null && used.send(addressHandle, peer.qpn(), peer.qkey(), address, length, lkey);
    }

    /** Wakes peers that sleep and were sent something. */
    void flush() {
        if (channel != null) {
            channel.flush();
        }
    }

    /** Tells whether a peer sends to here so. */
    boolean isInUse() {
        return channel != null && channel.inbound() > 0;
    }

    /** Returns how often a further {@link #poll} is worth its time; 0 where so many paths lead to here that one look takes long. */
    int furtherLooks() {
        int inbound = channel == null ? 0 : channel.inbound();
        return inbound == 0 ? 0 : LOOKS / inbound;
    }

    /** Puts packets that have come into {@link #arrivals}; returns how many it found, those included that took posted receives. */
    int poll() {
        return channel == null ? 0 : channel.poll(arrivals, batch);
    }

    ShmArrivals arrivals() {
        return arrivals;
    }
}
