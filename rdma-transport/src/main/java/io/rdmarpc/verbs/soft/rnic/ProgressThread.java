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
 * Moves a RNIC on while nobody polls, so that peers can READ, WRITE and be acknowledged at any time. While others poll it
 * steps back: they do the same, and two threads at one lock are slower than one.
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
        rnic.movedBy(started.thread);
        started.thread.start();
        return started;
    }

    @Override
    public void run() {
        rnic.lock();
        try {
            while (!rnic.isClosed()) {
                try {
                    lookAfter();
                } catch (Throwable e) {
                    failures.report("the thread that moves the software RNIC on failed, and goes on", e);
                    pause();
                }
            }
        } finally {
            rnic.unlock();
        }
    }

    private void lookAfter() {
        if (!isPolledByOthers()) {
            drive();
        }
        stepBack();
    }

    /** Without the lock, which others want: a fault that comes back must not keep them out. */
    private void pause() {
        rnic.unlock();
        try {
            LockSupport.parkNanos(this, OtherPollers.PERIOD_NANOS);
        } finally {
            rnic.lock();
        }
    }

    /** Others do the work; how they have done is asked afterwards. */
    private void stepBack() {
        if (!rnic.isClosed()) {
            waiter.sleep(OtherPollers.PERIOD_NANOS);
        }
    }

    /** Until others poll. */
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

    /** Waits for its end, which the RNIC's close brings about. Not under the RNIC's lock. */
    public void join() {
        if (!Uninterrupted.join(thread, JOIN_LIMIT)) {
            LOG.log(System.Logger.Level.WARNING, "{0} still runs after {1}", thread.getName(), JOIN_LIMIT);
        }
    }
}
