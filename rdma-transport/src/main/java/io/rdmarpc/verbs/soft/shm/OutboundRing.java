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

/** The ring of this process in the inbox of another RNIC on this host. */
final class OutboundRing implements AutoCloseable {

    private static final int HEX = 16;
    private static final SecureRandom TICKETS = new SecureRandom();

    private final Path inbox;
    private final String receiver;
    private final SharedFile ringFile;
    private final int ticket;
    /** Null for sealed memory, which cannot be shortened. */
    private final @Nullable FileFaults faults;

    private final LinkAddress destination;
    private final PeerPages pages = new PeerPages();
    private final BitSet shared = new BitSet();
    private @Nullable GrantedKeys granted;
    private final RingWriter writer;
    /** The receiver's state; null until the receiver has passed it. */
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
     * The sender of a ring.
     *
     * @param inbox the sender's inbox
     * @param port the sender's UDP port
     * @param addresses the sender's addresses, 16 bytes each, in the order of their indexes
     */
    record Sender(String inbox, int port, List<byte[]> addresses) {}

    /**
     * Creates a ring in an inbox. If memory is passed, the receiver's state is not known at first. The receiver passes
     * its state after it has received the ring. Until then this process notifies it of all packets.
     *
     * @param destination the address at which the receiver can be woken
     * @throws IOException if the inbox is gone, invalid or cannot receive now, or there is not enough memory
     */
    static OutboundRing create(Path inbox, RingSource source, LinkAddress destination) throws IOException {
        // The ring outlasts the routes of the queue pairs for which it was created.
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
     * Creates another ring, for one queue pair of the receiver, and announces it in this ring.
     *
     * @param targetQpn number of the queue pair
     * @throws IOException if the receiver has not opened this ring or cannot receive now, or there is not enough memory
     */
    OutboundRing createPath(RingSource source, int targetQpn) throws IOException {
        PeerState known = state;
        if (known == null || !source.passesMemory() || !writer.hasRoomForAnnouncement()) {
            throw new IOException(
                    "cannot open a path to " + inbox + ": the peer has not opened the main ring, or it is full");
        }
        OutboundRing made =
                new OutboundRing(inbox, source.pass(inbox, 0, targetQpn), 0, known.share(), false, destination);
        writer.writeAnnouncement();
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

    /** Returns whether pages of this process were passed to the receiver. */
    boolean hasShared(int number) {
        return shared.get(number);
    }

    void share(int number) {
        shared.set(number);
    }

    void unshare(int number) {
        shared.clear(number);
    }

    /** Returns the keys granted to the receiver, or null if there is not enough memory. */
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

    /** Replaces a key that may be granted to the receiver. */
    void renew(int key, int fresh) {
        if (granted != null) {
            granted.renew(key, fresh);
        }
    }

    /** Revokes a key that may be granted to the receiver. */
    void revoke(int key) {
        if (granted != null) {
            granted.revoke(key);
        }
    }

    /** Revokes all keys granted to the receiver; false if none were granted. */
    boolean revokeAll() {
        if (granted == null) {
            return false;
        }
        granted.revokeAll();
        return true;
    }

    /** Pins a key of the receiver, so that its revocation waits; false if the key is not valid. */
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

    /** Returns the native address of the receiver's state, which must be known; readable while the ring is open. */
    long stateAddress() {
        return Objects.requireNonNull(state).stateAddress();
    }

    /** Returns whether the receiver has not passed its state yet. */
    boolean isStateUnknown() {
        return state == null;
    }

    /** Accepts the receiver's state; false if the ticket is not that of this ring, or the state is known. */
    boolean acceptState(int receivedTicket, MemFd memory) {
        if (receivedTicket != ticket || state != null || !open) {
            return false;
        }
        try {
            state = PeerState.received(memory);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Returns the number of the receiver's addresses; while it is unknown, the maximum. */
    int targets() {
        PeerState known = state;
        return known == null ? ShmRingLayout.MAX_ADDRESSES : known.addresses();
    }

    boolean write(int source, int target, PacketBuffer packet) {
        boolean taken = faults == null
                ? writer.write(source, target, packet.memory(), packet.length())
                : faults.holds(() -> writer.write(source, target, packet.memory(), packet.length())) || faults.isTorn();
        localIndex = source;
        full &= !taken;
        return taken;
    }

    /**
     * Returns whether callers may write packets into the memory of the ring. This is not safe for a file, because
     * another process may shorten it.
     */
    boolean hasRooms() {
        return faults == null;
    }

    /** Claims room for a packet; returns the offset of its record in {@link #memory}, or -1 if the ring is full. */
    long claim(int length) {
        return writer.claim(length);
    }

    /** Makes the claimed record visible to the receiver. */
    void commit(long at, int source, int target, int length) {
        StopPoint.IN_RECORD.reach();
        writer.commit(at, source, target, length);
        localIndex = source;
        full = false;
    }

    /** Prefetches the cache lines of the next record, see {@link RingWriter#fetchNext}. */
    void fetchNext() {
        writer.fetchNext();
    }

    /**
     * Returns whether the ring has been full for longer than a time, which begins at the first call for a full ring.
     */
    boolean isFullFor(long nanos, long now) {
        if (!full) {
            full = true;
            fullSinceNanos = now;
        }
        return now - fullSinceNanos > nanos;
    }

    /** Marks that the receiver may have to be woken; returns true if it was not marked before. */
    boolean markUnrung() {
        boolean isNew = !unrung;
        unrung = true;
        return isNew;
    }

    /**
     * Returns whether this ring has to be announced to the receiver: once, and once after each {@link #announceAgain}.
     */
    boolean mustAnnounce() {
        boolean isNew = !announced;
        announced = true;
        return isNew;
    }

    void announceAgain() {
        announced = false;
    }

    /** Clears the mark of {@link #markUnrung}, because the receiver was or will be woken. */
    void endBatch() {
        unrung = false;
    }

    /**
     * Returns whether the receiver has to be woken: once for each of its sleeps. The caller executes a full fence
     * before.
     */
    boolean mustRing() {
        PeerState known = state;
        return open && known != null && mustRing(known.now());
    }

    /** Returns whether the current state is a sleep from which this ring has not woken the receiver. */
    boolean mustRing(int now) {
        if (!InboxState.isAsleep(now) || now == lastRung) {
            return false;
        }
        lastRung = now;
        return true;
    }

    /** Accepts the receiver's bell; false if there is one already, or the ticket is not that of this ring. */
    boolean acceptBell(int receivedTicket, Bell.Ringer taken) {
        boolean first = bell == null && receivedTicket == ticket && open;
        if (first) {
            bell = taken;
        }
        return first;
    }

    /** Wakes the receiver by its bell; false if it has passed none, or the bell is broken. */
    boolean ringBell() {
        Bell.Ringer known = bell;
        return known != null && known.ring();
    }

    /** Returns the index of the local address that was used last. */
    int localIndex() {
        return localIndex;
    }

    /** Returns the first address of the receiver that was used; valid as long as the link is open. */
    LinkAddress destination() {
        return destination;
    }

    /** Marks the ring as ended by a sender that is still alive. */
    void end() {
        // Only datagram paths end, and these are never files.
        ShmRingLayout.INT.setRelease(ringFile.memory(), (long) ShmRingLayout.ENDED, 1);
    }

    /** Returns whether the ring is open. Any thread. */
    boolean isOpen() {
        return open;
    }

    /** Returns whether the receiver still reads the ring. */
    boolean isUsable() {
        PeerState known = state;
        return open && (known == null || !known.isClosed()) && !readerHasAbandoned();
    }

    private boolean readerHasAbandoned() {
        return faults == null ? writer.isAbandoned() : faults.holds(writer::isAbandoned) || faults.isTorn();
    }

    /** Returns whether it is closed, or its receiver has written an invalid head. */
    boolean isUnsound() {
        return !open || writer.isBroken();
    }

    /** Returns whether the receiver has abandoned the ring and is still open, or has shortened the ring. */
    boolean isAbandoned() {
        PeerState known = state;
        return readerHasAbandoned() && (known == null || !known.isClosed());
    }

    /** Returns whether the receiver has rejected the ring for lack of room. */
    boolean hasNoRoom() {
        return faults == null ? writer.hasNoRoom() : faults.holds(writer::hasNoRoom);
    }

    /**
     * Returns whether packets are pending and none was read since the last call. If so, publishes the tail for the
     * reader.
     */
    boolean isStuck() {
        return faults == null ? looksStuck() : faults.holds(this::looksStuck) || faults.isTorn();
    }

    private boolean looksStuck() {
        long head = writer.head();
        boolean stuck = head == headAtLastLook && head != writer.tail();
        headAtLastLook = head;
        if (stuck) {
            writer.publishTail();
        }
        return stuck;
    }

    /** Returns whether nothing was written since the last call. */
    boolean isQuiet() {
        boolean quiet = writer.tail() == tailAtLastLook;
        tailAtLastLook = writer.tail();
        return quiet;
    }

    @Override
    public String toString() {
        return String.format(Locale.ROOT, "%s (%d bytes written)", inbox, writer.tail());
    }

    /** Closes the ring and all that the receiver has passed. */
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
