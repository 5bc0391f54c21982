package io.rdmarpc.verbs.ipc;

import java.lang.foreign.MemorySegment;

/**
 * Datagrams of one UD queue pair through memory that both ends share, without work requests and completions. If the
 * channel cannot send or deliver a datagram, the queue pair transfers it. A user of the channel therefore also posts
 * receives and polls the completion queue. Datagrams on the two paths may overtake each other.
 *
 * <pre>
 *   send ---- copied ----&gt; shared memory ---- copied ----&gt; room of the receiver -&gt; onDatagram
 *     \-- false: post it                      \-- no room: into a posted receive, with a completion
 * </pre>
 *
 * <p>One thread at a time may use the channel, even while another thread closes the queue pair. Other threads may use
 * the queue pair and its completion queues meanwhile. The provider selects the peers that use the channel, and the time
 * from which they use it.
 */
public interface ShmDatagramChannel {

    /** Receives datagrams. */
    interface Receiver {

        /**
         * Returns the memory into which datagrams are copied.
         *
         * @return native memory, the same each time
         */
        MemorySegment memory();

        /**
         * Returns the offset for the next datagram.
         *
         * @param bytes the length of the datagram
         * @return an offset in {@link #memory} with room for it. If there is none, -1: the datagram then consumes a
         *     posted receive
         */
        long room(int bytes);

        /**
         * Handles the datagram at the offset of {@link #room}. Must not use the channel.
         *
         * @param bytes the length of the datagram
         * @param sourceQpn the sending queue pair
         * @param gidHigh the first 8 bytes of the source GID, big-endian
         * @param gidLow the last 8 bytes of the source GID
         */
        void onDatagram(int bytes, int sourceQpn, long gidHigh, long gidLow);
    }

    /**
     * Sends a datagram. Its memory may change as soon as this method returns. The peer may be notified only at
     * {@link #flush}.
     *
     * @param addressHandle the address handle of the peer
     * @param remoteQpn the peer's queue pair
     * @param remoteQkey the peer's QKEY; with the top bit set, this queue pair's QKEY is sent
     * @param address first byte, in registered memory
     * @param length the length in bytes, at most the path MTU
     * @param lkey the key of that memory
     * @return false if nothing was sent: post the datagram to the queue pair
     */
    boolean send(long addressHandle, int remoteQpn, int remoteQkey, long address, int length, int lkey);

    /** Wakes sleeping peers to which datagrams were sent. */
    void flush();

    /**
     * Receives datagrams. A requested {@linkplain io.rdmarpc.verbs.CompletionQueue#requestNotification notification}
     * reports these datagrams too, although they have no completion.
     *
     * @param receiver receives each datagram
     * @param max maximum number of datagrams
     * @return the number of datagrams, including those that consumed a posted receive
     */
    int poll(Receiver receiver, int max);

    /**
     * Returns the number of inbound shared-memory paths.
     *
     * @return the number of paths that {@link #poll} reads; 0 if no peer sends to this queue pair through shared memory
     */
    int inbound();
}
