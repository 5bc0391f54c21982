package io.rdmarpc.verbs.soft.domain;

import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.rnic.RnicContext;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for peers that copy into memory whose key was revoked. It takes the RNIC's lock for a short look now and then, so that a peer
 * that has stopped in its copy holds up the caller only.
 */
public final class CopyWait {

    /** Longer than any copy of a process that runs. */
    public static final long LONGEST_NANOS = 1_000_000_000;

    private static final int SPINS = 1000;
    private static final int LOOKS_WITHOUT_SLEEP = 20;
    private static final long SLEEP_NANOS = 100_000;

    private final RnicContext rnic;
    private final long startNanos = System.nanoTime();

    /**
     * Begins to count the time.
     *
     * @param rnic whose lock the caller does not hold
     */
    public CopyWait(RnicContext rnic) {
        this.rnic = rnic;
    }

    /** Waits until copies are over; false when that took too long: then no more packets of these peers are taken. */
    public boolean await(PeerMemory.Copies copies) {
        for (int looks = 0; !look(copies); looks++) {
            if (isTooLong()) {
                return lastLook(copies);
            }
            pause(looks);
        }
        return true;
    }

    private boolean look(PeerMemory.Copies copies) {
        rnic.lock();
        try {
            return copies.areOver();
        } finally {
            rnic.unlock();
        }
    }

    private boolean lastLook(PeerMemory.Copies copies) {
        rnic.lock();
        try {
            boolean over = copies.areOver();
            if (!over) {
                copies.giveUp();
            }
            return over;
        } finally {
            rnic.unlock();
        }
    }

    private boolean isTooLong() {
        return System.nanoTime() - startNanos > LONGEST_NANOS;
    }

    private static void pause(int looks) {
        if (looks < LOOKS_WITHOUT_SLEEP) {
            for (int i = 0; i < SPINS; i++) {
                Thread.onSpinWait();
            }
        } else {
            LockSupport.parkNanos(SLEEP_NANOS);
        }
    }
}
