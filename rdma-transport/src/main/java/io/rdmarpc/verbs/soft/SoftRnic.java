package io.rdmarpc.verbs.soft;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.verbs.ffi.NativeWords;
import io.rdmarpc.verbs.soft.link.Link;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One software RNIC: what hardware would be behind a context. It has no thread of its own; whoever polls a completion queue
 * moves it on by {@link #progress}. One lock guards all of it, held for short and never while anything blocks.
 */
final class SoftRnic {

    private static final System.Logger LOG = System.getLogger(SoftRnic.class.getName());

    /** Packets taken from the link in one go and answered then: half of what a peer may have on its way, so that it goes on. */
    private static final int RECEIVE_BATCH = 32;

    /** More on the way of SENDs and WRITEs makes nothing faster, and what is lost must be sent again with all that follows. */
    private static final int LARGEST_SEND_WINDOW = 512 << 10;

    /** Who never finds its queue empty must not keep peers from being answered. */
    private static final int MOST_POLLS_WITHOUT_PROGRESS = 8;

    private final RnicLock lock = new RnicLock();
    private final GidTable gids;
    private final SoftPort port;
    private final Link link;
    private final LongSupplier nanoClock;
    private final SoftRnicCounters counters = new SoftRnicCounters();
    private final MemoryTable memory;
    private final QueuePairTable queuePairs = new QueuePairTable();
    private final AddressHandleTable addressHandles = new AddressHandleTable();
    private final LaneTable lanes = new LaneTable(queuePairs);
    private final boolean takesLanes;
    private final FailureLog failures = new FailureLog(System.getLogger(SoftRnic.class.getName()));
    private final Schedule schedule = new Schedule(failures);
    private final PacketSender sender;
    private final PacketReceiver receiver;
    private final FlightWindow readWindow;
    private final FlightWindow sendWindow;
    private final DriverSeat driverSeat;
    private final SoftAsyncEvents events;
    private final List<PeerMemory.Copies> copiesToAwait = new ArrayList<>();
    private @Nullable Thread progressThread;
    private boolean moved;
    private long polls;
    private int pollsWithoutProgress;
    private boolean closed;

    /**
     * Makes a RNIC that does not look for long before it sleeps.
     *
     * @param gids own addresses
     * @param link closed with the RNIC
     * @param nanoClock the time in nanoseconds
     */
    SoftRnic(GidTable gids, Link link, LongSupplier nanoClock) {
        this(gids, link, nanoClock, 0);
    }

    /**
     * Makes a RNIC.
     *
     * @param gids own addresses
     * @param link closed with the RNIC
     * @param nanoClock the time in nanoseconds
     * @param spinNanos how long whoever waits looks for packets before it sleeps
     */
    SoftRnic(GidTable gids, Link link, LongSupplier nanoClock, long spinNanos) {
        this(gids, HostAddresses.OF_THIS_HOST, link, nanoClock, spinNanos);
    }

    SoftRnic(GidTable gids, HostAddresses host, Link link, LongSupplier nanoClock, long spinNanos) {
        this.gids = gids;
        this.port = new SoftPort(gids, host);
        this.link = link;
        this.nanoClock = nanoClock;
        this.memory = new MemoryTable(link.peerMemory());
        this.sender = new PacketSender(link, counters);
        this.receiver = new PacketReceiver(gids, link.port(), queuePairs, counters, failures);
        this.readWindow = new FlightWindow(link.receiveWindowBytes());
        this.sendWindow = new FlightWindow(Math.min(link.receiveWindowBytes(), LARGEST_SEND_WINDOW));
        this.events = new SoftAsyncEvents(this, lock.newCondition());
        this.takesLanes = link.takeLanes(lanes) && NativeWords.isGranted();
        link.tellEvents(new ScriptedFailures(queuePairs, events));
        this.driverSeat = new DriverSeat(this, lock, link, schedule, spinNanos);
    }

    /**
     * Moves the protocol on: packets in, then answers and requests out, then time-outs. Never blocks, never throws.
     * Whatever only passes on is left out from here to the packet: see {@code NativeWords.copy}.
     */
    void progress() {
        long sent = counters.sent();
        int received = takePackets();
        received += runQueuePairs(received);
        flush();
        moved = received > 0 || counters.sent() != sent;
    }

    /** If this fails, timers and queue pairs go on all the same: no other thread moves them on. */
    private int takePackets() {
        try {
            return link.poll(RECEIVE_BATCH, receiver);
        } catch (Throwable e) {
            failures.report("the software RNIC failed on taking packets", e);
            return 0;
        }
    }

    private int runQueuePairs(int received) {
        try {
            lanes.tell();
            schedule.runReady();
            return received < RECEIVE_BATCH && schedule.hasDeadlines() ? runTimers() : 0;
        } catch (Throwable e) {
            failures.report("the software RNIC failed on its queue pairs", e);
            return 0;
        }
    }

    /** Sends what is to be sent. Never throws, so that the lock is let go afterwards. */
    void flush() {
        try {
            link.flush();
        } catch (Throwable e) {
            failures.report("the software RNIC failed on sending packets", e);
        }
    }

    /** A late owner first takes all that has arrived meanwhile, then decides what is missing. */
    private int runTimers() {
        long now = nanoClock.getAsLong();
        if (schedule.nanosToLook(now) > 0) {
            return 0;
        }
        int received = link.poll(RECEIVE_BATCH, receiver);
        schedule.runReady();
        if (received < RECEIVE_BATCH) {
            schedule.runTimers(now);
        }
        return received;
    }

    /** Tells whether the last {@link #progress} took or sent packets. */
    boolean moved() {
        return moved;
    }

    /** Moves the protocol on for one who does so again and again. */
    void poll() {
        polls++;
        progress();
    }

    /** Likewise, for one who may have what it looks for: the protocol can wait then, but not for long. */
    void poll(boolean hasCompletions) {
        polls++;
        if (!hasCompletions || ++pollsWithoutProgress == MOST_POLLS_WITHOUT_PROGRESS) {
            pollsWithoutProgress = 0;
            progress();
        }
    }

    /** Returns how often anybody polled or began to wait. */
    long polls() {
        return polls;
    }

    /** Returns the memory that peers on this host can read themselves, or null. */
    @Nullable
    PeerMemory peerMemory() {
        return link.peerMemory();
    }

    void lock() {
        lock.lock();
    }

    void unlock() {
        if (driverSeat.isAsleep()) {
            catchUp();
        }
        if (driverSeat.owesRing() && lock.holds() == 1) {
            driverSeat.unlockAndRing();
        } else {
            lock.unlock();
        }
    }

    boolean isLockedByCaller() {
        return lock.holds() > 0;
    }

    /** Has {@link #awaitCopies} wait for peers that copy with a key that was revoked; under the lock. */
    void awaitLater(PeerMemory.Copies copies) {
        copiesToAwait.add(copies);
    }

    /** Waits for what was to be awaited later. Whoever holds the lock still does that when it has let go of it. */
    void awaitCopies() {
        if (isLockedByCaller()) {
            return;
        }
        List<PeerMemory.Copies> all;
        lock();
        try {
            all = List.copyOf(copiesToAwait);
            copiesToAwait.clear();
        } finally {
            unlock();
        }
        CopyWait wait = new CopyWait(this);
        long stopped = all.stream().filter(copies -> !wait.await(copies)).count();
        if (stopped > 0) {
            LOG.log(
                    Level.WARNING,
                    "Processes on this host have stopped while they were writing to {0} memory regions that are deregistered now."
                            + " They may go on with that. Close the arenas of that memory instead of using it again.",
                    stopped);
        }
    }

    private void catchUp() {
        try {
            driverSeat.catchUp();
        } catch (Throwable e) {
            failures.report("the software RNIC failed on what was posted while its driver slept", e);
        }
    }

    long nanoTime() {
        return nanoClock.getAsLong();
    }

    Link link() {
        return link;
    }

    int port() {
        return link.port();
    }

    /** Returns who moves this on while nobody polls. */
    DriverSeat driverSeat() {
        return driverSeat;
    }

    /** Returns where to tell what happens outside of work requests. */
    SoftAsyncEvents events() {
        return events;
    }

    /** Takes the thread that moves this on besides those who poll. */
    void movedBy(Thread thread) {
        progressThread = thread;
    }

    /** Tells whether whoever moves this on can read and write memory: that of a confined arena is for one thread only. */
    boolean reaches(MemorySegment memory) {
        return progressThread == null || memory.isAccessibleBy(progressThread);
    }

    boolean isClosed() {
        return closed;
    }

    /** Ends it, when all that was made from it is closed. */
    void close() {
        closed = true;
        events.end();
        driverSeat.close();
        link.close();
    }

    GidTable gids() {
        return gids;
    }

    /** Returns the port's state, which takes a look at the host's interfaces: not under the lock. */
    SoftPort softPort() {
        return port;
    }

    SoftRnicCounters counters() {
        return counters;
    }

    MemoryTable memory() {
        return memory;
    }

    QueuePairTable queuePairs() {
        return queuePairs;
    }

    AddressHandleTable addressHandles() {
        return addressHandles;
    }

    Schedule schedule() {
        return schedule;
    }

    PacketSender sender() {
        return sender;
    }

    PacketReceiver receiver() {
        return receiver;
    }

    LaneTable lanes() {
        return lanes;
    }

    /** Tells whether there can be lanes. */
    boolean takesLanes() {
        return takesLanes;
    }

    /** Returns the room for READ responses on their way to here. */
    FlightWindow readWindow() {
        return readWindow;
    }

    /** Returns the room for SENDs and WRITEs on their way from here. */
    FlightWindow sendWindow() {
        return sendWindow;
    }
}
