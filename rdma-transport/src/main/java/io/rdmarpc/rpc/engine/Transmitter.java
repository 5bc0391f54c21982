package io.rdmarpc.rpc.engine;

import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.engine.EngineCounters.Counter;
import io.rdmarpc.transport.UdTransport;
import io.rdmarpc.verbs.RdmaException;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Sends datagrams and gives their memory back when the NIC is done with it.
 *
 * <pre>
 *   acquire -> send (again and again) -> release -> memory free once the last send is complete
 *                    \-> stalled while the send queue is full, sent in order later
 * </pre>
 *
 * Engine thread only.
 */
final class Transmitter {

    private static final System.Logger LOG = System.getLogger(Transmitter.class.getName());
    private static final long GROWTH_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final UdTransport ud;
    private final SlabPool slab;
    private final NanoClock clock;
    private final Executor blocking;
    private final EngineCounters counters;
    private final ArrayDeque<OutgoingPacket> pool = new ArrayDeque<>();
    private final ArrayDeque<OutgoingPacket> stalled = new ArrayDeque<>();
    private final ArrayDeque<OutgoingPacket> draining = new ArrayDeque<>();
    private boolean held;
    private long nextGrowthNanos;

    Transmitter(UdTransport ud, SlabPool slab, NanoClock clock, Executor blocking, EngineCounters counters) {
        this.ud = ud;
        this.slab = slab;
        this.clock = clock;
        this.blocking = blocking;
        this.counters = counters;
    }

    /** A block for a packet that the engine itself makes; null when memory is short: then there is more soon. */
    @Nullable
    RegisteredBlock tryTakeBlock() {
        RegisteredBlock block = slab.tryTakeBlock();
        if (block == null) {
            growSlab();
        }
        return block;
    }

    /** Answers that are kept for their clients may hold every block, so waiting alone would not help. */
    private void growSlab() {
        long now = clock.nanoTime();
        if (nextGrowthNanos != 0 && now - nextGrowthNanos < 0) {
            return;
        }
        nextGrowthNanos = now + GROWTH_INTERVAL_NANOS;
        blocking.execute(() -> {
            try {
                slab.grow();
            } catch (RdmaException e) {
                LOG.log(System.Logger.Level.WARNING, "there is no memory for another packet", e);
            }
        });
    }

    /** Wraps a packet; the block now belongs to it. */
    OutgoingPacket acquire(PeerPath path, RegisteredBlock block, long offset, int length) {
        OutgoingPacket packet = pool.isEmpty() ? new OutgoingPacket() : pool.removeLast();
        packet.path = path;
        packet.block = block;
        packet.address = block.address() + offset;
        packet.length = length;
        return packet;
    }

    void send(OutgoingPacket packet) {
        if (packet.stalled) {
            return;
        }
        if (!stalled.isEmpty() || !tryPost(packet)) {
            packet.stalled = true;
            owned(packet.path).stalled++;
            stalled.addLast(packet);
        }
    }

    private boolean tryPost(OutgoingPacket packet) {
        if (held) {
            return false;
        }
        PeerPath path = owned(packet.path);
        int lkey = owned(packet.block).lkey();
        if (!ud.send(path.addressHandle.handle(), path.endpoint, packet.address, packet.length, lkey)) {
            return false;
        }
        packet.lastSend = ud.lastSend();
        path.lastSend = packet.lastSend;
        counters.increment(Counter.PACKETS_SENT);
        counters.add(Counter.BYTES_SENT, packet.length);
        return true;
    }

    /** Tells whether packets wait for room in the send queue. */
    boolean isWaiting() {
        return !stalled.isEmpty();
    }

    /** Tells whether a copy of the packet may still be read by the NIC; then it must neither change nor be sent again. */
    boolean isAtNic(OutgoingPacket packet) {
        return packet.stalled || packet.lastSend > ud.completedSends();
    }

    /** Gives a packet up; its memory follows when the NIC is done. */
    void release(OutgoingPacket packet) {
        packet.released = true;
        if (!isAtNic(packet)) {
            recycle(packet);
        } else if (!packet.stalled) {
            draining.addLast(packet);
        }
    }

    /** Sends a packet that nobody keeps; when the queue is full it waits and is sent all the same. */
    void sendOnce(OutgoingPacket packet) {
        packet.once = true;
        send(packet);
        release(packet);
    }

    /** Sends what was stalled and frees what has left; returns how many packets moved. */
    int advance() {
        int moved = 0;
        while (!stalled.isEmpty() && (isUnwanted(stalled.getFirst()) || tryPost(stalled.getFirst()))) {
            OutgoingPacket packet = stalled.removeFirst();
            packet.stalled = false;
            owned(packet.path).stalled--;
            if (packet.released) {
                // Its owner gave up while it was waiting, or there was none; a copy may still be at the NIC.
                draining.addLast(packet);
            }
            moved++;
        }
        while (!draining.isEmpty() && !isAtNic(draining.getFirst())) {
            recycle(draining.removeFirst());
            moved++;
        }
        return moved;
    }

    private static boolean isUnwanted(OutgoingPacket packet) {
        return packet.released && !packet.once;
    }

    boolean hasLeft(PeerPath path) {
        return path.stalled == 0 && path.lastSend <= ud.completedSends();
    }

    void flush() {
        if (!held) {
            ud.flush();
        }
    }

    /** Nothing is posted until {@link #goOn}; packets wait. */
    void hold() {
        held = true;
    }

    void goOn() {
        held = false;
    }

    private void recycle(OutgoingPacket packet) {
        owned(packet.block).free();
        packet.clear();
        pool.addLast(packet);
    }

    private static <T> T owned(@Nullable T part) {
        if (part == null) {
            throw new AssertionError("a packet that was recycled is still in use");
        }
        return part;
    }
}
