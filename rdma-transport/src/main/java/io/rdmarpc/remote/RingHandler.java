package io.rdmarpc.remote;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Consumes the records of a {@link RingReceiver}. */
public interface RingHandler {

    /**
     * The next record, in order. Runs on the thread that all notices share: it must be short. What it throws ends the ring.
     *
     * @param record read-only, valid until this returns; a producer that breaks the rules can change it meanwhile
     */
    void onRecord(MemorySegment record);

    /**
     * There will be no more records. Runs on another thread, unless a producer has broken the rules or {@link #onRecord} has
     * thrown.
     *
     * @param failure null when the ring was closed or its lease is over; else what was wrong, with what was thrown as its cause
     */
    void onEnd(@Nullable RdmaRemoteMemoryException failure);
}
