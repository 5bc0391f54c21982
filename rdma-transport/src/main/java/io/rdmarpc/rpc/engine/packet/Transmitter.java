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
 * Sends datagrams and frees their memory when the NIC no longer uses it.
 *
 * <pre>
 *   acquire -> send (repeatedly) -> release -> memory free once the last send is complete
 *                    \-> stalled while the send queue is full; sent in order later
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
    /** Batches that the next flush posts. Elements beyond the count are not cleared, as in a batch. */
    private @Nullable PacketBatch[] open = new PacketBatch[1];

    private int openCount;
    private final boolean batching;
    /** A block that was returned in this duty cycle; valid if {@link #hasSpare}. */
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

    /**
     * Returns a block for a packet of the engine itself, or null if memory is short. In that case another thread
     * registers more memory.
     */
    @Nullable
    public RegisteredBlock tryTakeBlock() {
        RegisteredBlock block = tryTakeFree();
        if (block == null) {
            growSlab();
        }
        return block;
    }

    /** Like {@link #tryTakeBlock}, for a message of a user, which can use other memory instead. */
    @Nullable
    public RegisteredBlock tryTakeFree() {
        if (hasSpare) {
            hasSpare = false;
            return spare;
        }
        return slab.tryTakeBlock();
    }

    /**
     * Returns a block. The transmitter keeps the first one of a duty cycle, because the same cycle usually needs a
     * block. This avoids the pool's atomic operations. An example is a response that replaces an earlier retained
     * response.
     */
    @SuppressWarnings("ReferenceEquality") // identity of the block
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

    /** Frees the spare block at the end of a duty cycle, for other threads. */
    public void freeSpare() {
        if (hasSpare) {
            hasSpare = false;
            owned(spare).free();
        }
    }

    /**
     * Registers more blocks on another thread. Retained responses may hold every block, so waiting alone would not
     * help.
     */
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
                LOG.log(
                        System.Logger.Level.WARNING,
                        "Cannot register memory for further packets; retrying when a packet needs it",
                        e);
            }
        });
    }

    /** Creates a packet, which owns the block from now on. */
    public OutgoingPacket acquire(PeerPath path, RegisteredBlock block, long offset, int length) {
        OutgoingPacket packet = pool.take();
        packet.usePath(path);
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
     * Sends a packet at once. The caller knows that no message follows that could share it. If other packets already
     * wait for a flush, they are sent with it.
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

    /** Keeps a packet until the flush. Packets of the same flush to the same peer share one datagram. */
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
            // Another message of this size would not fit, so the packet is posted with the next postlist.
            post(batch);
        } else if (!batch.listed) {
            list(batch);
        }
    }

    @SuppressWarnings("ReferenceEquality") // identity of the batch
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

    /** Releases the batch of a path on which nothing more is sent. */
    public void removePath(PeerPath path) {
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

    /** Posts a packet with copies of the messages, whose own memory is then free. */
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
        if (!sent && !isAbandoned(message)) {
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

    /** Returns whether packets wait for room in the send queue, or for a poll that detects their completion. */
    public boolean isWaiting() {
        return !stalled.isEmpty() || ud.mustPollSends();
    }

    /**
     * Returns whether the NIC may still read a copy of the packet; then the packet must neither change nor be sent
     * again.
     */
    public boolean isAtNic(OutgoingPacket packet) {
        return packet.batched || packet.stalled || packet.lastSend > ud.completedSends();
    }

    /** Releases a packet; its memory is freed when the NIC no longer uses it. */
    public void release(OutgoingPacket packet) {
        packet.released = true;
        if (!isAtNic(packet)) {
            recycle(packet);
        } else if (!packet.stalled && !packet.batched) {
            draining.addLast(packet);
        }
    }

    /** Sends a packet without an owner. If the queue is full, the packet waits and is sent later. */
    public void sendOnce(OutgoingPacket packet) {
        packet.unowned = true;
        send(packet);
        release(packet);
    }

    /** Like {@link #sendOnce}, but at once as {@link #sendAtOnce}. */
    public void sendOnceNow(OutgoingPacket packet) {
        packet.unowned = true;
        sendAtOnce(packet);
        release(packet);
    }

    /** Returns whether packets wait for room in the send queue, or for the recovery of the queue pair. */
    public boolean isStalled() {
        return paused || !stalled.isEmpty();
    }

    /** Sends stalled packets and frees packets that the NIC no longer uses. Returns how many packets it handled. */
    public int advance() {
        int moved = 0;
        while (!stalled.isEmpty() && (isAbandoned(stalled.getFirst()) || tryPost(stalled.getFirst()))) {
            OutgoingPacket packet = stalled.removeFirst();
            packet.stalled = false;
            owned(packet.path).waiting--;
            if (packet.released) {
                // The owner has released the packet while it waited, or it had no owner. A copy may still be at the
                // NIC.
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

    private static boolean isAbandoned(OutgoingPacket packet) {
        return packet.released && !packet.unowned;
    }

    public boolean hasLeft(PeerPath path) {
        return path.waiting == 0 && path.lastSend <= ud.completedSends();
    }

    /** Posts pending sends and returned receives. In a busy duty cycle, a few receives may wait. */
    public void flush(boolean busy) {
        postBatches();
        if (paused) {
            return;
        }
        if (busy) {
            ud.flushLazily();
        } else {
            ud.flush();
        }
    }

    /** Posts pending sends. */
    public void send() {
        postBatches();
        if (!paused) {
            ud.flushSends();
        }
    }

    /** Sends the packets of the postlist, without the batches that may still grow. */
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

    /** Stops posting until {@link #resume}; packets wait. */
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
