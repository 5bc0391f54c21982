package io.rdmarpc.remote.notification;

import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lender.LentRegion;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Posts receives without buffers, which WRITEs with immediate data consume. One shared receive queue serves all
 * successive queue pairs of a peer. The immediate data contains the slot of the region and a tag of the peer.
 *
 * <pre>
 *   31                16 15                0
 *   +------------------+------------------+
 *   | slot of region   | tag              |
 *   +------------------+------------------+
 * </pre>
 *
 * Slots are assigned in rotation, so that a late notification of an ended region does not reach its successor at once.
 */
public final class NotificationQueue implements NotificationSource, AutoCloseable {

    /**
     * Maximum number of notifications of a peer that wait for the listener, for all regions and rings together. The
     * next write waits.
     */
    public static final int RECEIVES = 512;

    private static final int SLOTS = 1 << 16;
    private static final int SLOT_SHIFT = 16;
    private static final int TAG_MASK = SLOTS - 1;
    private static final int BATCH = 32;

    private final String device;
    private final CompletionQueue completions;
    private final SharedReceiveQueue receives;
    private final Arena arena = Arena.ofShared();
    private final ReceiveRequests request;
    private final WorkCompletions batch;
    private final Map<Integer, LentRegion> slots = new ConcurrentHashMap<>();
    private final List<Notification> kept = new ArrayList<>();
    private int nextSlot;
    private boolean closed;

    /**
     * Creates the queues and posts all receives.
     *
     * @param context the device
     * @param domain the protection domain of the peer
     * @param channel reports notifications after {@link #arm}
     */
    public NotificationQueue(RdmaContext context, ProtectionDomain domain, CompletionChannel channel) {
        this.device = context.deviceName();
        this.receives = domain.createSharedReceiveQueue(RECEIVES, 1);
        this.completions = createCompletions(context, channel);
        this.request = ReceiveRequests.allocate(arena, 1);
        this.batch = WorkCompletions.allocate(arena, BATCH);
        fill();
    }

    private CompletionQueue createCompletions(RdmaContext context, CompletionChannel channel) {
        boolean made = false;
        try {
            // Completions of a destroyed queue pair stay in the queue until they are polled, so it has twice the size.
            CompletionQueue queue = context.createCompletionQueue(2 * RECEIVES, channel);
            made = true;
            return queue;
        } finally {
            if (!made) {
                receives.close();
                arena.close();
            }
        }
    }

    private void fill() {
        boolean filled = false;
        try {
            for (int i = 0; i < RECEIVES; i++) {
                postReceive();
            }
            filled = true;
        } finally {
            if (!filled) {
                close();
            }
        }
    }

    private void postReceive() {
        request.set(0, 0, 0);
        request.chain(0, 1);
        check("ibv_post_srq_recv", receives.postReceive(request, 0));
    }

    private void check(String verb, int errno) {
        if (errno != 0) {
            throw new RdmaVerbsException(
                    verb, device, errno, "Notifications of this peer have stopped. The peer must connect again.");
        }
    }

    public CompletionQueue completions() {
        return completions;
    }

    public SharedReceiveQueue receives() {
        return receives;
    }

    /** Assigns a slot to a region. Control thread. */
    public int add(LentRegion region) {
        if (slots.size() == SLOTS) {
            throw new RdmaRemoteMemoryException(
                    RdmaRemoteMemoryException.Reason.QUOTA,
                    "A peer has at most " + SLOTS + " regions with notifications. Free some.");
        }
        while (slots.putIfAbsent(nextSlot, region) != null) {
            nextSlot = (nextSlot + 1) & TAG_MASK;
        }
        int slot = nextSlot;
        nextSlot = (nextSlot + 1) & TAG_MASK;
        return slot;
    }

    public void remove(int slot) {
        slots.remove(slot);
    }

    public static int immediate(int slot, int tag) {
        return slot << SLOT_SHIFT | tag;
    }

    @Override
    public synchronized void arm() {
        if (!closed) {
            check("ibv_req_notify_cq", completions.requestNotification(false));
        }
    }

    /** The notification of a write: the region and the number of bytes. */
    public record Notification(LentRegion region, int bytes, int tag) {}

    /**
     * Moves pending completions out of the completion queue, for the next {@link #poll}. Some devices (mlx5) remove the
     * completions of a queue pair when it is destroyed, although the peer knows that its writes have arrived.
     */
    public synchronized void keep() {
        int max = completions.capacity();
        for (int taken = 0, count = 1; count > 0 && taken < max; taken += count) {
            count = take(kept);
        }
    }

    @Override
    public synchronized int poll(List<Notification> into) {
        into.addAll(kept);
        int before = kept.size();
        kept.clear();
        return before + take(into);
    }

    private int take(List<Notification> into) {
        int count = closed ? 0 : completions.poll(batch, BATCH);
        check("ibv_poll_cq", Math.max(0, -count));
        for (int i = 0; i < count; i++) {
            add(i, into);
        }
        for (int i = 0; i < count; i++) {
            postReceive();
        }
        return count;
    }

    private void add(int index, List<Notification> into) {
        boolean isNotification = batch.status(index) == CompletionStatus.SUCCESS
                && (batch.flags(index) & WorkCompletions.FLAG_WITH_IMM) != 0;
        LentRegion region = isNotification ? slots.get(batch.immediate(index) >>> SLOT_SHIFT) : null;
        if (region != null) {
            into.add(new Notification(region, batch.byteLength(index), batch.immediate(index) & TAG_MASK));
        }
    }

    @Override
    public void pollAll(List<Notification> into) {
        int max = completions.capacity();
        for (int taken = 0, count = 1; count > 0 && taken < max; taken += count) {
            count = poll(into);
        }
    }

    /** Destroys the queues. The last queue pair must be destroyed before. */
    @Override
    public synchronized void close() {
        if (!closed) {
            closed = true;
            slots.clear();
            receives.close();
            completions.close();
            arena.close();
        }
    }
}
