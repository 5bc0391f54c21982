package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.Bell;
import io.rdmarpc.verbs.soft.ffi.DescriptorSocket;
import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.shm.budget.HostLinkCounters;
import io.rdmarpc.verbs.soft.shm.budget.PageBudget;
import io.rdmarpc.verbs.soft.shm.budget.PeerBudget;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Passes memory without a name between the inboxes of two processes. A message, with a descriptor unless it is FREED:
 *
 * <pre>
 *   byte 0      4     8       12         16          24             32
 *        magic  kind  number  ticket     sender JVM  sender number
 * </pre>
 *
 * RING: a ring of the sender's, see {@link io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout}. PAGES: memory that the receiver may be granted, by its number;
 * {@link #KEYS} is the {@link io.rdmarpc.verbs.soft.shm.layout.KeyTable} that the sender keeps for the receiver. FREED: the sender has no more use for these pages.
 * BELL: the end of a {@link Bell} by which the receiver wakes the sender when that sleeps. STATE: the sender's {@link io.rdmarpc.verbs.soft.shm.layout.InboxState}. The ticket of
 * a RING is a random number; BELL and STATE bring it back, which shows that they come from the process that was given the ring.
 * It is 0 in all other messages.
 *
 * <p>It needs native access. One thread at a time.
 */
final class Handover implements AutoCloseable {

    static final String FILE = "socket";

    /** The number of the pages that are the receiver's key table. */
    static final int KEYS = 0;

    static final int MAGIC = 0x48_41_4E_33;
    static final int RING = 1;
    static final int PAGES = 2;
    static final int FREED = 3;
    static final int BELL = 4;
    static final int STATE = 5;

    private static final long KIND = 4;
    private static final long NUMBER = 8;
    private static final long TICKET = 12;
    private static final long SENDER_JVM = 16;
    private static final long SENDER_NUMBER = 24;
    private static final int HEX = 16;
    private static final int MOST_AT_A_TIME = 64;
    private static final int MOST_RINGS = 256;

    private final DescriptorSocket socket;
    private final long jvm;
    private final long number;
    private final Queue<Ring> rings = new ArrayDeque<>();
    private final HostLinkCounters counters;
    private final PageBudget budget = new PageBudget();
    private boolean more;

    /** Finds what a peer has handed over. */
    interface Peers {

        /** Returns the pages of the peer that has an inbox, or null when nothing is sent to it. */
        @Nullable
        PeerPages pagesOf(String inbox);

        /**
         * Takes a bell over, to wake the peer that has an inbox; false when there is no use for it, or the ticket is not the one that
         * this peer was given: it stays the caller's.
         */
        default boolean takeBell(String inbox, int ticket, Bell.Ringer bell) {
            return false;
        }

        /** Takes the state of the peer that has an inbox; false as for a bell. The descriptor stays the caller's. */
        default boolean takeState(String inbox, int ticket, MemFd state) {
            return false;
        }
    }

    /**
     * A ring that was handed over.
     *
     * @param memory its memory
     * @param sender the sender's inbox, as the sender claims
     * @param process the number of the process that has sent it, as the kernel says; 0 when it is not known
     * @param ticket the number that the sender expects in BELL and STATE
     */
    record Ring(MemFd memory, String sender, int process, int ticket) implements AutoCloseable {

        @Override
        public void close() {
            memory.close();
        }
    }

    private Handover(DescriptorSocket socket, String inbox, HostLinkCounters counters) {
        this.socket = socket;
        this.jvm = Long.parseUnsignedLong(inbox.substring(0, HEX), HEX);
        this.number = Long.parseUnsignedLong(inbox.substring(HEX + 1), HEX);
        this.counters = counters;
    }

    /**
     * Opens the end of an inbox.
     *
     * @param directory the inbox, which may be renamed later
     * @param name the inbox's name
     * @throws IOException when there can be none
     */
    static Handover open(Path directory, String name, HostLinkCounters counters) throws IOException {
        return new Handover(DescriptorSocket.bind(directory.resolve(FILE)), name, counters);
    }

    // ---- out ----

    /** Offers memory to an inbox; false when it cannot take it now. */
    boolean offer(Path inbox, int kind, int pages, MemFd memory) {
        return send(inbox, kind, pages, 0, memory.descriptor());
    }

    /** Offers a ring to an inbox, with a ticket for the answer; false when it cannot take it now. */
    boolean offerRing(Path inbox, int ticket, MemFd ring) {
        return send(inbox, RING, 0, ticket, ring.descriptor());
    }

    /** Offers an inbox what it wakes the own end by; false when it cannot take that now. */
    boolean offerBell(Path inbox, int ticket, Bell bell) {
        return send(inbox, BELL, 0, ticket, bell.ringer());
    }

    /** Offers the own state to an inbox; false when it cannot take that now. */
    boolean offerState(Path inbox, int ticket, MemFd state) {
        return send(inbox, STATE, 0, ticket, state.descriptor());
    }

    /** Says that pages are given up; false when the inbox cannot take that now. */
    boolean tellFreed(Path inbox, int pages) {
        return send(inbox, FREED, pages, 0, DescriptorSocket.NONE);
    }

    private boolean send(Path inbox, int kind, int pages, int ticket, int descriptor) {
        MemorySegment message = socket.message();
        message.fill((byte) 0);
        message.set(ValueLayout.JAVA_INT, 0, MAGIC);
        message.set(ValueLayout.JAVA_INT, KIND, kind);
        message.set(ValueLayout.JAVA_INT, NUMBER, pages);
        message.set(ValueLayout.JAVA_INT, TICKET, ticket);
        message.set(ValueLayout.JAVA_LONG, SENDER_JVM, jvm);
        message.set(ValueLayout.JAVA_LONG, SENDER_NUMBER, number);
        return socket.send(inbox.resolve(FILE), descriptor);
    }

    // ---- in ----

    /** Takes what others have handed over. What makes no sense is closed and counted. */
    void take(Peers peers) {
        int count = 0;
        while (count < MOST_AT_A_TIME && socket.receive()) {
            count++;
            if (!takeOne(peers)) {
                counters.countRefusedHandover();
            }
            socket.dropDescriptor();
        }
        more = count == MOST_AT_A_TIME;
    }

    /** Tells whether a ring was taken that nobody has asked for, or more may wait. */
    boolean hasMore() {
        return more || !rings.isEmpty();
    }

    private boolean takeOne(Peers peers) {
        MemorySegment message = socket.message();
        if (message.get(ValueLayout.JAVA_INT, 0) != MAGIC) {
            return false;
        }
        String sender = Inbox.name(
                message.get(ValueLayout.JAVA_LONG, SENDER_JVM), message.get(ValueLayout.JAVA_LONG, SENDER_NUMBER));
        int pages = message.get(ValueLayout.JAVA_INT, NUMBER);
        int ticket = message.get(ValueLayout.JAVA_INT, TICKET);
        return switch (message.get(ValueLayout.JAVA_INT, KIND)) {
            case RING -> takeRing(sender, ticket);
            case PAGES -> takePages(peers.pagesOf(sender), pages, PeerBudget.peer(socket.process(), sender));
            case FREED -> forget(peers.pagesOf(sender), pages);
            case BELL -> takeBell(peers, sender, ticket);
            case STATE -> takeState(peers, sender, ticket);
            default -> false;
        };
    }

    private boolean takeRing(String sender, int ticket) {
        MemFd memory = takeMemory();
        if (memory != null && rings.size() == MOST_RINGS) {
            memory.close();
            return false;
        }
        return memory != null && rings.add(new Ring(memory, sender, socket.process(), ticket));
    }

    private boolean takePages(@Nullable PeerPages of, int pages, String peer) {
        MemFd memory = of == null ? null : takeMemory();
        if (of == null || memory == null) {
            return false;
        }
        try (memory) {
            PeerBudget.Share room = budget.take(peer, memory.bytes());
            return room != null && of.add(pages, memory, room);
        }
    }

    private boolean takeBell(Peers peers, String sender, int ticket) {
        int descriptor = socket.takeDescriptor();
        if (descriptor == DescriptorSocket.NONE) {
            return false;
        }
        try {
            Bell.Ringer bell = Bell.Ringer.received(descriptor);
            boolean taken = peers.takeBell(sender, ticket, bell);
            if (!taken) {
                bell.close();
            }
            return taken;
        } catch (IOException e) {
            return false;
        }
    }

    private boolean takeState(Peers peers, String sender, int ticket) {
        MemFd state = takeMemory();
        if (state == null) {
            return false;
        }
        try (state) {
            return peers.takeState(sender, ticket, state);
        }
    }

    private static boolean forget(@Nullable PeerPages of, int pages) {
        return of == null || of.remove(pages);
    }

    private @Nullable MemFd takeMemory() {
        int descriptor = socket.takeDescriptor();
        try {
            return descriptor == DescriptorSocket.NONE ? null : MemFd.received(descriptor);
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns a ring that was taken, or null. */
    @Nullable
    Ring nextRing() {
        return rings.poll();
    }

    @Override
    public void close() {
        rings.forEach(Ring::close);
        rings.clear();
        socket.close();
    }
}
