package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.nio.channels.SelectableChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What carries a software RNIC's packets. It may lose, repeat and reorder them; it never blocks, starts no thread and
 * throws nothing once it is open. One thread at a time.
 */
public interface PacketLink extends AutoCloseable {

    /**
     * Resolves a way to a peer. Takes long: it is for the set-up of address handles and connections.
     *
     * @param localIndex which own address packets come from
     * @param destination the peer's address
     * @param port the peer's UDP port
     * @param trafficClass goes into the IP header
     * @param flow packets of one flow keep their order; different flows may take different ways through the network
     * @return what to give to {@link #send}
     */
    default LinkAddress resolve(int localIndex, Gid destination, int port, int trafficClass, int flow) {
        return LinkAddress.of(destination, port, port());
    }

    /**
     * Gives a way back: nobody sends there with it any more. Its owner, once.
     *
     * @param address what {@link #resolve} returned
     */
    default void release(LinkAddress address) {}

    /** Makes ready what {@link #resolve} or a first packet may need and takes long to make. Any thread, without any lock. */
    default void prepare() {}

    /**
     * Returns a buffer that the next packet is best written into: {@link #send} then need not copy it. Who sends other
     * packets in between gets no such buffer.
     *
     * @return a buffer with room for the largest packet, or null when any will do
     */
    default @Nullable PacketBuffer nextPacket() {
        return null;
    }

    /**
     * Returns room where a packet is best written that goes to a destination: nothing need be copied then, and its ICRC says
     * nothing. It is to be used at once, before anything else is sent.
     *
     * @param localIndex which own address it comes from
     * @param destination where to
     * @param length of the packet with its ICRC
     * @return room for so many bytes, or null: then the packet is to be given to {@link #send}
     */
    default @Nullable PacketRoom room(int localIndex, LinkAddress destination, int length) {
        return null;
    }

    /**
     * Sends a packet, at {@link #flush} at the latest.
     *
     * @param localIndex which own address it comes from
     * @param destination where to
     * @param packet complete with ICRC; the link keeps no reference to it
     * @return false when the link cannot take it now: try again later. True when it was taken, which does not mean that it
     *     arrives
     */
    boolean send(int localIndex, LinkAddress destination, PacketBuffer packet);

    /** Sends what {@link #send} has gathered. What the link cannot take now stays gathered. */
    default void flush() {}

    /**
     * Tells whether packets to a destination cannot be changed or cut on their way, so that nobody looks at their ICRC.
     * Holds for a {@link #send} that follows at once.
     *
     * @param destination where to
     * @return true when the ICRC may be left out; its four bytes are sent all the same
     */
    default boolean isIntact(LinkAddress destination) {
        return false;
    }

    /**
     * Hands received packets over.
     *
     * @param max how many about at most: what arrived as one is handed over as a whole
     * @param handler takes each
     * @return how many there were
     */
    int poll(int max, LinkPacketHandler handler);

    /**
     * Returns the UDP port of all own addresses.
     *
     * @return the port that packets arrive at, part of every ICRC
     */
    int port();

    /**
     * Tells how much may be on its way to here without being lost for lack of buffers.
     *
     * @return payload bytes
     */
    int receiveWindowBytes();

    /**
     * Makes a shared-memory path: a ring for datagrams from one queue pair to another one on this host, and for nothing else. Each end
     * has one user, so that neither takes a lock.
     *
     * @param localIndex which own address packets come from
     * @param destination where to
     * @param queuePair the receiver's number
     * @return the sending end, to be closed by the caller, or null when there can be none now
     */
    default @Nullable ShmPathWriter openPath(int localIndex, LinkAddress destination, int queuePair) {
        return null;
    }

    /**
     * Sets the listener that is given the paths that peers make. Once, before anything is received.
     *
     * @return false when this link makes none
     */
    default boolean acceptPaths(ShmPathListener taker) {
        return false;
    }

    /** Returns the memory that peers can read from each other without this link, or null when there is none. */
    default @Nullable PeerMemory peerMemory() {
        return null;
    }

    /** Says who is told when a fault script wants the own device to fail. */
    default void tellEvents(ScriptedEvents listener) {}

    /** Descriptors that become readable when {@link #poll} may find something. */
    default int[] descriptors() {
        return new int[0];
    }

    /**
     * Descriptors of bells that peers ring when {@link #poll} will find something. Each ring ends a sleep, after which it is taken by
     * {@link io.rdmarpc.verbs.soft.ffi.Bell#silence}.
     */
    default int[] bells() {
        return new int[0];
    }

    /** Channels that become readable then, of a link that has no descriptors to tell. */
    default List<SelectableChannel> channels() {
        return List.of();
    }

    /**
     * The owner is about to sleep: peers that share memory ring from now on.
     *
     * @return false when something has come already, or waits to be sent: do not sleep
     */
    default boolean prepareSleep() {
        return true;
    }

    /** Returns how long the owner may sleep before it polls again though nothing has come. */
    default long longestSleepNanos() {
        return Long.MAX_VALUE;
    }

    /** The owner is awake. */
    default void endSleep() {}

    /** Closes the link. A second call does nothing. */
    @Override
    void close();
}
