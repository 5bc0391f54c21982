package io.rdmarpc.verbs.soft.link;

/**
 * The sending end of a shared-memory path, see {@link PacketLink#openPath}. One thread at a time, without a lock unless
 * stated otherwise.
 */
public interface ShmPathWriter extends AutoCloseable {

    /**
     * Claims room for a packet.
     *
     * @param length length of the packet, including the room for its ICRC, whose content is undefined
     * @return the address to which to write it, or 0 if the path is full
     */
    long claim(int length);

    /** Makes the packet in the claimed room visible to the reader. */
    void commit();

    /** Returns whether the path still had a reader at the last {@link #mustWake}. */
    boolean isUsable();

    /** Returns whether the reader has to be woken by {@link #wake}. The caller executes a full fence before. */
    boolean mustWake();

    /** Prefetches the room for the next packet, so that it becomes visible sooner. Called after packets were sent. */
    void fetchNext();

    /** Wakes the reader. Under the RNIC's lock. */
    void wake();

    /** Closes the path. Under the RNIC's lock. */
    @Override
    void close();
}
