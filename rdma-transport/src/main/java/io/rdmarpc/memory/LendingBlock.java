package io.rdmarpc.memory;

import io.rdmarpc.verbs.ProtectionDomain;
import java.lang.foreign.MemorySegment;

/**
 * A block of a {@link LendingPool}. It is a memory region of its own, so that its key grants access to no other memory.
 */
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
     * Invalidates the key that the peer knows, without blocking.
     *
     * @return false if the device cannot do so; {@link #registerAgain} does it instead
     */
    boolean renewKey() {
        if (!region.renewRemoteKey()) {
            return false;
        }
        takeKeys(region.lkey(), region.rkey());
        return true;
    }

    /** Invalidates the key that the peer knows, by registering the memory again. Blocks in system calls. */
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
