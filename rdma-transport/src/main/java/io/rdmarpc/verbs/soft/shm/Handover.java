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
 * Passes anonymous memory between the inboxes of two processes. A message has a descriptor unless it is FREED:
 *
 * <pre>
 *   byte 0      4     8       12         16          24             32
 *        magic  kind  number  ticket     sender JVM  sender number
 * </pre>
 *
 * RING: a ring of the sender, see {@link io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout}. PAGES: memory that the sender
 * may grant to the receiver, by its number; {@link #KEYS} is the {@link io.rdmarpc.verbs.soft.shm.layout.KeyTable} of
 * the sender for the receiver. FREED: the sender has freed these pages. BELL: the end of a {@link Bell} with which the
 * receiver wakes the sender. STATE: the sender's {@link io.rdmarpc.verbs.soft.shm.layout.InboxState}. The ticket of a
 * RING is a random number. BELL and STATE return it, which proves that their sender has received the ring. It is 0 in
 * all other messages.
 *
 * <p>Needs native access. One thread at a time.
 */
final class Handover implements AutoCloseable {

    static final String FILE = "socket";

    /** The number of the receiver's key table. */
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
    private static final int MAX_PER_CALL = 64;
    private static final int MAX_RINGS = 256;

    private final DescriptorSocket socket;
    private final long jvm;
    private final long number;
    private final Queue<Ring> rings = new ArrayDeque<>();
    private final HostLinkCounters counters;
    private final PageBudget budget = new PageBudget();
    private boolean more;

    /** The receivers of descriptors that peers pass. */
    interface Peers {

        /** Returns the pages of the peer with an inbox, or null if there is no ring to it. */
        @Nullable
        PeerPages pagesOf(String inbox);

        /**
         * Accepts a bell to wake the peer with an inbox. Returns false if the bell is not needed, or the ticket is not
         * the one that this peer received. The caller then still owns the bell.
         */
        default boolean acceptBell(String inbox, int ticket, Bell.Ringer bell) {
            return false;
        }

        /**
         * Accepts the state of the peer with an inbox; returns false as for a bell. The caller still owns the
         * descriptor.
         */
        default boolean acceptState(String inbox, int ticket, MemFd state) {
            return false;
        }
    }

    /**
     * A ring that a peer has passed.
     *
     * @param memory the memory of the ring
     * @param sender the sender's inbox, as the sender claims
     * @param process identifier of the sending process as reported by the kernel; 0 if unknown
     * @param ticket the ticket that the sender expects in BELL and STATE
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
     * Opens the socket of an inbox.
     *
     * @param directory the inbox, which may be renamed later
     * @param name the inbox's name
     * @throws IOException if the socket cannot be created
     */
    static Handover open(Path directory, String name, HostLinkCounters counters) throws IOException {
        return new Handover(DescriptorSocket.bind(directory.resolve(FILE)), name, counters);
    }

    // ---- out ----

    /** Sends memory to an inbox; false if it cannot receive now. */
    boolean offer(Path inbox, int kind, int pages, MemFd memory) {
        return send(inbox, kind, pages, 0, memory.descriptor());
    }

    /** Sends a ring to an inbox, with a ticket for the response; false if it cannot receive now. */
    boolean offerRing(Path inbox, int ticket, MemFd ring) {
        return send(inbox, RING, 0, ticket, ring.descriptor());
    }

    /** Sends the bell of this process to an inbox; false if it cannot receive now. */
    boolean offerBell(Path inbox, int ticket, Bell bell) {
        return send(inbox, BELL, 0, ticket, bell.ringer());
    }

    /** Sends the state of this process to an inbox; false if it cannot receive now. */
    boolean offerState(Path inbox, int ticket, MemFd state) {
        return send(inbox, STATE, 0, ticket, state.descriptor());
    }

    /** Notifies an inbox that pages were freed; false if it cannot receive now. */
    boolean notifyFreed(Path inbox, int pages) {
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

    /** Receives the messages of peers. Invalid descriptors are closed and counted. */
    void take(Peers peers) {
        int count = 0;
        while (count < MAX_PER_CALL && socket.receive()) {
            count++;
            if (!receiveOne(peers)) {
                counters.countRejectedHandover();
            }
            socket.dropDescriptor();
        }
        more = count == MAX_PER_CALL;
    }

    /** Returns whether a received ring was not fetched by {@link #nextRing}, or more messages may wait. */
    boolean hasMore() {
        return more || !rings.isEmpty();
    }

    private boolean receiveOne(Peers peers) {
        MemorySegment message = socket.message();
        if (message.get(ValueLayout.JAVA_INT, 0) != MAGIC) {
            return false;
        }
        String sender = Inbox.name(
                message.get(ValueLayout.JAVA_LONG, SENDER_JVM), message.get(ValueLayout.JAVA_LONG, SENDER_NUMBER));
        int pages = message.get(ValueLayout.JAVA_INT, NUMBER);
        int ticket = message.get(ValueLayout.JAVA_INT, TICKET);
        return switch (message.get(ValueLayout.JAVA_INT, KIND)) {
            case RING -> acceptRing(sender, ticket);
            case PAGES -> acceptPages(peers.pagesOf(sender), pages, PeerBudget.peer(socket.process(), sender));
            case FREED -> forget(peers.pagesOf(sender), pages);
            case BELL -> acceptBell(peers, sender, ticket);
            case STATE -> acceptState(peers, sender, ticket);
            default -> false;
        };
    }

    private boolean acceptRing(String sender, int ticket) {
        MemFd memory = receiveMemory();
        if (memory != null && rings.size() == MAX_RINGS) {
            memory.close();
            return false;
        }
        return memory != null && rings.add(new Ring(memory, sender, socket.process(), ticket));
    }

    private boolean acceptPages(@Nullable PeerPages of, int pages, String peer) {
        MemFd memory = of == null ? null : receiveMemory();
        if (of == null || memory == null) {
            return false;
        }
        try (memory) {
            PeerBudget.Share room = budget.take(peer, memory.bytes());
            return room != null && of.add(pages, memory, room);
        }
    }

    private boolean acceptBell(Peers peers, String sender, int ticket) {
        int descriptor = socket.takeDescriptor();
        if (descriptor == DescriptorSocket.NONE) {
            return false;
        }
        try {
            Bell.Ringer bell = Bell.Ringer.received(descriptor);
            boolean taken = peers.acceptBell(sender, ticket, bell);
            if (!taken) {
                bell.close();
            }
            return taken;
        } catch (IOException e) {
            return false;
        }
    }

    private boolean acceptState(Peers peers, String sender, int ticket) {
        MemFd state = receiveMemory();
        if (state == null) {
            return false;
        }
        try (state) {
            return peers.acceptState(sender, ticket, state);
        }
    }

    private static boolean forget(@Nullable PeerPages of, int pages) {
        return of == null || of.remove(pages);
    }

    private @Nullable MemFd receiveMemory() {
        int descriptor = socket.takeDescriptor();
        try {
            return descriptor == DescriptorSocket.NONE ? null : MemFd.received(descriptor);
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the next received ring, or null. */
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
