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
 * The context that all parts of a software RNIC share: lock, clock, counters, link and schedule. It does not know queue
 * pairs, memory regions, completion queues or their tables. Everything except {@link #lock}, {@link #unlock} and
 * constants is used under the lock.
 */
public final class RnicContext {

    /**
     * Maximum bytes of SENDs and WRITEs in flight. A higher limit is not faster, and a lost packet is retransmitted
     * with all later ones.
     */
    private static final int LARGEST_SEND_WINDOW = 512 << 10;

    /**
     * Maximum number of polls that skip the protocol in a row, so that peers get responses even if the queue is never
     * empty.
     */
    private static final int MAX_POLLS_WITHOUT_PROGRESS = 8;

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
     * Creates the context of one RNIC.
     *
     * @param gids the local addresses
     * @param link closed with the RNIC
     * @param nanoClock the current time in nanoseconds, from an arbitrary origin
     * @param spinNanos how long a waiting thread polls for packets before it sleeps, in nanoseconds
     * @param progress the protocol; not called before the RNIC is complete
     * @param failures the log of failures
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

    /** Acquires the lock, which is reentrant. */
    public void lock() {
        lock.lock();
    }

    /** Releases the lock. While the driver sleeps, first sends posted packets, and wakes the driver if necessary. */
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
            failures.report("the software RNIC failed to send packets that were posted while its driver slept", e);
        }
    }

    public boolean isLockedByCaller() {
        return lock.holds() > 0;
    }

    Condition newCondition() {
        return lock.newCondition();
    }

    // ---- progress ----

    /** Runs the protocol once, for a thread that waits. */
    void poll() {
        polls++;
        progress.progress();
    }

    /**
     * Runs the protocol for a thread that polls a completion queue.
     *
     * @param hasCompletions whether the queue has completions, so that the protocol can be skipped for a few polls
     */
    void poll(boolean hasCompletions) {
        polls++;
        if (!hasCompletions || ++pollsWithoutProgress == MAX_POLLS_WITHOUT_PROGRESS) {
            pollsWithoutProgress = 0;
            progress.progress();
        }
    }

    /** Returns the number of polls and waits of all threads. */
    long polls() {
        return polls;
    }

    /** Sends buffered packets. Never throws, so that the caller releases the lock afterwards. */
    public void flush() {
        try {
            link.flush();
        } catch (Throwable e) {
            failures.report("the software RNIC failed to send packets", e);
        }
    }

    /** Returns the driver, which runs the RNIC while no user polls. */
    ProgressDriver progressDriver() {
        return progressDriver;
    }

    /** Sets the thread that drives the RNIC in addition to polling threads. */
    void setProgressThread(Thread thread) {
        progressThread = thread;
    }

    /** Returns whether the progress thread can access memory; memory of a confined arena is for one thread only. */
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

    /** Returns the memory that is shared with peers on this host, or null. */
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

    /** Returns the window of READ responses to this RNIC. */
    public FlightWindow readWindow() {
        return readWindow;
    }

    /** Returns the window of SENDs and WRITEs from this RNIC. */
    public FlightWindow sendWindow() {
        return sendWindow;
    }
}
