package io.rdmarpc.verbs.ibverbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The place where a provider writes the address of the first work request it did not take. One for each queue, so that
 * posting allocates nothing; when several threads fail to post to one queue at the same time, {@code badIndex} of some
 * may be that of their first request.
 */
final class BadRequest {

    /** An automatic arena: the queue pair may be forgotten without being closed. */
    private final MemorySegment memory = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);

    private final long slot = memory.address();

    /** The address for the provider. */
    long slot() {
        return slot;
    }

    /** Finds the request in its array; the first one when the provider wrote nothing that lies there. */
    int index(long array, int requestBytes, int capacity, int first) {
        long distance = memory.get(ValueLayout.JAVA_LONG, 0) - array;
        memory.set(ValueLayout.JAVA_LONG, 0, 0L);
        boolean inside = distance >= 0 && distance < (long) capacity * requestBytes;
        return inside ? (int) (distance / requestBytes) : first;
    }
}
