package io.rdmarpc.memory;

import io.rdmarpc.verbs.ProtectionDomain;
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

    /**
     * Makes the key that the peer knows invalid, without blocking.
     *
     * @return false if the device cannot: {@link #registerAgain} does it
     */
    boolean renewKey() {
        if (!region.renewRemoteKey()) {
            return false;
        }
        takeKeys(region.lkey(), region.rkey());
        return true;
    }

    /** Makes the key that the peer knows invalid, by another registration. Blocks in system calls. */
    void registerAgain(ProtectionDomain domain) {
        region.registerAgain(domain);
        takeKeys(region.lkey(), region.rkey());
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
