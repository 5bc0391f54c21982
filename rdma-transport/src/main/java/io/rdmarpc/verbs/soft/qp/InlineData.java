package io.rdmarpc.verbs.soft.qp;

import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.ffi.NativeAccess;
import io.rdmarpc.verbs.soft.domain.DomainContext;
import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import io.rdmarpc.verbs.soft.ffi.ProcessMemory;
import io.rdmarpc.verbs.wr.SendRequests;
import java.lang.foreign.MemorySegment;

/**
 * The bytes of an inline message, copied when it is posted. The application may change its memory as soon as the post
 * returns, and need not register it. Without native access only registered memory is readable, by its key.
 */
final class InlineData {

    private static final boolean REACHES_ALL_MEMORY = NativeAccess.isGranted();

    private final int capacity;
    private final MemorySegment bytes;

    InlineData(int capacity) {
        this.capacity = capacity;
        this.bytes = MemorySegment.ofArray(new byte[capacity]);
    }

    /** Returns the maximum length of a message in bytes. */
    int capacity() {
        return capacity;
    }

    /** Copies a message that fits the capacity; returns an error number or 0. */
    int load(DomainContext domain, SendRequests requests, int index) {
        int at = 0;
        for (int i = 0; i < requests.numSge(index); i++) {
            int part = requests.sgeLength(index, i);
            if (part > 0 && !copy(domain, requests.sgeLkey(index, i), requests.sgeAddress(index, i), part, at)) {
                return Errno.EINVAL;
            }
            at += part;
        }
        return 0;
    }

    private boolean copy(DomainContext domain, int lkey, long address, int part, int at) {
        SoftMemoryRegion region = domain.local(lkey, address, part, 0);
        if (region != null) {
            return region.copyOut(address, part, bytes, at);
        }
        if (REACHES_ALL_MEMORY) {
            ProcessMemory.copy(address, bytes, at, part);
        }
        return REACHES_ALL_MEMORY;
    }

    void copyOut(int offset, int part, MemorySegment into, long at) {
        MemorySegment.copy(bytes, offset, into, at, part);
    }
}
