package io.rdmarpc.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Datagrams of one UD queue pair without work requests, where a provider can copy them into and out of memory that both ends
 * share: nothing is posted, nothing completes. What cannot go or come this way goes and comes the usual one, so that whoever uses lanes still posts
 * receives and polls; a datagram may overtake others that go the other way.
 *
 * <pre>
 *   send ---- copied ----&gt; shared memory ---- copied ----&gt; room of the receiver -&gt; onDatagram
 *     \-- false: to be posted                  \-- no room: into a posted receive, and a completion
 * </pre>
 *
 * <p>One thread at a time, also beside the closing of the queue pair; what other threads do with the queue pair and its completion
 * queues does not matter. Which peers are reached so, and from when on, is the provider's business.
 */
public interface DatagramLanes {

    /** Takes datagrams. */
    interface Receiver {

        /**
         * Returns the memory that datagrams are put into.
         *
         * @return outside of the heap, the same one each time
         */
        MemorySegment memory();

        /**
         * Returns where the next datagram is to be put.
         *
         * @param bytes its length
         * @return offset of room for it in {@link #memory}, or -1 when there is none: then it takes a posted receive
         */
        long room(int bytes);

        /**
         * Takes the datagram that was put into the {@link #room}. Must not use the lanes.
         *
         * @param bytes its length
         * @param sourceQpn the sending queue pair
         * @param gidHigh the first 8 bytes of the GID it came from, big-endian
         * @param gidLow the last 8 bytes
         */
        void onDatagram(int bytes, int sourceQpn, long gidHigh, long gidLow);
    }

    /**
     * Sends a datagram, of which nothing is needed any more afterwards. The peer may learn of it only at {@link #flush}.
     *
     * @param addressHandle the way to the peer
     * @param remoteQpn its queue pair
     * @param remoteQkey its key; with the top bit set the own one
     * @param address first byte, in registered memory
     * @param length bytes, at most the path MTU
     * @param lkey key of that memory
     * @return false when nothing was done: it is to be posted
     */
    boolean send(long addressHandle, int remoteQpn, int remoteQkey, long address, int length, int lkey);

    /** Wakes peers that sleep and were sent something. */
    void flush();

    /**
     * Takes datagrams. A {@linkplain CompletionQueue#requestNotification notification} that was asked for tells of these too,
     * though there is no completion then.
     *
     * @param receiver takes each
     * @param max how many at most
     * @return how many there were, those included that took a posted receive
     */
    int poll(Receiver receiver, int max);

    /**
     * Tells how many lanes lead to here.
     *
     * @return how many {@link #poll} looks into, 0 while nobody sends to here this way
     */
    int inbound();
}
