package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.nio.channels.SelectableChannel;
import java.util.List;

/**
 * One bound socket. An unconnected socket sends packets with identification 0 and DF, as the ICRC requires. Linux gives
 * each packet of a connected socket a different identification. So it is used only for peers that assume identification
 * 0 ({@link LinkAddress#acceptsAnyIdentification}).
 */
abstract class UdpSocket implements AutoCloseable {

    static final int LARGEST_BUFFER = 64 << 20;
    static final int SMALLEST_BUFFER = 64 << 10;

    /** The result of {@link #descriptor} if there is none. */
    static final int NO_DESCRIPTOR = -1;

    private int emptyPolls;

    abstract int port();

    abstract int receiveBufferBytes();

    abstract int descriptor();

    /** Adds the channel on which to sleep, if there is no descriptor. */
    void addChannelTo(List<SelectableChannel> channels) {}

    /** Sends or buffers a packet; false if there is no room for it now. */
    abstract boolean send(PacketBuffer packet, LinkAddress destination);

    /** Passes about {@code max} packets at most to a handler; returns their number. */
    abstract int receive(int localIndex, int max, LinkPacketHandler handler);

    /** Counts empty polls; returns the number of packets. */
    final int polled(int count) {
        emptyPolls = count > 0 ? 0 : emptyPolls + 1;
        return count;
    }

    /** Returns the number of empty polls in a row. */
    final int emptyPolls() {
        return emptyPolls;
    }

    @Override
    public abstract void close();
}
