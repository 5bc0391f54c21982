package io.rdmarpc.verbs.soft;

import io.rdmarpc.verbs.soft.link.Link;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

/**
 * One software RNIC: what hardware would be behind a context. It has no thread of its own; whoever polls a completion queue
 * moves it on by {@link #progress}. One lock guards all of it, held for short and never while anything blocks.
 */
final class SoftRnic {

    /** Packets taken from the link in one go. */
    private static final int RECEIVE_BATCH = 64;

    /** More on the way of SENDs and WRITEs makes nothing faster, and what is lost must be sent again with all that follows. */
    private static final int LARGEST_SEND_WINDOW = 512 << 10;

    private final ReentrantLock lock = new ReentrantLock();
    private final GidTable gids;
    private final Link link;
    private final LongSupplier nanoClock;
    private final SoftRnicCounters counters = new SoftRnicCounters();
    private final MemoryTable memory = new MemoryTable();
    private final QueuePairTable queuePairs = new QueuePairTable();
    private final AddressHandleTable addressHandles = new AddressHandleTable();
    private final Schedule schedule = new Schedule();
    private final PacketSender sender;
    private final PacketReceiver receiver;
    private final FlightWindow readWindow;
    private final FlightWindow sendWindow;

    /**
     * Makes a RNIC.
     *
     * @param gids own addresses
     * @param link closed with the RNIC
     * @param nanoClock the time in nanoseconds
     */
    SoftRnic(GidTable gids, Link link, LongSupplier nanoClock) {
        this.gids = gids;
        this.link = link;
        this.nanoClock = nanoClock;
        this.sender = new PacketSender(link, counters);
        this.receiver = new PacketReceiver(gids, link.port(), queuePairs, counters);
        this.readWindow = new FlightWindow(link.receiveWindowBytes());
        this.sendWindow = new FlightWindow(Math.min(link.receiveWindowBytes(), LARGEST_SEND_WINDOW));
    }

    /** Moves the protocol on: packets in, then answers and requests out, then time-outs. Never blocks, never throws. */
    void progress() {
        int received = link.poll(RECEIVE_BATCH, receiver);
        schedule.runReady();
        if (received < RECEIVE_BATCH) {
            // A late owner first takes what has arrived meanwhile, then decides what is missing.
            schedule.runTimers(nanoClock.getAsLong());
        }
        link.flush();
    }

    void lock() {
        lock.lock();
    }

    void unlock() {
        lock.unlock();
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

    void close() {
        link.close();
    }

    GidTable gids() {
        return gids;
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

    /** Returns the room for READ responses on their way to here. */
    FlightWindow readWindow() {
        return readWindow;
    }

    /** Returns the room for SENDs and WRITEs on their way from here. */
    FlightWindow sendWindow() {
        return sendWindow;
    }
}
