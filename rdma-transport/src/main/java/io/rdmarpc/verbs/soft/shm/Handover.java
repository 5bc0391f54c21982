package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.ffi.DescriptorSocket;
import io.rdmarpc.verbs.soft.ffi.EventFd;
import io.rdmarpc.verbs.soft.ffi.MemFd;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Passes memory without a name between the inboxes of two processes. A message, with a descriptor unless it says FREED:
 *
 * <pre>
 *   byte 0      4     8       12         16          24             32
 *        magic  kind  number  zero       sender JVM  sender number
 * </pre>
 *
 * RING: a ring of the sender's, see {@link RingLayout}. PAGES: memory that the receiver may be granted, by its number;
 * {@link #KEYS} is the {@link KeyTable} that the sender keeps for the receiver. FREED: the sender has no more use for these pages. BELL: a counter by which
 * the receiver wakes the sender when that sleeps.
 *
 * <p>It needs native access. One thread at a time.
 */
final class Handover implements AutoCloseable {

    static final String FILE = "socket";

    /** The number of the pages that are the receiver's key table. */
    static final int KEYS = 0;

    static final int MAGIC = 0x48_41_4E_32;
    static final int RING = 1;
    static final int PAGES = 2;
    static final int FREED = 3;
    static final int BELL = 4;

    private static final long KIND = 4;
    private static final long NUMBER = 8;
    private static final long SENDER_JVM = 16;
    private static final long SENDER_NUMBER = 24;
    private static final int HEX = 16;
    private static final int MOST_AT_A_TIME = 256;
    private static final int MOST_RINGS = 1024;

    private final DescriptorSocket socket;
    private final long jvm;
    private final long number;
    private final Queue<MemFd> rings = new ArrayDeque<>();
    private final HostLinkCounters counters;
    private boolean more;

    /** Finds what a peer has handed over. */
    interface Peers {

        /** Returns the pages of the peer that has an inbox, or null when nothing is sent to it. */
        @Nullable
        PeerPages pagesOf(String inbox);

        /** Takes a bell over, to wake the peer that has an inbox; false when there is no use for it: it stays the caller's. */
        default boolean takeBell(String inbox, EventFd bell) {
            return false;
        }
    }

    private Handover(DescriptorSocket socket, String inbox, HostLinkCounters counters) {
        this.socket = socket;
        this.jvm = Long.parseUnsignedLong(inbox.substring(0, HEX), HEX);
        this.number = Long.parseUnsignedLong(inbox.substring(HEX + 1), HEX);
        this.counters = counters;
    }

    /**
     * Opens the end of an inbox, or returns null when there can be none.
     *
     * @param directory the inbox, which may be renamed later
     * @param name the inbox's name
     */
    static @Nullable Handover open(Path directory, String name, HostLinkCounters counters) {
        try {
            return new Handover(DescriptorSocket.bind(directory.resolve(FILE)), name, counters);
        } catch (IOException e) {
            System.getLogger(Handover.class.getName())
                    .log(Level.DEBUG, "Peers on this host are sent what they could read: {0}", e.getMessage());
            return null;
        }
    }

    // ---- out ----

    /** Offers memory to an inbox; false when it cannot take it now. */
    boolean offer(Path inbox, int kind, int pages, MemFd memory) {
        return send(inbox, kind, pages, memory.descriptor());
    }

    /** Offers an inbox what it wakes the own end by; when it cannot take that now, it goes on to send a datagram. */
    void offerBell(Path inbox, EventFd bell) {
        boolean ignored = send(inbox, BELL, 0, bell.descriptor());
    }

    /** Says that pages are given up; false when the inbox cannot take that now. */
    boolean tellFreed(Path inbox, int pages) {
        return send(inbox, FREED, pages, DescriptorSocket.NONE);
    }

    private boolean send(Path inbox, int kind, int pages, int descriptor) {
        MemorySegment message = socket.message();
        message.fill((byte) 0);
        message.set(ValueLayout.JAVA_INT, 0, MAGIC);
        message.set(ValueLayout.JAVA_INT, KIND, kind);
        message.set(ValueLayout.JAVA_INT, NUMBER, pages);
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
        return switch (message.get(ValueLayout.JAVA_INT, KIND)) {
            case RING -> takeRing();
            case PAGES -> takePages(peers.pagesOf(sender), pages);
            case FREED -> forget(peers.pagesOf(sender), pages);
            case BELL -> takeBell(peers, sender);
            default -> false;
        };
    }

    private boolean takeRing() {
        MemFd memory = takeMemory();
        if (memory != null && rings.size() == MOST_RINGS) {
            memory.close();
            return false;
        }
        return memory != null && rings.add(memory);
    }

    private boolean takePages(@Nullable PeerPages of, int pages) {
        MemFd memory = of == null ? null : takeMemory();
        if (of == null || memory == null) {
            return false;
        }
        try (memory) {
            return of.add(pages, memory);
        }
    }

    private boolean takeBell(Peers peers, String sender) {
        int descriptor = socket.takeDescriptor();
        if (descriptor == DescriptorSocket.NONE) {
            return false;
        }
        try {
            EventFd bell = EventFd.received(descriptor);
            boolean taken = peers.takeBell(sender, bell);
            if (!taken) {
                bell.close();
            }
            return taken;
        } catch (IOException e) {
            return false;
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
    MemFd nextRing() {
        return rings.poll();
    }

    @Override
    public void close() {
        rings.forEach(MemFd::close);
        rings.clear();
        socket.close();
    }
}
