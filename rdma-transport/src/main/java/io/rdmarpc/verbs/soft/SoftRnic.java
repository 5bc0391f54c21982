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
 * One software RNIC: what hardware would be behind a context. It has no thread of its own; whoever polls a completion queue
 * moves it on by {@link #progress}. One lock guards all of it, held for short and never while anything blocks.
 */
final class SoftRnic implements Progress {

    private static final System.Logger LOG = System.getLogger(SoftRnic.class.getName());

    /** Packets taken from the link in one go and answered then: half of what a peer may have on its way, so that it goes on. */
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
    private boolean moved;

    /**
     * Makes a RNIC that does not look for long before it sleeps.
     *
     * @param gids own addresses
     * @param link closed with the RNIC
     * @param nanoClock the time in nanoseconds
     */
    SoftRnic(LocalGidTable gids, PacketLink link, LongSupplier nanoClock) {
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
        link.tellEvents(new ScriptedFailures(queuePairs, events));
    }

    /**
     * Moves the protocol on: packets in, then answers and requests out, then time-outs. Never blocks, never throws.
     * Whatever only passes on is left out from here to the packet: see {@code NativeWords.copy}.
     */
    @Override
    public void progress() {
        long sent = counters.sent();
        int received = takePackets();
        received += runQueuePairs(received);
        context.flush();
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
            channels.tell();
            schedule.runReady();
            return received < RECEIVE_BATCH && schedule.hasDeadlines() ? runTimers() : 0;
        } catch (Throwable e) {
            failures.report("the software RNIC failed on its queue pairs", e);
            return 0;
        }
    }

    /** A late owner first takes all that has arrived meanwhile, then decides what is missing. */
    private int runTimers() {
        long now = context.nanoTime();
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

    @Override
    public boolean moved() {
        return moved;
    }

    void lock() {
        context.lock();
    }

    void unlock() {
        context.unlock();
    }

    /** Waits for what was to be awaited later. Whoever holds the lock still does that when it has let go of it. */
    void awaitCopies() {
        if (context.isLockedByCaller()) {
            return;
        }
        List<PeerMemory.Copies> all;
        lock();
        try {
            all = memory.takeCopiesToAwait();
        } finally {
            unlock();
        }
        CopyWait wait = new CopyWait(context);
        long stopped = all.stream().filter(copies -> !wait.await(copies)).count();
        if (stopped > 0) {
            LOG.log(
                    Level.WARNING,
                    "Processes on this host have stopped while they were writing to {0} memory regions that are deregistered now."
                            + " They may go on with that. Close the arenas of that memory instead of using it again.",
                    stopped);
        }
    }

    /** Returns what all parts of this RNIC share. */
    RnicContext context() {
        return context;
    }

    /** Returns where to tell what happens outside of work requests. */
    SoftAsyncEvents events() {
        return events;
    }

    /** Ends it, when all that was made from it is closed. */
    void close() {
        events.end();
        context.close();
    }

    /** Returns the port's state, which takes a look at the host's interfaces: not under the lock. */
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

    /** Returns what takes the packets that shared-memory channels cannot take, or null when there can be no channels. */
    @Nullable
    LinkPacketHandler refusedDatagrams() {
        return acceptsPaths ? receiver : null;
    }
}
