package io.rdmarpc.verbs.soft.link;

/**
 * The receiving end of a shared-memory path, see {@link PacketLink#openPath}. One thread at a time, without a lock
 * unless stated otherwise.
 *
 * <pre>
 *   first -&gt; address, sourceHigh, ... -&gt; next -&gt; ... -&gt; finish
 * </pre>
 *
 * The caller pulls packets instead of passing a handler, because a smaller call depth lets C2 inline the reader.
 */
public interface ShmPathReader extends AutoCloseable {

    /**
     * Looks for a packet.
     *
     * @param max maximum number of packets until {@link #finish}, at least 1
     * @return the length of the packet, including an undefined ICRC; 0 if there is none, and always 0 after an invalid
     * record
     */
    int first(int max);

    /**
     * Ends the current packet and looks for the next one.
     *
     * @return as {@link #first}, and 0 after the maximum number of packets
     */
    int next();

    /** Ends a sequence of packets that {@link #first} began with a packet, and releases their room to the sender. */
    void finish();

    /** Returns the address of the current packet. Its sender can still change it, so no byte may be read twice. */
    long address();

    /** Returns the first 8 bytes of the source GID of the current packet, big-endian. */
    long sourceHigh();

    /** Returns the last 8 bytes of that GID, big-endian. */
    long sourceLow();

    /** Passes the current packet to a handler, which may read each byte repeatedly. */
    void handTo(LinkPacketHandler handler);

    /** Returns whether the path has a packet. Any thread, under the RNIC's lock. */
    boolean hasNext();

    /** Closes the path. Under the RNIC's lock, by the reading thread or while no thread reads. */
    @Override
    void close();
}
