package io.rdmarpc.verbs.soft.rnic;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.concurrent.Uninterrupted;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.soft.progress.OtherPollers;
import io.rdmarpc.verbs.soft.progress.ProgressDriver;
import io.rdmarpc.verbs.soft.progress.Waiter;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * Drives an RNIC while no user thread polls, so that peers can READ, WRITE and get acknowledgments at any time. While
 * other threads poll it yields, because two threads that compete for the lock are slower than one.
 */
public final class ProgressThread implements Runnable {

    private static final System.Logger LOG = System.getLogger(ProgressThread.class.getName());
    private static final Duration JOIN_LIMIT = Duration.ofSeconds(5);

    private final FailureLog failures = new FailureLog(LOG);
    private final RnicContext rnic;
    private final ProgressDriver driver;
    private final Waiter waiter;
    private final Thread thread;
    private final OtherPollers others = new OtherPollers();

    private ProgressThread(RnicContext rnic, String name) {
        this.rnic = rnic;
        this.driver = rnic.progressDriver();
        this.waiter = driver.newWaiter();
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this);
    }

    /** Starts a daemon thread that ends with the RNIC. */
    public static ProgressThread start(RnicContext rnic) {
        ProgressThread started = new ProgressThread(rnic, "rdma-progress-" + DeviceConstants.NAME);
        rnic.setProgressThread(started.thread);
        started.thread.start();
        return started;
    }

    @Override
    public void run() {
        rnic.lock();
        try {
            while (!rnic.isClosed()) {
                try {
                    runOnce();
                } catch (Throwable e) {
                    failures.report("the progress thread of the software RNIC failed and continues", e);
                    pause();
                }
            }
        } finally {
            rnic.unlock();
        }
    }

    private void runOnce() {
        if (!isPolledByOthers()) {
            drive();
        }
        yieldToPollers();
    }

    /** Waits without the lock, so that a repeated failure does not lock out other threads. */
    private void pause() {
        rnic.unlock();
        try {
            LockSupport.parkNanos(this, OtherPollers.PERIOD_NANOS);
        } finally {
            rnic.lock();
        }
    }

    /** Sleeps for a period while other threads poll. */
    private void yieldToPollers() {
        if (!rnic.isClosed()) {
            waiter.sleep(OtherPollers.PERIOD_NANOS);
        }
    }

    /** Drives the RNIC until other threads poll. */
    private void drive() {
        driver.enter(waiter);
        try {
            do {
                driver.await(waiter, Long.MAX_VALUE);
            } while (!rnic.isClosed() && !isPolledByOthers());
        } finally {
            driver.leave(waiter);
        }
    }

    private boolean isPolledByOthers() {
        return others.areBusy(rnic.polls(), rnic.nanoTime());
    }

    /** Waits for the end of the thread, which the RNIC's close causes. The caller must not hold the RNIC's lock. */
    public void join() {
        if (!Uninterrupted.join(thread, JOIN_LIMIT)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Thread {0} is still running {1} after the software RNIC was closed",
                    thread.getName(),
                    JOIN_LIMIT);
        }
    }
}
