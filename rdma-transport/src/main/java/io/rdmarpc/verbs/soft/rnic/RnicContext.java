package io.rdmarpc.verbs.soft.rnic;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.port.LocalGidTable;
import io.rdmarpc.verbs.soft.progress.Progress;
import io.rdmarpc.verbs.soft.progress.ProgressDriver;
import io.rdmarpc.verbs.soft.progress.RnicLock;
import io.rdmarpc.verbs.soft.progress.Schedule;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.locks.Condition;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What all parts of a software RNIC share: its lock, clock, counters, link and schedule. It knows no queue pair, no memory region, no
 * completion queue and no table of them. All but {@link #lock}, {@link #unlock} and what never changes is used under the lock.
 */
public final class RnicContext {

    /** More on the way of SENDs and WRITEs makes nothing faster, and what is lost must be sent again with all that follows. */
    private static final int LARGEST_SEND_WINDOW = 512 << 10;

    /** Threads that never find their queue empty must not keep peers from being answered. */
    private static final int MOST_POLLS_WITHOUT_PROGRESS = 8;

    private final RnicLock lock = new RnicLock();
    private final LocalGidTable gids;
    private final PacketLink link;
    private final LongSupplier nanoClock;
    private final Progress progress;
    private final FailureLog failures;
    private final SoftRnicCounters counters = new SoftRnicCounters();
    private final Schedule schedule;
    private final PacketSender sender;
    private final FlightWindow readWindow;
    private final FlightWindow sendWindow;
    private final ProgressDriver progressDriver;
    private @Nullable Thread progressThread;
    private long polls;
    private int pollsWithoutProgress;
    private boolean closed;

    /**
     * Makes the context of one RNIC.
     *
     * @param gids own addresses
     * @param link closed with the RNIC
     * @param nanoClock the time in nanoseconds
     * @param spinNanos how long a thread that waits looks for packets before it sleeps
     * @param progress not called before the RNIC is complete
     * @param failures where failures are reported
     */
    public RnicContext(
            LocalGidTable gids,
            PacketLink link,
            LongSupplier nanoClock,
            long spinNanos,
            Progress progress,
            FailureLog failures) {
        this.gids = gids;
        this.link = link;
        this.nanoClock = nanoClock;
        this.progress = progress;
        this.failures = failures;
        this.schedule = new Schedule(failures);
        this.sender = new PacketSender(link, counters);
        this.readWindow = new FlightWindow(link.receiveWindowBytes());
        this.sendWindow = new FlightWindow(Math.min(link.receiveWindowBytes(), LARGEST_SEND_WINDOW));
        this.progressDriver = new ProgressDriver(progress, lock, link, schedule, nanoClock, spinNanos);
    }

    // ---- the lock ----

    /** Takes the lock. Reentrant. */
    public void lock() {
        lock.lock();
    }

    /** Releases the lock. While the driver sleeps, first sends what is to be sent, and wakes the driver if need be. */
    public void unlock() {
        if (progressDriver.isAsleep()) {
            catchUp();
        }
        if (progressDriver.ringPending() && lock.holds() == 1) {
            progressDriver.unlockAndRing();
        } else {
            lock.unlock();
        }
    }

    private void catchUp() {
        try {
            progressDriver.catchUp();
        } catch (Throwable e) {
            failures.report("the software RNIC failed on what was posted while its driver slept", e);
        }
    }

    public boolean isLockedByCaller() {
        return lock.holds() > 0;
    }

    Condition newCondition() {
        return lock.newCondition();
    }

    // ---- progress ----

    /** Moves the protocol on for a thread that does so again and again. */
    void poll() {
        polls++;
        progress.progress();
    }

    /**
     * Moves the protocol on for a thread that polls a completion queue.
     *
     * @param hasCompletions whether the thread has what it looks for, so that the protocol can wait for a few polls
     */
    void poll(boolean hasCompletions) {
        polls++;
        if (!hasCompletions || ++pollsWithoutProgress == MOST_POLLS_WITHOUT_PROGRESS) {
            pollsWithoutProgress = 0;
            progress.progress();
        }
    }

    /** Returns how often any thread polled or began to wait. */
    long polls() {
        return polls;
    }

    /** Sends what is to be sent. Never throws, so that the caller releases the lock afterwards. */
    public void flush() {
        try {
            link.flush();
        } catch (Throwable e) {
            failures.report("the software RNIC failed on sending packets", e);
        }
    }

    /** Returns what moves the RNIC on while no thread polls. */
    ProgressDriver progressDriver() {
        return progressDriver;
    }

    /** Takes the thread that moves the RNIC on besides those that poll. */
    void movedBy(Thread thread) {
        progressThread = thread;
    }

    /** Tells whether the progress thread can read and write memory: that of a confined arena is for one thread only. */
    public boolean reaches(MemorySegment memory) {
        return progressThread == null || memory.isAccessibleBy(progressThread);
    }

    public boolean isClosed() {
        return closed;
    }

    /** Ends the driver's sleep and closes the link. */
    public void close() {
        closed = true;
        progressDriver.close();
        link.close();
    }

    // ---- the parts ----

    public long nanoTime() {
        return nanoClock.getAsLong();
    }

    public LocalGidTable gids() {
        return gids;
    }

    public PacketLink link() {
        return link;
    }

    public int port() {
        return link.port();
    }

    /** Returns the memory that peers on this host can read themselves, or null. */
    @Nullable
    public PeerMemory peerMemory() {
        return link.peerMemory();
    }

    public SoftRnicCounters counters() {
        return counters;
    }

    public Schedule schedule() {
        return schedule;
    }

    public PacketSender sender() {
        return sender;
    }

    /** Returns the room for READ responses on their way to here. */
    public FlightWindow readWindow() {
        return readWindow;
    }

    /** Returns the room for SENDs and WRITEs on their way from here. */
    public FlightWindow sendWindow() {
        return sendWindow;
    }
}
