package io.rdmarpc.verbs.soft.link;

/**
 * The receiving end of a shared-memory path, see {@link PacketLink#openPath}. One thread at a time, without any lock unless that is said.
 *
 * <pre>
 *   first -&gt; what there is to know of the packet -&gt; next -&gt; ... -&gt; finish
 * </pre>
 *
 * Packets are asked for, not handed over: how deep a reader is called decides whether C2 puts it into its caller.
 */
public interface ShmPathReader extends AutoCloseable {

    /**
     * Looks for a packet.
     *
     * @param max how many are taken at most until {@link #finish}, over 0
     * @return its bytes, up to the room of the ICRC, which means nothing; 0 when there is none, and none any more after something
     *     that makes no sense
     */
    int first(int max);

    /**
     * Looks for the packet behind the present one, which is over then.
     *
     * @return likewise, and 0 behind as many as were wanted
     */
    int next();

    /** Ends what {@link #first} began, if it has found a packet: the room of those that were read goes back to their sender. */
    void finish();

    /** Returns where the present packet begins. Its sender can still change it: no byte is to be looked at twice. */
    long address();

    /** Returns the first 8 bytes of the GID that the present packet came from, big-endian. */
    long sourceHigh();

    /** Returns the last 8 bytes. */
    long sourceLow();

    /** Hands the present packet over, of which the handler may look at each byte as often as it likes. */
    void handTo(LinkPacketHandler handler);

    /** Tells whether a packet waits. Under the lock, by any thread. */
    boolean hasNext();

    /** Gives the path up. Under the lock, by the thread that reads it or when none does any more. */
    @Override
    void close();
}
