package io.rdmarpc.remote;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Processes the records of a {@link RingReceiver}. */
public interface RingHandler {

    /**
     * Processes the next record, in order. Runs on the notification thread that all listeners share, so it must be
     * short. An exception ends the ring.
     *
     * @param record read-only, valid until this method returns; a misbehaving producer can change it meanwhile
     */
    void onRecord(MemorySegment record);

    /**
     * Reports the end of the ring; no records follow. Runs on the notification thread if a producer has violated the
     * protocol or {@link #onRecord} has thrown, otherwise on another thread.
     *
     * @param failure null if the ring was closed or its lease has ended; otherwise the failure, with the exception of
     *     {@link #onRecord} as its cause
     */
    void onEnd(@Nullable RdmaRemoteMemoryException failure);
}
