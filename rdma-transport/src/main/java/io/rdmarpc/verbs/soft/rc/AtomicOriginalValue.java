package io.rdmarpc.verbs.soft.rc;

import io.rdmarpc.verbs.soft.domain.DomainContext;
import io.rdmarpc.verbs.soft.qp.SendWqe;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The original value that an atomic operation returns, on its way into memory in this host's byte order. */
final class AtomicOriginalValue {

    private final ByteBuffer bytes = ByteBuffer.allocateDirect(Long.BYTES).order(ByteOrder.nativeOrder());
    private final MemorySegment memory = MemorySegment.ofBuffer(bytes);

    /** Stores it where the request wants it; false when a key, range or right does not allow it. */
    boolean scatter(SendWqe wqe, DomainContext domain, long value) {
        bytes.putLong(0, value);
        return wqe.scatter(domain, 0, Long.BYTES, memory, 0);
    }
}
