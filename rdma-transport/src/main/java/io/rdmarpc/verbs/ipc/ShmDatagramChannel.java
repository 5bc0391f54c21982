package io.rdmarpc.verbs.ipc;

import java.lang.foreign.MemorySegment;

/**
 * Datagrams of one UD queue pair through memory that both ends share: no work requests, no completions. A datagram that the channel cannot send
 * or deliver goes through the queue pair instead. So a user of the channel still posts receives and polls. A datagram may overtake others that
 * go the other way.
 *
 * <pre>
 *   send ---- copied ----&gt; shared memory ---- copied ----&gt; room of the receiver -&gt; onDatagram
 *     \-- false: to be posted                  \-- no room: into a posted receive, and a completion
 * </pre>
 *
 * <p>One thread at a time, also while another thread closes the queue pair. Other threads may use the queue pair and its completion queues
 * meanwhile. The provider decides which peers are reached so, and from when on.
 */
public interface ShmDatagramChannel {

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
         * Takes the datagram that was put into the {@link #room}. Must not use the channel.
         *
         * @param bytes its length
         * @param sourceQpn the sending queue pair
         * @param gidHigh the first 8 bytes of the GID it came from, big-endian
         * @param gidLow the last 8 bytes
         */
        void onDatagram(int bytes, int sourceQpn, long gidHigh, long gidLow);
    }

    /**
     * Sends a datagram. Its memory may change as soon as this returns. The peer may learn of it only at {@link #flush}.
     *
     * @param addressHandle the address handle of the peer
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
     * Takes datagrams. A {@linkplain io.rdmarpc.verbs.CompletionQueue#requestNotification notification} that was asked for reports these too,
     * though there is no completion then.
     *
     * @param receiver takes each
     * @param max how many at most
     * @return how many there were, those included that took a posted receive
     */
    int poll(Receiver receiver, int max);

    /**
     * Returns how many paths lead to here.
     *
     * @return how many {@link #poll} looks into, 0 while no peer sends to here through shared memory
     */
    int inbound();
}
