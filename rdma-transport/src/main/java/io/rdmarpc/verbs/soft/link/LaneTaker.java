package io.rdmarpc.verbs.soft.link;

/** Knows who reads which lane. Everything is under the lock. */
public interface LaneTaker {

    /**
     * Takes a lane over.
     *
     * @param queuePair whom it leads to
     * @return false when nobody of that number reads lanes: what comes there is handed over with all else then
     */
    boolean take(int queuePair, LaneReader lane);

    /** A lane's sender is dead or writes nonsense: whoever reads it is to close it. */
    void lose(LaneReader lane);

    /** Tells whether somebody wants to be told of a packet that is in a lane. */
    boolean isAwaited();
}
