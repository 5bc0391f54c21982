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

/** A ring that a sender has put into the own inbox. */
final class InboundRing implements AutoCloseable {

    private final SharedFile file;
    private final RingReader reader;
    private final String sender;
    private final int targetQpn;
    private final int ticket;
    private final PeerBudget.Share share;
    /** Null for memory that cannot be shortened. */
    private final @Nullable FileFaults faults;

    private long headAtLastLook = -1;
    private int handedOver;
    private boolean welcomed;

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
     * Takes a file over; its descriptor cannot be passed, so its size is not for good.
     *
     * @return null when it makes no sense or there is no room for it, which the budget has counted
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
            faults.touch(() -> refuse(file.memory(), header == null));
            file.close();
        } catch (IOException e) {
            budget.countBroken();
        }
        return null;
    }

    /**
     * Takes memory that was handed over.
     *
     * @return null when it makes no sense or there is no room for it, which the budget has counted
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
                refuse(offered);
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
            refuse(file.memory(), true);
            return null;
        } finally {
            if (opened == null) {
                share.close();
                file.close();
            }
        }
    }

    /** Says that there is no room for a ring, of which only the header is mapped for that. */
    static void refuse(Handover.Ring offered) throws IOException {
        if (!RingHeader.fits(offered.memory().bytes())) {
            return;
        }
        try (Arena arena = Arena.ofShared()) {
            refuse(offered.memory().mapStart(arena, ShmRingLayout.HEADER_BYTES), false);
        }
    }

    private static void refuse(MemorySegment ring, boolean forGood) {
        int why = forGood ? ShmRingLayout.REFUSED : ShmRingLayout.NO_ROOM;
        ShmRingLayout.INT.setRelease(ring, (long) ShmRingLayout.GIVEN_UP, why);
    }

    /** Returns the sender's inbox. */
    String sender() {
        return sender;
    }

    /** Returns the number that the sender is to hear with what it is handed over, which only it knows. */
    int ticket() {
        return ticket;
    }

    /** Returns the number of the queue pair that it leads to, 0 when it is for all. */
    int targetQpn() {
        return targetQpn;
    }

    /** Tells whether the sender has been handed over all that it needs. */
    boolean isWelcomed() {
        return welcomed;
    }

    void welcomed() {
        welcomed = true;
    }

    /** Tells whether the sender has not been sent a kind of message, see {@link Handover}. */
    boolean lacks(int kind) {
        return (handedOver & 1 << kind) == 0;
    }

    void handedOver(int kind) {
        handedOver |= 1 << kind;
    }

    RingReader reader() {
        return reader;
    }

    /** Hands packets over; returns how many, or -1 when nothing is to be read here any more. */
    int poll(int max, LinkPacketHandler handler, PacketBuffer buffer) {
        return faults == null ? reader.poll(max, handler, buffer) : reader.poll(max, handler, buffer, faults);
    }

    boolean hasNext() {
        return faults == null ? reader.hasNext() : faults.holds(reader::hasNext);
    }

    /** Tells whether the sender will write no more, and all it has written was read. */
    boolean hasEnded() {
        return (faults == null ? saysEnded() : faults.holds(this::saysEnded)) && !hasNext();
    }

    private boolean saysEnded() {
        return (int) ShmRingLayout.INT.getAcquire(file.memory(), (long) ShmRingLayout.ENDED) != 0;
    }

    /** Tells whether the sender copies with a key just now; not when the ring is closed. */
    boolean isPinned(int key) {
        return faults == null && file.memory().scope().isAlive() && pinned() == key;
    }

    /** Returns the key that the sender copies with just now, or 0. */
    int pinned() {
        return faults == null ? (int) ShmRingLayout.INT.getVolatile(file.memory(), (long) ShmRingLayout.PINNED) : 0;
    }

    /** Tells whether its sender has written what cannot be found, or has shortened it. */
    boolean isStalled() {
        return faults == null ? reader.isStalled() : faults.holds(reader::isStalled) || faults.isTorn();
    }

    /** Tells whether its sender has shortened it. */
    boolean isTorn() {
        return faults != null && faults.isTorn();
    }

    /** Tells whether nothing has come since the last call. */
    boolean isQuiet() {
        boolean quiet = reader.head() == headAtLastLook;
        headAtLastLook = reader.head();
        return quiet;
    }

    /** Takes nothing more out of the ring, and lets the sender know. */
    void giveUp() {
        if (faults == null) {
            reader.giveUp(ShmRingLayout.REFUSED);
        } else {
            faults.touch(() -> reader.giveUp(ShmRingLayout.REFUSED));
        }
    }

    /** Gives the ring up and ends the mapping. */
    @Override
    public void close() {
        giveUp();
        file.close();
        share.close();
    }
}
