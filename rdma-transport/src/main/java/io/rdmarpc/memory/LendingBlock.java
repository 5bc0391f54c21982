package io.rdmarpc.memory;

import java.lang.foreign.MemorySegment;

/** A block of a {@link LendingPool}: all of one memory region, so that its key opens nothing else. */
final class LendingBlock extends RegisteredBlock {

    private final LendingPool pool;
    private final RegisteredMemory region;

    LendingBlock(LendingPool pool, RegisteredMemory region) {
        super(region.segment(), 0, region.lkey(), region.rkey());
        this.pool = pool;
        this.region = region;
    }

    LendingPool pool() {
        return pool;
    }

    RegisteredMemory region() {
        return region;
    }

    @Override
    public boolean lendable() {
        return true;
    }

    @Override
    void prepareStale(int bytes) {
        region.prepare(bytes);
    }

    @Override
    void copyOverStale(MemorySegment source, long sourceOffset, int offset, int bytes) {
        region.copyFrom(source, sourceOffset, offset, bytes);
    }

    @Override
    void reclaim() {
        pool.giveBack(this);
    }
}
