package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.Bell;
import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.link.LinkAddress;
import io.rdmarpc.verbs.soft.link.StopPoint;
import io.rdmarpc.verbs.soft.shm.layout.FileFaults;
import io.rdmarpc.verbs.soft.shm.layout.InboxState;
import io.rdmarpc.verbs.soft.shm.layout.PeerState;
import io.rdmarpc.verbs.soft.shm.layout.RingWriter;
import io.rdmarpc.verbs.soft.shm.layout.SharedFile;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The own ring in the inbox of another RNIC of this host. */
final class OutboundRing implements AutoCloseable {

    private static final int HEX = 16;
    private static final SecureRandom TICKETS = new SecureRandom();

    private final Path inbox;
    private final String receiver;
    private final SharedFile ringFile;
    private final int ticket;
    /** Null for memory that cannot be shortened. */
    private final @Nullable FileFaults faults;

    private final LinkAddress destination;
    private final PeerPages pages = new PeerPages();
    private final BitSet shared = new BitSet();
    private @Nullable GrantedKeys granted;
    private final RingWriter writer;
    /** Null until the receiver has handed it over. */
    private @Nullable PeerState state;

    private int lastRung = InboxState.AWAKE;
    private boolean announced;
    private long headAtLastLook = -1;
    private long tailAtLastLook = -1;
    private long fullSinceNanos;
    private boolean full;
    private boolean unrung;
    private volatile boolean open = true;
    private int localIndex;
    private Bell.@Nullable Ringer bell;

    private OutboundRing(
            Path inbox,
            SharedFile ringFile,
            int ticket,
            @Nullable PeerState state,
            boolean mayShrink,
            LinkAddress destination) {
        this.inbox = inbox;
        this.receiver = inbox.getFileName().toString();
        this.ringFile = ringFile;
        this.ticket = ticket;
        this.state = state;
        this.faults = mayShrink ? new FileFaults() : null;
        this.destination = destination;
        this.writer = new RingWriter(ringFile.memory());
    }

    /**
     * Who sends.
     *
     * @param inbox its own inbox
     * @param port its UDP port
     * @param addresses its addresses, 16 bytes each, in the order of their indexes
     */
    record Sender(String inbox, int port, List<byte[]> addresses) {}

    /**
     * Makes a ring in an inbox. Where memory is passed the receiver's state is not known yet: it comes when the receiver has taken the
     * ring, and until then the receiver is rung for all that is written.
     *
     * @param destination where the receiver can be woken
     * @throws IOException when the inbox has gone, makes no sense or takes nothing now, or no memory is left
     */
    static OutboundRing create(Path inbox, RingSource source, LinkAddress destination) throws IOException {
        // The ring outlasts the ways of those for whom it was made.
        LinkAddress bell = destination.fromListener(source.port());
        if (source.passesMemory()) {
            int ticket = TICKETS.nextInt();
            return new OutboundRing(inbox, source.pass(inbox, ticket, 0), ticket, null, false, bell);
        }
        PeerState state = PeerState.open(inbox);
        OutboundRing made = null;
        try {
            made = new OutboundRing(inbox, source.publish(inbox), 0, state, true, bell);
            return made;
        } finally {
            if (made == null) {
                state.release();
            }
        }
    }

    /**
     * Makes a further ring, for a queue pair of the receiver's, and announces it in this one.
     *
     * @param targetQpn the queue pair's number
     * @throws IOException when the receiver has not taken this ring yet or takes nothing now, or no memory is left
     */
    OutboundRing createPath(RingSource source, int targetQpn) throws IOException {
        PeerState known = state;
        if (known == null || !source.passesMemory() || !writer.hasRoomForLook()) {
            throw new IOException(inbox + " takes no paths now");
        }
        OutboundRing made =
                new OutboundRing(inbox, source.pass(inbox, 0, targetQpn), 0, known.share(), false, destination);
        writer.writeLook();
        return made;
    }

    static void writeHeader(MemorySegment ring, Sender sender, int ringBytes, int targetQpn) {
        String name = sender.inbox();
        ring.set(ValueLayout.JAVA_INT, ShmRingLayout.TARGET_QPN, targetQpn);
        ring.set(ValueLayout.JAVA_INT, ShmRingLayout.CAPACITY, ringBytes);
        ring.set(ValueLayout.JAVA_LONG, ShmRingLayout.SENDER_JVM, Long.parseUnsignedLong(name.substring(0, HEX), HEX));
        ring.set(
                ValueLayout.JAVA_LONG,
                ShmRingLayout.SENDER_NUMBER,
                Long.parseUnsignedLong(name.substring(HEX + 1), HEX));
        ring.set(ValueLayout.JAVA_INT, ShmRingLayout.PORT, sender.port());
        ring.set(
                ValueLayout.JAVA_INT,
                ShmRingLayout.ADDRESSES,
                sender.addresses().size());
        for (int i = 0; i < sender.addresses().size(); i++) {
            long at = ShmRingLayout.ADDRESS_TABLE + (long) i * ShmRingLayout.ADDRESS_BYTES;
            MemorySegment.copy(
                    MemorySegment.ofArray(sender.addresses().get(i)), 0, ring, at, ShmRingLayout.ADDRESS_BYTES);
        }
        ring.set(ValueLayout.JAVA_INT, 0, ShmRingLayout.MAGIC);
    }

    /** Returns the receiver's inbox. */
    String receiver() {
        return receiver;
    }

    Path inbox() {
        return inbox;
    }

    /** Returns the receiver's memory. */
    PeerPages pages() {
        return pages;
    }

    /** Tells whether the receiver has been given pages of this end. */
    boolean hasShared(int number) {
        return shared.get(number);
    }

    void share(int number) {
        shared.set(number);
    }

    void unshare(int number) {
        shared.clear(number);
    }

    /** Returns which keys the receiver was granted, or null when there is no memory for that. */
    @Nullable
    GrantedKeys grantedKeys() {
        if (granted == null) {
            try {
                granted = GrantedKeys.create();
            } catch (IOException e) {
                return null;
            }
        }
        return granted;
    }

    /** Has another key stand for the memory of one that the receiver may have been granted. */
    void renew(int key, int fresh) {
        if (granted != null) {
            granted.renew(key, fresh);
        }
    }

    /** Ends a key that the receiver may have been granted. */
    void revoke(int key) {
        if (granted != null) {
            granted.revoke(key);
        }
    }

    /** Ends all keys that the receiver was granted; false when it was granted none. */
    boolean revokeAll() {
        if (granted == null) {
            return false;
        }
        granted.revokeAll();
        return true;
    }

    /** Keeps a key of the receiver's from being revoked; false when it is not valid. */
    boolean pin(int key, long grant) {
        ShmRingLayout.INT.setVolatile(ringFile.memory(), (long) ShmRingLayout.PINNED, key);
        VarHandle.fullFence();
        if (pages.isValid(key, grant)) {
            return true;
        }
        unpin();
        return false;
    }

    void unpin() {
        ShmRingLayout.INT.setRelease(ringFile.memory(), (long) ShmRingLayout.PINNED, 0);
    }

    /** Returns the whole ring. */
    MemorySegment memory() {
        return ringFile.memory();
    }

    /** Returns where the receiver's state is, which is known, readable while this is open. */
    long stateAddress() {
        return Objects.requireNonNull(state).stateAddress();
    }

    /** Tells whether the receiver has not handed over its state. */
    boolean isUnanswered() {
        return state == null;
    }

    /** Takes the receiver's state, if this is the ring that it was given; false when it is not, or it is known. */
    boolean takeState(int answeredTicket, MemFd memory) {
        if (answeredTicket != ticket || state != null || !open) {
            return false;
        }
        try {
            state = PeerState.received(memory);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns how many addresses the receiver has; the most that there can be while that is not known. */
    int targets() {
        PeerState known = state;
        return known == null ? ShmRingLayout.MOST_ADDRESSES : known.addresses();
    }

    boolean write(int source, int target, PacketBuffer packet) {
        boolean taken = faults == null
                ? writer.write(source, target, packet.memory(), packet.length())
                : faults.holds(() -> writer.write(source, target, packet.memory(), packet.length())) || faults.isTorn();
        localIndex = source;
        full &= !taken;
        return taken;
    }

    /** Tells whether packets can be written into its memory by others: not into a file that may be shortened meanwhile. */
    boolean hasRooms() {
        return faults == null;
    }

    /** Finds room for a packet and returns where its record begins in {@link #memory}, or -1 when the ring is full. */
    long claim(int length) {
        return writer.claim(length);
    }

    /** Makes the record that was claimed visible to the receiver. */
    void commit(long at, int source, int target, int length) {
        StopPoint.IN_RECORD.reach();
        writer.commit(at, source, target, length);
        localIndex = source;
        full = false;
    }

    /** Fetches where the next record will be, see {@link RingWriter#fetchNext}. */
    void fetchNext() {
        writer.fetchNext();
    }

    /** Tells whether the ring has been full for longer than some time, which begins when this is asked first. */
    boolean isFullFor(long nanos, long now) {
        if (!full) {
            full = true;
            fullSinceNanos = now;
        }
        return now - fullSinceNanos > nanos;
    }

    /** Notes that the receiver may have to be woken; true when it was not noted before. */
    boolean markUnrung() {
        boolean news = !unrung;
        unrung = true;
        return news;
    }

    /** Tells, once unless {@link #announceAgain} was called, whether the receiver is to hear that there is this ring. */
    boolean mustAnnounce() {
        boolean news = !announced;
        announced = true;
        return news;
    }

    void announceAgain() {
        announced = false;
    }

    /** Notes that the receiver was or will be woken for what was written until now. */
    void endBatch() {
        unrung = false;
    }

    /** Tells whether the receiver waits to be woken for what was written: once for each of its sleeps. A full fence comes first. */
    boolean mustRing() {
        PeerState known = state;
        return open && known != null && mustRing(known.now());
    }

    /** Tells whether a state that was read just now is of a sleep that the receiver was not woken from. */
    boolean mustRing(int now) {
        if (!InboxState.isAsleep(now) || now == lastRung) {
            return false;
        }
        lastRung = now;
        return true;
    }

    /** Takes what the receiver is woken by; false when there is one, or this is not the ring that the receiver was given. */
    boolean takeBell(int answeredTicket, Bell.Ringer taken) {
        boolean first = bell == null && answeredTicket == ticket && open;
        if (first) {
            bell = taken;
        }
        return first;
    }

    /** Wakes the receiver; false when it has handed over nothing to do that by, or that is broken. */
    boolean ringBell() {
        Bell.Ringer known = bell;
        return known != null && known.ring();
    }

    /** Returns the own address that was used last. */
    int localIndex() {
        return localIndex;
    }

    /** Returns the receiver's first address that was used, for as long as the link is open. */
    LinkAddress destination() {
        return destination;
    }

    /** Tells the receiver that nothing more will come here, though the sender lives. */
    void end() {
        // Datagram paths end, which are never files.
        ShmRingLayout.INT.setRelease(ringFile.memory(), (long) ShmRingLayout.ENDED, 1);
    }

    /** Tells whether it was not closed. Any thread. */
    boolean isOpen() {
        return open;
    }

    /** Tells whether anybody will read what is written. */
    boolean isUsable() {
        PeerState known = state;
        return open && (known == null || !known.isClosed()) && !readerHasGivenUp();
    }

    private boolean readerHasGivenUp() {
        return faults == null ? writer.isGivenUp() : faults.holds(writer::isGivenUp) || faults.isTorn();
    }

    /** Tells whether it is closed, or its receiver has written what no reader should. */
    boolean isSpoilt() {
        return !open || writer.isBroken();
    }

    /** Tells whether the receiver has refused what it found, or has shortened the ring. */
    boolean isGivenUp() {
        PeerState known = state;
        return readerHasGivenUp() && (known == null || !known.isClosed());
    }

    /** Tells whether the receiver has no room for a ring just now. */
    boolean hasNoRoom() {
        return faults == null ? writer.hasNoRoom() : faults.holds(writer::hasNoRoom);
    }

    /** Tells whether something waits and nothing was taken since the last call; the reader then learns how much it is. */
    boolean isStuck() {
        return faults == null ? looksStuck() : faults.holds(this::looksStuck) || faults.isTorn();
    }

    private boolean looksStuck() {
        long head = writer.head();
        boolean stuck = head == headAtLastLook && head != writer.tail();
        headAtLastLook = head;
        if (stuck) {
            writer.tellTail();
        }
        return stuck;
    }

    /** Tells whether nothing was written since the last call. */
    boolean isQuiet() {
        boolean quiet = writer.tail() == tailAtLastLook;
        tailAtLastLook = writer.tail();
        return quiet;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s (%d bytes written)", inbox, writer.tail());
    }

    /** Ends the use of the ring. */
    @Override
    public void close() {
        if (open) {
            open = false;
            pages.close();
            if (granted != null) {
                granted.close();
            }
            if (bell != null) {
                bell.close();
            }
            ringFile.close();
            if (state != null) {
                state.release();
            }
        }
    }
}
