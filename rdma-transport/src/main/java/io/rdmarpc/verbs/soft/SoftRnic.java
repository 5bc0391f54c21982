package io.rdmarpc.verbs.soft;

import io.rdmarpc.concurrent.FailureLog;
import io.rdmarpc.verbs.ffi.NativeWords;
import io.rdmarpc.verbs.soft.domain.AddressHandleTable;
import io.rdmarpc.verbs.soft.domain.CopyWait;
import io.rdmarpc.verbs.soft.domain.MemoryTable;
import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.PacketLink;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.port.HostAddresses;
import io.rdmarpc.verbs.soft.port.LocalGidTable;
import io.rdmarpc.verbs.soft.port.SoftPort;
import io.rdmarpc.verbs.soft.progress.Progress;
import io.rdmarpc.verbs.soft.progress.Schedule;
import io.rdmarpc.verbs.soft.qp.QueuePairTable;
import io.rdmarpc.verbs.soft.rnic.RnicContext;
import io.rdmarpc.verbs.soft.rnic.SoftAsyncEvents;
import io.rdmarpc.verbs.soft.rnic.SoftRnicCounters;
import io.rdmarpc.verbs.soft.ud.ShmChannelTable;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One software RNIC: the counterpart of the hardware behind a context. It has no thread of its own: threads that poll a
 * completion queue run it by {@link #progress}. One lock guards all of it. It is held for short times and never across
 * blocking calls.
 */
final class SoftRnic implements Progress {

    private static final System.Logger LOG = System.getLogger(SoftRnic.class.getName());

    /**
     * Maximum number of packets received from the link before responses are sent. This is half of the packets that a
     * peer may have in flight, so that the peer does not stall.
     */
    private static final int RECEIVE_BATCH = 32;

    private final FailureLog failures = new FailureLog(LOG);
    private final RnicContext context;
    private final SoftPort port;
    private final PacketLink link;
    private final SoftRnicCounters counters;
    private final Schedule schedule;
    private final MemoryTable memory;
    private final QueuePairTable queuePairs = new QueuePairTable();
    private final AddressHandleTable addressHandles = new AddressHandleTable();
    private final ShmChannelTable channels = new ShmChannelTable(queuePairs);
    private final boolean acceptsPaths;
    private final PacketReceiver receiver;
    private final SoftAsyncEvents events;
    private boolean hasProgressed;

    /**
     * Creates an RNIC whose waiting threads sleep at once.
     *
     * @param gids the local addresses
     * @param link closed with the RNIC
     * @param nanoClock the current time in nanoseconds, from an arbitrary origin
     */
    SoftRnic(LocalGidTable gids, PacketLink link, LongSupplier nanoClock) {
        this(gids, link, nanoClock, 0);
    }

    /**
     * Creates an RNIC.
     *
     * @param gids the local addresses
     * @param link closed with the RNIC
     * @param nanoClock the current time in nanoseconds, from an arbitrary origin
     * @param spinNanos how long a waiting thread polls for packets before it sleeps, in nanoseconds
     */
    SoftRnic(LocalGidTable gids, PacketLink link, LongSupplier nanoClock, long spinNanos) {
        this(gids, HostAddresses.OF_THIS_HOST, link, nanoClock, spinNanos);
    }

    SoftRnic(LocalGidTable gids, HostAddresses host, PacketLink link, LongSupplier nanoClock, long spinNanos) {
        this.context = new RnicContext(gids, link, nanoClock, spinNanos, this, failures);
        this.port = new SoftPort(gids, host);
        this.link = link;
        this.counters = context.counters();
        this.schedule = context.schedule();
        this.memory = new MemoryTable(link.peerMemory());
        this.receiver = new PacketReceiver(gids, link.port(), queuePairs, counters, failures);
        this.events = new SoftAsyncEvents(context, port);
        this.acceptsPaths = link.acceptPaths(channels) && NativeWords.isGranted();
        link.setEventListener(new ScriptedFailures(queuePairs, events));
    }

    /**
     * Runs the protocol once: receives packets, sends responses and requests, then handles timeouts. Never blocks,
     * never throws. On the path from here to the packet no method merely delegates, because C2 inlines a limited number
     * of levels: see {@code NativeWords.copy}.
     */
    @Override
    public void progress() {
        long sent = counters.sent();
        int received = receivePackets();
        received += runQueuePairs(received);
        context.flush();
        hasProgressed = received > 0 || counters.sent() != sent;
    }

    /** Receives packets. If this fails, queue pairs and timers still run, because no other thread runs them. */
    private int receivePackets() {
        try {
            return link.poll(RECEIVE_BATCH, receiver);
        } catch (Throwable e) {
            failures.report("the software RNIC failed to receive packets", e);
            return 0;
        }
    }

    private int runQueuePairs(int received) {
        try {
            channels.notifyWaiters();
            schedule.runReady();
            return received < RECEIVE_BATCH && schedule.hasDeadlines() ? runTimers() : 0;
        } catch (Throwable e) {
            failures.report("the software RNIC failed to run its queue pairs", e);
            return 0;
        }
    }

    /**
     * Runs the timers that are due. A thread that runs them late first receives all packets that have arrived, and then
     * decides which are missing.
     */
    private int runTimers() {
        long now = context.nanoTime();
        if (schedule.nanosToCheck(now) > 0) {
            return 0;
        }
        int received = link.poll(RECEIVE_BATCH, receiver);
        schedule.runReady();
        if (received < RECEIVE_BATCH) {
            schedule.runTimers(now);
        }
        return received;
    }

    @Override
    public boolean hasProgressed() {
        return hasProgressed;
    }

    void lock() {
        context.lock();
    }

    void unlock() {
        context.unlock();
    }

    /**
     * Waits for the copies of peers that were deferred while the lock was held. A caller that still holds the lock has
     * to call this again after it has released it.
     */
    void awaitCopies() {
        if (context.isLockedByCaller()) {
            return;
        }
        List<PeerMemory.Copies> all;
        lock();
        try {
            all = memory.drainCopiesToAwait();
        } finally {
            unlock();
        }
        CopyWait wait = new CopyWait(context);
        long stopped = all.stream().filter(copies -> !wait.await(copies)).count();
        if (stopped > 0) {
            LOG.log(
                    Level.WARNING,
                    "Processes on this host stopped while they were writing to {0} memory regions, which are now"
                            + " deregistered. They may continue to write. Close the arenas of that memory instead of"
                            + " reusing it.",
                    stopped);
        }
    }

    /** Returns the context that all parts of this RNIC share. */
    RnicContext context() {
        return context;
    }

    /** Returns the queue of asynchronous events. */
    SoftAsyncEvents events() {
        return events;
    }

    /** Closes the link; everything that was created from the RNIC is closed before. */
    void close() {
        events.end();
        context.close();
    }

    /** Returns the port. A query of its state reads the host's interfaces, so callers do not hold the lock. */
    SoftPort softPort() {
        return port;
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

    ShmChannelTable channels() {
        return channels;
    }

    /** Returns the handler of packets that shared-memory channels cannot accept, or null if there are no channels. */
    @Nullable
    LinkPacketHandler datagramFallback() {
        return acceptsPaths ? receiver : null;
    }
}
