package io.rdmarpc.verbs.ipc;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/** Registered memory that no peer maps. */
record UnmappedRegion(MemorySegment segment) implements IpcMemoryRegion {

    @Override
    public boolean isViewed() {
        return false;
    }

    @Override
    public void prepare(long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, segment.byteSize());
    }

    @Override
    public void copyFrom(MemorySegment source, long sourceOffset, long offset, long bytes) {
        MemorySegment.copy(source, sourceOffset, segment, offset, bytes);
    }
}
