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
 * Receives without memory, which WRITEs with immediate data use up: one queue for all queue pairs that a peer has one
 * after the other. The immediate data says which region, and what the peer wants to say.
 *
 * <pre>
 *   31                16 15                0
 *   +------------------+------------------+
 *   | slot of region   | tag              |
 *   +------------------+------------------+
 * </pre>
 *
 * Slots are given out in turn, so that a late notice of a region that has ended does not find the next one at once.
 */
public final class NotificationQueue implements NotificationSource, AutoCloseable {

    /** Notices that may wait for the listener, whatever regions and rings they are for; the writer waits with the next. */
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
     * Makes the queues, filled.
     *
     * @param context the device
     * @param domain the peer's
     * @param channel tells of notices once {@link #arm} has asked for it
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
            // Those of a queue pair that is gone end too, before they are posted again.
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
                    verb, device, errno, "Notices of this peer do not come any more: it has to connect again.");
        }
    }

    public CompletionQueue completions() {
        return completions;
    }

    public SharedReceiveQueue receives() {
        return receives;
    }

    /** Gives a region a slot. Control thread. */
    public int add(LentRegion region) {
        if (slots.size() == SLOTS) {
            throw new RdmaRemoteMemoryException(
                    RdmaRemoteMemoryException.Reason.QUOTA,
                    "A peer has at most " + SLOTS + " regions with notices: free some.");
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

    /** What came: a region, and how much was written there. */
    public record Notification(LentRegion region, int bytes, int tag) {}

    /**
     * Takes what has come out of the completion queue, for the next {@link #poll}: some devices (mlx5) remove the completions of
     * a queue pair with it, of writes that the peer knows have arrived.
     */
    public synchronized void keep() {
        int most = completions.capacity();
        for (int taken = 0, count = 1; count > 0 && taken < most; taken += count) {
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
        int most = completions.capacity();
        for (int taken = 0, count = 1; count > 0 && taken < most; taken += count) {
            count = poll(into);
        }
    }

    /** After the last queue pair was closed. */
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
