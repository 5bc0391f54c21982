package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.nio.channels.SelectableChannel;
import java.util.List;

/**
 * One bound socket. What leaves one that is not connected has identification 0 and DF, as the ICRC wants it. Linux numbers what
 * leaves a connected one, so that leads only to peers that take the identification for 0
 * ({@link LinkAddress#takesAnyIdentification}).
 */
abstract class UdpSocket implements AutoCloseable {

    static final int LARGEST_BUFFER = 64 << 20;
    static final int SMALLEST_BUFFER = 64 << 10;

    /** What {@link #descriptor} returns where there is none to sleep on. */
    static final int NO_DESCRIPTOR = -1;

    private int emptyPolls;

    abstract int port();

    abstract int receiveBufferBytes();

    abstract int descriptor();

    /** Adds the channel to sleep on where there is no descriptor. */
    void addChannelTo(List<SelectableChannel> channels) {}

    /** Takes a packet; false when there is no room for it now. */
    abstract boolean send(PacketBuffer packet, LinkAddress destination);

    /** Hands over about {@code max} packets at most. */
    abstract int receive(int localIndex, int max, LinkPacketHandler handler);

    /** Remembers how a poll ended. */
    final int polled(int count) {
        emptyPolls = count > 0 ? 0 : emptyPolls + 1;
        return count;
    }

    /** Returns how many polls in a row found nothing. */
    final int emptyPolls() {
        return emptyPolls;
    }

    @Override
    public abstract void close();
}
