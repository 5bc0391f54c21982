package io.rdmarpc.remote;

import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.CompletionStatus;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.ReceiveRequests;
import io.rdmarpc.verbs.SharedReceiveQueue;
import io.rdmarpc.verbs.WorkCompletions;
import java.lang.foreign.Arena;
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
final class NoticeQueue implements NoticeSource, AutoCloseable {

    /** Notices that may wait for the listener. */
    static final int RECEIVES = 512;

    private static final int SLOTS = 1 << 16;
    private static final int SLOT_SHIFT = 16;
    private static final int TAG_MASK = SLOTS - 1;
    private static final int BATCH = 32;

    private final CompletionQueue completions;
    private final SharedReceiveQueue receives;
    private final Arena arena = Arena.ofShared();
    private final ReceiveRequests request;
    private final WorkCompletions batch;
    private final Map<Integer, LentRegion> slots = new ConcurrentHashMap<>();
    private int nextSlot;
    private boolean closed;

    /**
     * Makes the queues, filled.
     *
     * @param context the device
     * @param domain the peer's
     * @param channel tells of notices once {@link #arm} has asked for it
     */
    NoticeQueue(RdmaContext context, ProtectionDomain domain, CompletionChannel channel) {
        this.receives = domain.createSharedReceiveQueue(RECEIVES, 1);
        // Those of a queue pair that is gone end too, before they are posted again.
        this.completions = context.createCompletionQueue(2 * RECEIVES, channel);
        this.request = ReceiveRequests.allocate(arena, 1);
        this.batch = WorkCompletions.allocate(arena, BATCH);
        for (int i = 0; i < RECEIVES; i++) {
            postReceive();
        }
    }

    private void postReceive() {
        request.set(0, 0, 0);
        request.chain(0, 1);
        receives.postReceive(request, 0);
    }

    CompletionQueue completions() {
        return completions;
    }

    SharedReceiveQueue receives() {
        return receives;
    }

    /** Gives a region a slot. Control thread. */
    int add(LentRegion region) {
        if (slots.size() == SLOTS) {
            throw new RemoteMemoryException(
                    RemoteMemoryException.Reason.QUOTA,
                    "A peer has at most " + SLOTS + " regions with notices: free some.");
        }
        while (slots.putIfAbsent(nextSlot, region) != null) {
            nextSlot = (nextSlot + 1) & TAG_MASK;
        }
        int slot = nextSlot;
        nextSlot = (nextSlot + 1) & TAG_MASK;
        return slot;
    }

    void remove(int slot) {
        slots.remove(slot);
    }

    static int immediate(int slot, int tag) {
        return slot << SLOT_SHIFT | tag;
    }

    @Override
    public synchronized void arm() {
        if (!closed) {
            completions.requestNotification(false);
        }
    }

    /** What came: a region, and how much was written there. */
    record Notice(LentRegion region, int bytes, int tag) {}

    @Override
    public synchronized int poll(List<Notice> into) {
        int count = closed ? 0 : Math.max(0, completions.poll(batch, BATCH));
        for (int i = 0; i < count; i++) {
            postReceive();
            boolean isNotice = batch.status(i) == CompletionStatus.SUCCESS
                    && (batch.flags(i) & WorkCompletions.FLAG_WITH_IMM) != 0;
            LentRegion region = isNotice ? slots.get(batch.immediate(i) >>> SLOT_SHIFT) : null;
            if (region != null) {
                into.add(new Notice(region, batch.byteLength(i), batch.immediate(i) & TAG_MASK));
            }
        }
        return count;
    }

    @Override
    public void pollAll(List<Notice> into) {
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
