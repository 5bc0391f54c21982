package io.rdmarpc.verbs.soft.link;

/** The sending end of a shared-memory path, see {@link PacketLink#openPath}. One thread at a time, without any lock unless that is said. */
public interface ShmPathWriter extends AutoCloseable {

    /**
     * Finds room for a packet.
     *
     * @param length of the packet with the room of its ICRC, which means nothing
     * @return where to write it, or 0 when the path is full
     */
    long claim(int length);

    /** Makes the packet that was written into the room visible to the reader. */
    void commit();

    /** Tells whether anybody will read what is written, as far as the last {@link #mustWake} has seen. */
    boolean isUsable();

    /** Looks at the reader: whether it waits to be woken for what was written; then {@link #wake} does. A full fence comes first. */
    boolean mustWake();

    /** What was sent is on its way: prepares the path for the next packet, which then is seen sooner. */
    void fetchNext();

    /** Wakes the reader. Under the lock. */
    void wake();

    /** Ends the use of the path. Under the lock. */
    @Override
    void close();
}
