package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.shm.budget.PeerBudget;
import io.rdmarpc.verbs.soft.shm.budget.RingBudget;
import io.rdmarpc.verbs.soft.shm.layout.FileFaults;
import io.rdmarpc.verbs.soft.shm.layout.RingReader;
import io.rdmarpc.verbs.soft.shm.layout.SharedFile;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A ring that a sender has put into the local inbox. */
final class InboundRing implements AutoCloseable {

    private final SharedFile file;
    private final RingReader reader;
    private final String sender;
    private final int targetQpn;
    private final int ticket;
    private final PeerBudget.Share share;
    /** Null for sealed memory, which cannot be shortened. */
    private final @Nullable FileFaults faults;

    private long headAtLastLook = -1;
    private int passedKinds;
    private boolean initialized;

    private InboundRing(
            SharedFile file,
            RingHeader header,
            int targets,
            int ticket,
            PeerBudget.Share share,
            @Nullable FileFaults faults) {
        this.file = file;
        this.targetQpn = header.targetQpn();
        this.reader = new RingReader(file.memory(), header.port(), header.sources(), targets);
        this.sender = header.sender();
        this.ticket = ticket;
        this.share = share;
        this.faults = faults;
    }

    /**
     * Takes over a file. Its size is not sealed, because descriptors cannot be passed.
     *
     * @return null if it is invalid or over the limit, which the budget has counted
     */
    static @Nullable InboundRing open(Path path, int targets, RingBudget budget) {
        FileFaults faults = new FileFaults();
        try {
            SharedFile file = SharedFile.takeOver(path, RingHeader::fits);
            @Nullable RingHeader[] read = {null};
            faults.touch(() -> read[0] = RingHeader.read(file.memory()));
            RingHeader header = read[0];
            PeerBudget.Share share =
                    header == null ? null : budget.take(PeerBudget.peer(0, header.sender()), header.capacity());
            if (header != null && share != null) {
                return new InboundRing(file, header, targets, 0, share, faults);
            }
            faults.touch(() -> reject(file.memory(), header == null));
            file.close();
        } catch (IOException e) {
            budget.countBroken();
        }
        return null;
    }

    /**
     * Maps memory that a peer has passed.
     *
     * @return null if it is invalid or over the limit, which the budget has counted
     */
    static @Nullable InboundRing open(Handover.Ring offered, int targets, RingBudget budget) {
        try (offered) {
            long bytes = offered.memory().bytes();
            if (!RingHeader.fits(bytes)) {
                budget.countBroken();
                return null;
            }
            PeerBudget.Share share = budget.take(
                    PeerBudget.peer(offered.process(), offered.sender()), bytes - ShmRingLayout.HEADER_BYTES);
            if (share == null) {
                reject(offered);
                return null;
            }
            return open(offered, targets, budget, share);
        } catch (IOException e) {
            budget.countBroken();
            return null;
        }
    }

    private static @Nullable InboundRing open(
            Handover.Ring offered, int targets, RingBudget budget, PeerBudget.Share share) throws IOException {
        InboundRing opened = null;
        SharedFile file = SharedFile.received(offered.memory());
        try {
            RingHeader header = RingHeader.read(file.memory());
            if (header != null && header.sender().equals(offered.sender())) {
                opened = new InboundRing(file, header, targets, offered.ticket(), share, null);
                return opened;
            }
            budget.countBroken();
            reject(file.memory(), true);
            return null;
        } finally {
            if (opened == null) {
                share.close();
                file.close();
            }
        }
    }

    /** Marks a ring as rejected for lack of room; maps only its header. */
    static void reject(Handover.Ring offered) throws IOException {
        if (!RingHeader.fits(offered.memory().bytes())) {
            return;
        }
        try (Arena arena = Arena.ofShared()) {
            reject(offered.memory().mapStart(arena, ShmRingLayout.HEADER_BYTES), false);
        }
    }

    private static void reject(MemorySegment ring, boolean forGood) {
        int why = forGood ? ShmRingLayout.REJECTED : ShmRingLayout.NO_ROOM;
        ShmRingLayout.INT.setRelease(ring, (long) ShmRingLayout.ABANDONED, why);
    }

    /** Returns the sender's inbox. */
    String sender() {
        return sender;
    }

    /** Returns the ticket that the sender expects in messages to it, and that no other process knows. */
    int ticket() {
        return ticket;
    }

    /** Returns the number of the target queue pair, 0 if the ring is for all. */
    int targetQpn() {
        return targetQpn;
    }

    /** Returns whether the sender has received both state and bell. */
    boolean isInitialized() {
        return initialized;
    }

    void markInitialized() {
        initialized = true;
    }

    /** Returns whether a kind of message was not yet sent to the sender, see {@link Handover}. */
    boolean needs(int kind) {
        return (passedKinds & 1 << kind) == 0;
    }

    void markPassed(int kind) {
        passedKinds |= 1 << kind;
    }

    RingReader reader() {
        return reader;
    }

    /** Passes packets to a handler; returns their number, or -1 if the ring must not be read again. */
    int poll(int max, LinkPacketHandler handler, PacketBuffer buffer) {
        return faults == null ? reader.poll(max, handler, buffer) : reader.poll(max, handler, buffer, faults);
    }

    boolean hasNext() {
        return faults == null ? reader.hasNext() : faults.holds(reader::hasNext);
    }

    /** Returns whether the sender has ended the ring, and all packets were read. */
    boolean hasEnded() {
        return (faults == null ? saysEnded() : faults.holds(this::saysEnded)) && !hasNext();
    }

    private boolean saysEnded() {
        return (int) ShmRingLayout.INT.getAcquire(file.memory(), (long) ShmRingLayout.ENDED) != 0;
    }

    /** Returns whether the sender is copying with a key; false if the ring is closed. */
    boolean isPinned(int key) {
        return faults == null && file.memory().scope().isAlive() && pinned() == key;
    }

    /** Returns the key with which the sender is copying, or 0. */
    int pinned() {
        return faults == null ? (int) ShmRingLayout.INT.getVolatile(file.memory(), (long) ShmRingLayout.PINNED) : 0;
    }

    /** Returns whether the ring is stalled, or its sender has shortened it. */
    boolean isStalled() {
        return faults == null ? reader.isStalled() : faults.holds(reader::isStalled) || faults.isTorn();
    }

    /** Returns whether its sender has shortened it. */
    boolean isTorn() {
        return faults != null && faults.isTorn();
    }

    /** Returns whether no packet was read since the last call. */
    boolean isQuiet() {
        boolean quiet = reader.head() == headAtLastLook;
        headAtLastLook = reader.head();
        return quiet;
    }

    /** Marks the ring as abandoned, so that the sender stops using it. */
    void abandon() {
        if (faults == null) {
            reader.abandon(ShmRingLayout.REJECTED);
        } else {
            faults.touch(() -> reader.abandon(ShmRingLayout.REJECTED));
        }
    }

    /** Abandons the ring and unmaps it. */
    @Override
    public void close() {
        abandon();
        file.close();
        share.close();
    }
}
