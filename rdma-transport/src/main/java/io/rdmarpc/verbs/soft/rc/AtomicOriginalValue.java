package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.domain.DomainContext;
import io.rdmarpc.verbs.soft.qp.SendWqe;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** Stores the original value that an atomic operation returns, in this host's byte order. */
final class AtomicOriginalValue {

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
    private final MemorySegment memory = MemorySegment.ofBuffer(bytes);

    /** Stores a value in the memory of the request; false if a key, range or right does not allow it. */
    boolean scatter(SendWqe wqe, DomainContext domain, long value) {
        bytes.putLong(0, value);
        return wqe.scatter(domain, 0, Long.BYTES, memory, 0);
    }
}
