package io.rdmarpc.verbs.soft.link;

/** The receiving end of a lane, see {@link Link#openLane}. One thread at a time, without any lock unless that is said. */
public interface LaneReader extends AutoCloseable {

    /**
     * Hands packets over.
     *
     * @param max how many at most
     * @param handler takes each
     * @return how many there were; none any more when there was something that makes no sense
     */
    int poll(int max, PacketHandler handler);

    /** Tells whether a packet waits. Under the lock, by any thread. */
    boolean hasNext();

    /** Gives the lane up. Under the lock, by the thread that reads it or when none does any more. */
    @Override
    void close();
}
