package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.concurrent.NanoClock;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.memory.SlabPool;
import io.rdmarpc.rpc.engine.context.EngineCounters;
import io.rdmarpc.rpc.engine.context.EngineCounters.Counter;
import io.rdmarpc.transport.UdEndpoint;
import io.rdmarpc.transport.UdTransport;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
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
public final class Transmitter {

    private static final System.Logger LOG = System.getLogger(Transmitter.class.getName());
    private static final long GROWTH_INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final UdTransport ud;
    private final SlabPool slab;
    private final NanoClock clock;
    private final Executor blocking;
    private final EngineCounters counters;
    private final PacketPool pool = new PacketPool();
    private final ArrayDeque<OutgoingPacket> stalled = new ArrayDeque<>();
    private final ArrayDeque<OutgoingPacket> draining = new ArrayDeque<>();
    private final Map<UdEndpoint, PacketBatch> batches = new HashMap<>();
    /** Batches that the next flush posts. What is behind the count stays, as in a batch. */
    private @Nullable PacketBatch[] open = new PacketBatch[1];

    private int openCount;
    private final boolean batching;
    /** A block that came back in this turn, if {@link #hasSpare}. */
    private @Nullable RegisteredBlock spare;

    private boolean hasSpare;
    private boolean paused;
    private long nextGrowthNanos;

    public Transmitter(
            UdTransport ud,
            SlabPool slab,
            NanoClock clock,
            Executor blocking,
            EngineCounters counters,
            boolean batching) {
        this.ud = ud;
        this.slab = slab;
        this.clock = clock;
        this.blocking = blocking;
        this.counters = counters;
        this.batching = batching;
    }

    /** A block for a packet that the engine itself makes; null when memory is short: then there is more soon. */
    @Nullable
    public RegisteredBlock tryTakeBlock() {
        RegisteredBlock block = tryTakeFree();
        if (block == null) {
            growSlab();
        }
        return block;
    }

    /** Likewise, for a message of a user, who has more memory elsewhere. */
    @Nullable
    public RegisteredBlock tryTakeFree() {
        if (hasSpare) {
            hasSpare = false;
            return spare;
        }
        return slab.tryTakeBlock();
    }

    /**
     * A block that nobody uses. Most of the time somebody needs one before the turn is over, such as the answer to a call that
     * has pushed an older answer out: that takes none of the pool's atomic steps.
     */
    @SuppressWarnings("ReferenceEquality") // that very block
    public void giveBack(RegisteredBlock block) {
        if (hasSpare || !slab.suits(block)) {
            block.free();
            return;
        }
        if (spare != block) {
            spare = block;
        }
        hasSpare = true;
    }

    /** Ends a turn: other threads may need what it did not. */
    public void freeSpare() {
        if (hasSpare) {
            hasSpare = false;
            owned(spare).free();
        }
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
            } catch (RuntimeException | Error e) {
                LOG.log(System.Logger.Level.WARNING, "there is no memory for another packet", e);
            }
        });
    }

    /** Wraps a packet; the block now belongs to it. */
    public OutgoingPacket acquire(PeerPath path, RegisteredBlock block, long offset, int length) {
        OutgoingPacket packet = pool.take();
        packet.goesOn(path);
        packet.carry(block, offset, length);
        return packet;
    }

    public void send(OutgoingPacket packet) {
        if (packet.stalled || packet.batched) {
            return;
        }
        counters.increment(Counter.MESSAGES_SENT);
        if (!stalled.isEmpty() || paused) {
            stall(packet);
        } else if (batching && PacketBatch.isSmall(packet, owned(packet.path).mtuBytes)) {
            batch(packet);
        } else {
            postOrStall(packet);
        }
    }

    /**
     * Sends a packet that nothing follows which could share it. What waits for a flush already is waited for by somebody, too: it
     * leaves together with that.
     */
    public void sendAtOnce(OutgoingPacket packet) {
        if (openCount > 0 || paused || packet.stalled || !stalled.isEmpty()) {
            send(packet);
            send();
            return;
        }
        counters.increment(Counter.MESSAGES_SENT);
        postOrStall(packet);
        ud.flushSends();
    }

    private void postOrStall(OutgoingPacket packet) {
        if (!tryPost(packet)) {
            stall(packet);
        }
    }

    private void stall(OutgoingPacket packet) {
        packet.stalled = true;
        owned(packet.path).waiting++;
        stalled.addLast(packet);
    }

    /** Until the flush; what leaves with it for the same peer shares its packet. */
    private void batch(OutgoingPacket packet) {
        PeerPath path = owned(packet.path);
        PacketBatch batch = batchOf(path);
        if (!batch.hasRoom(packet, path.mtuBytes)) {
            post(batch);
        }
        packet.batched = true;
        path.waiting++;
        batch.add(packet, path.mtuBytes);
        if (!batch.hasRoom(packet, path.mtuBytes)) {
            // Not for one more like it: the packet can leave as soon as somebody flushes.
            post(batch);
        } else if (!batch.listed) {
            list(batch);
        }
    }

    @SuppressWarnings("ReferenceEquality") // that very batch
    private void list(PacketBatch batch) {
        batch.listed = true;
        if (openCount == open.length) {
            open = Arrays.copyOf(open, 2 * openCount);
        }
        if (open[openCount] != batch) {
            open[openCount] = batch;
        }
        openCount++;
    }

    private PacketBatch batchOf(PeerPath path) {
        PacketBatch batch = path.batch;
        if (batch == null) {
            batch = batches.computeIfAbsent(path.endpoint, endpoint -> new PacketBatch());
            batch.users++;
            path.batch = batch;
        }
        return batch;
    }

    /** Nothing is sent on this path any more. */
    public void forget(PeerPath path) {
        PacketBatch batch = path.batch;
        if (batch != null && --batch.users == 0) {
            batches.remove(path.endpoint);
        }
    }

    private void post(PacketBatch batch) {
        RegisteredBlock block = batch.count() > 1 && !paused ? tryTakeFree() : null;
        boolean together = block != null && postTogether(batch, block);
        for (int i = 0; i < batch.count(); i++) {
            unbatch(batch.message(i), together);
        }
        batch.clear();
    }

    /** The copies leave: the messages themselves are free at once. */
    private boolean postTogether(PacketBatch batch, RegisteredBlock block) {
        int length = batch.write(block);
        PeerPath path = owned(batch.message(0).path);
        OutgoingPacket packet = acquire(path, block, 0, length);
        boolean posted = tryPost(packet);
        if (posted) {
            counters.add(Counter.MESSAGES_BATCHED, batch.count());
        }
        release(packet);
        return posted;
    }

    private void unbatch(OutgoingPacket message, boolean sent) {
        message.batched = false;
        owned(message.path).waiting--;
        if (!sent && !isUnwanted(message)) {
            postOrStall(message);
        }
        if (message.released) {
            release(message);
        }
    }

    private boolean tryPost(OutgoingPacket packet) {
        if (paused) {
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

    /** Tells whether packets wait for room in the send queue, or for a look at whether they have left. */
    public boolean isWaiting() {
        return !stalled.isEmpty() || ud.mustPollSends();
    }

    /** Tells whether a copy of the packet may still be read by the NIC; then it must neither change nor be sent again. */
    public boolean isAtNic(OutgoingPacket packet) {
        return packet.batched || packet.stalled || packet.lastSend > ud.completedSends();
    }

    /** Gives a packet up; its memory follows when the NIC is done. */
    public void release(OutgoingPacket packet) {
        packet.released = true;
        if (!isAtNic(packet)) {
            recycle(packet);
        } else if (!packet.stalled && !packet.batched) {
            draining.addLast(packet);
        }
    }

    /** Sends a packet that nobody keeps; when the queue is full it waits and is sent all the same. */
    public void sendOnce(OutgoingPacket packet) {
        packet.once = true;
        send(packet);
        release(packet);
    }

    /** Sends what was stalled and frees what has left; returns how many packets moved. */
    public int advance() {
        int moved = 0;
        while (!stalled.isEmpty() && (isUnwanted(stalled.getFirst()) || tryPost(stalled.getFirst()))) {
            OutgoingPacket packet = stalled.removeFirst();
            packet.stalled = false;
            owned(packet.path).waiting--;
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

    public boolean hasLeft(PeerPath path) {
        return path.waiting == 0 && path.lastSend <= ud.completedSends();
    }

    /** Posts what is to be sent, and the receives that were given back, which have time while there is something to do. */
    public void flush(boolean busy) {
        postBatches();
        if (paused) {
            return;
        }
        if (busy) {
            ud.flushInHaste();
        } else {
            ud.flush();
        }
    }

    /** Posts what is to be sent. */
    public void send() {
        postBatches();
        if (!paused) {
            ud.flushSends();
        }
    }

    /** Posts the packets that take no more messages. */
    public void sendFull() {
        if (!paused) {
            ud.flushSends();
        }
    }

    private void postBatches() {
        for (int i = 0; i < openCount; i++) {
            PacketBatch batch = owned(open[i]);
            batch.listed = false;
            post(batch);
        }
        openCount = 0;
    }

    /** Nothing is posted until {@link #resume}; packets wait. */
    void pause() {
        paused = true;
    }

    void resume() {
        paused = false;
    }

    private void recycle(OutgoingPacket packet) {
        giveBack(owned(packet.block));
        packet.clear();
        pool.put(packet);
    }

    private static <T> T owned(@Nullable T part) {
        if (part == null) {
            throw new AssertionError("a packet that was recycled is still in use");
        }
        return part;
    }
}
