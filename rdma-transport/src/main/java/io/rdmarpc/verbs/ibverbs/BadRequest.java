package io.rdmarpc.verbs.ibverbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The memory into which a provider writes the address of the first work request that it did not accept. Each queue has
 * one, so that posting allocates nothing. If several threads fail to post to one queue at the same time, some may
 * report the index of their first request.
 */
final class BadRequest {

    /** An automatic arena, because a queue pair may become unreachable without being closed. */
    private final MemorySegment memory = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);

    private final long slot = memory.address();

    /** Returns the address for the provider. */
    long slot() {
        return slot;
    }

    /**
     * Returns the index of the request in its array, or the first one if the provider did not write an address inside
     * the array.
     */
    int index(long array, int requestBytes, int capacity, int first) {
        long distance = memory.get(ValueLayout.JAVA_LONG, 0) - array;
        memory.set(ValueLayout.JAVA_LONG, 0, 0L);
        boolean inside = distance >= 0 && distance < (long) capacity * requestBytes;
        return inside ? (int) (distance / requestBytes) : first;
    }
}
