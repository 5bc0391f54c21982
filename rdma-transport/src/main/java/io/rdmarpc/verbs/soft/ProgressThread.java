package io.rdmarpc.verbs.soft;

import java.util.concurrent.TimeUnit;

/**
 * Moves a RNIC on while nobody polls, so that peers can READ, WRITE and be acknowledged at any time. While others poll it
 * steps back: they do the same, and two threads at one lock are slower than one.
 */
final class ProgressThread implements Runnable {

    /** What comes right after the last poll waits for that long at most. */
    private static final long STEP_BACK_NANOS = 250_000;

    /** Polls in that time that make a busy poller. */
    private static final int BUSY_POLLS = 8;

    private static final long JOIN_MILLIS = TimeUnit.SECONDS.toMillis(5);

    private final SoftRnic rnic;
    private final DriverSeat seat;
    private final Waiter waiter;
    private final Thread thread;
    private long lastPolls;
    private long lastLookNanos;

    private ProgressThread(SoftRnic rnic, String name) {
        this.rnic = rnic;
        this.seat = rnic.driverSeat();
        this.waiter = seat.newWaiter();
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this);
    }

    /** Starts a daemon thread that ends with the RNIC. */
    static ProgressThread start(SoftRnic rnic) {
        ProgressThread started = new ProgressThread(rnic, "rdma-progress-" + SoftDevice.NAME);
        started.thread.start();
        return started;
    }

    @Override
    public void run() {
        rnic.lock();
        try {
            while (!rnic.isClosed()) {
                if (isPolledByOthers()) {
                    waiter.sleep(STEP_BACK_NANOS);
                } else {
                    drive();
                }
            }
        } finally {
            rnic.unlock();
        }
    }

    private void drive() {
        seat.enter(waiter);
        try {
            do {
                seat.await(waiter, Long.MAX_VALUE);
            } while (!rnic.isClosed() && !isPolledByOthers());
        } finally {
            seat.leave(waiter);
        }
    }

    private boolean isPolledByOthers() {
        long now = rnic.nanoTime();
        long polls = rnic.polls() - lastPolls;
        double periods = Math.max(1, (double) (now - lastLookNanos) / STEP_BACK_NANOS);
        lastPolls = rnic.polls();
        lastLookNanos = now;
        return polls / periods >= BUSY_POLLS;
    }

    /** Waits for its end, which the RNIC's close brings about. Not under the RNIC's lock. */
    void join() {
        boolean interrupted = false;
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_MILLIS);
        while (thread.isAlive() && end - System.nanoTime() > 0) {
            try {
                thread.join(JOIN_MILLIS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
