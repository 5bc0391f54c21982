package io.rdmarpc.verbs.soft.link;

import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.nio.channels.SelectableChannel;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The transport of a software RNIC's packets. It may lose, duplicate and reorder them. It never blocks, starts no
 * thread and throws nothing once it is open. One thread at a time.
 */
public interface PacketLink extends AutoCloseable {

    /**
     * Resolves a route to a peer. This is slow and meant for the setup of address handles and connections.
     *
     * @param localIndex index of the local address of the packets
     * @param destination the peer's address
     * @param port the peer's UDP port
     * @param trafficClass traffic class for the IP header
     * @param flow flow label; packets of one flow stay in order, different flows may use different network paths
     * @return the destination for {@link #send}
     */
    default LinkAddress resolve(int localIndex, Gid destination, int port, int trafficClass, int flow) {
        return LinkAddress.of(destination, port, port());
    }

    /**
     * Releases a route, which is then no longer used to send. Called once by its owner.
     *
     * @param address the result of {@link #resolve}
     */
    default void release(LinkAddress address) {}

    /**
     * Prepares resources that {@link #resolve} or a first packet may need and that take long to create. Any thread,
     * without any lock.
     */
    default void prepare() {}

    /**
     * Returns the preferred buffer for the next packet, which {@link #send} then does not copy. A caller that sends
     * other packets in between must get a new buffer.
     *
     * @return a buffer with room for the largest packet, or null if the link has no preferred buffer
     */
    default @Nullable PacketBuffer nextPacket() {
        return null;
    }

    /**
     * Returns room for a packet to a destination, in which it needs no copy and no ICRC. The caller has to use it
     * immediately, before it sends anything else.
     *
     * @param localIndex index of the local address of the packet
     * @param destination the destination
     * @param length length of the packet with its ICRC
     * @return room for this length, or null if the packet has to be passed to {@link #send}
     */
    default @Nullable PacketRoom room(int localIndex, LinkAddress destination, int length) {
        return null;
    }

    /**
     * Sends a packet, or buffers it until {@link #flush}.
     *
     * @param localIndex index of the local address of the packet
     * @param destination the destination
     * @param packet the packet with its ICRC; the link keeps no reference to it
     * @return false if the link is full; the caller has to retry later. True if it was accepted, which does not mean
     * that it arrives
     */
    boolean send(int localIndex, LinkAddress destination, PacketBuffer packet);

    /** Sends the packets that {@link #send} has buffered. Packets for which there is no room stay buffered. */
    default void flush() {}

    /**
     * Returns whether packets to a destination cannot be corrupted or truncated, so that their ICRC is not checked. The
     * result is valid for an immediately following {@link #send}.
     *
     * @param destination the destination
     * @return true if the ICRC need not be computed; its four bytes are sent nevertheless
     */
    default boolean isIntact(LinkAddress destination) {
        return false;
    }

    /**
     * Passes received packets to a handler.
     *
     * @param max approximate maximum number of packets; packets that the kernel joined are passed together
     * @param handler handles each packet
     * @return the number of packets
     */
    int poll(int max, LinkPacketHandler handler);

    /**
     * Returns the UDP port of all local addresses.
     *
     * @return the port at which packets arrive, part of every ICRC
     */
    int port();

    /**
     * Returns how many bytes peers may send to this link before it reads, without loss for lack of buffers.
     *
     * @return payload bytes
     */
    int receiveWindowBytes();

    /**
     * Opens a shared-memory path: a ring exclusively for datagrams from one queue pair to another one on this host.
     * Each end has one user, so that neither needs a lock.
     *
     * @param localIndex index of the local address of the packets
     * @param destination the destination
     * @param queuePair number of the receiving queue pair
     * @return the sending end, owned by the caller, or null if none can be opened now
     */
    default @Nullable ShmPathWriter openPath(int localIndex, LinkAddress destination, int queuePair) {
        return null;
    }

    /**
     * Sets the listener of paths that peers open. Called once, before any packet is received.
     *
     * @return false if this link does not support paths
     */
    default boolean acceptPaths(ShmPathListener taker) {
        return false;
    }

    /** Returns the memory that is shared with peers, or null if there is none. */
    default @Nullable PeerMemory peerMemory() {
        return null;
    }

    /** Sets the listener of events from a fault script. */
    default void setEventListener(ScriptedEvents listener) {}

    /** Returns descriptors that become readable when {@link #poll} may find packets. */
    default int[] descriptors() {
        return new int[0];
    }

    /**
     * Returns the descriptors of bells that peers ring when {@link #poll} will find packets. Each ring ends a sleep and
     * is then read by {@link io.rdmarpc.verbs.soft.ffi.Bell#silence}.
     */
    default int[] bells() {
        return new int[0];
    }

    /** Returns channels that become readable when {@link #poll} may find packets, for a link without descriptors. */
    default List<SelectableChannel> channels() {
        return List.of();
    }

    /**
     * Prepares for a sleep of the owner, which is the thread that runs the RNIC. Peers that share memory ring from now
     * on.
     *
     * @return false if a packet has arrived or waits to be sent, so that the owner must not sleep
     */
    default boolean prepareSleep() {
        return true;
    }

    /** Returns the maximum time in nanoseconds that the owner may sleep before it polls again without any packet. */
    default long longestSleepNanos() {
        return Long.MAX_VALUE;
    }

    /** Ends the sleep: the owner is awake. */
    default void endSleep() {}

    /** Closes the link. A second call does nothing. */
    @Override
    void close();
}
