package io.rdmarpc.verbs.soft.domain;

import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.rnic.RnicContext;
import java.util.concurrent.locks.LockSupport;

/**
 * Waits for peers that copy into memory whose key was revoked. It takes the RNIC's lock only for short checks, so that
 * a peer that stops during its copy delays this caller and no other thread.
 */
public final class CopyWait {

    /** Maximum wait, longer than any copy of a running process. */
    public static final long LONGEST_NANOS = 1_000_000_000;

    private static final int SPINS = 1000;
    private static final int CHECKS_WITHOUT_SLEEP = 20;
    private static final long SLEEP_NANOS = 100_000;

    private final RnicContext rnic;
    private final long startNanos = System.nanoTime();

    /**
     * Starts the clock.
     *
     * @param rnic the RNIC, whose lock the caller does not hold
     */
    public CopyWait(RnicContext rnic) {
        this.rnic = rnic;
    }

    /** Waits until copies have ended. Returns false after a timeout: the RNIC then ignores these peers' rings. */
    public boolean await(PeerMemory.Copies copies) {
        for (int checks = 0; !check(copies); checks++) {
            if (isTooLong()) {
                return lastCheck(copies);
            }
            pause(checks);
        }
        return true;
    }

    private boolean check(PeerMemory.Copies copies) {
        rnic.lock();
        try {
            return copies.areOver();
        } finally {
            rnic.unlock();
        }
    }

    private boolean lastCheck(PeerMemory.Copies copies) {
        rnic.lock();
        try {
            boolean over = copies.areOver();
            if (!over) {
                copies.abandon();
            }
            return over;
        } finally {
            rnic.unlock();
        }
    }

    private boolean isTooLong() {
        return System.nanoTime() - startNanos > LONGEST_NANOS;
    }

    private static void pause(int checks) {
        if (checks < CHECKS_WITHOUT_SLEEP) {
            for (int i = 0; i < SPINS; i++) {
                Thread.onSpinWait();
            }
        } else {
            LockSupport.parkNanos(SLEEP_NANOS);
        }
    }
}
