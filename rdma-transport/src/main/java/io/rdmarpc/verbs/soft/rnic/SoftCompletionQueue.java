package io.rdmarpc.verbs.soft.rnic;

import io.rdmarpc.verbs.AsyncEventType;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.soft.port.DeviceConstants;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A ring of completions. Closing it closes the queue pairs that use it; a poll after the close returns {@code -EINVAL}.
 * If the queue is full, further completions are lost and their queue pairs fail. Once the completions in the queue were
 * polled, every poll fails, as with hardware.
 */
public final class SoftCompletionQueue implements CompletionQueue, OpenChildren.Child {

    private static final String RESIZE = "ibv_resize_cq";

    private final RnicContext rnic;
    private final SoftAsyncEvents asyncEvents;
    private final Overruns overruns;
    private final @Nullable SoftCompletionChannel channel;
    private int capacity;
    private Entry[] entries;
    private long head;
    private long tail;
    private boolean overrun;
    private final OpenChildren queuePairs = new OpenChildren();
    private final OpenChildren siblings;
    private Arming arming = Arming.NONE;
    private int events;
    private boolean closed;

    /** Which completions cause the next event. */
    private enum Arming {
        /** None: the queue is not armed. */
        NONE,
        /** A completion of a solicited message, or of a failure. */
        SOLICITED,
        /** Any completion. */
        ANY
    }

    /** Handles completions that are lost because a queue is full. */
    public interface Overruns {

        /** Handles the loss of a completion of a queue pair. Called under the RNIC's lock. */
        void onLostCompletion(int queuePairNumber);
    }

    /** One completion. */
    private static final class Entry {
        private long wrId;
        private int status;
        private int opcode;
        private int vendorError;
        private int byteLength;
        private int immediate;
        private int qpNumber;
        private int sourceQp;
        private int flags;
    }

    public SoftCompletionQueue(
            RnicContext rnic,
            SoftAsyncEvents asyncEvents,
            Overruns overruns,
            int capacity,
            @Nullable SoftCompletionChannel channel,
            OpenChildren siblings) {
        this.rnic = rnic;
        this.asyncEvents = asyncEvents;
        this.overruns = overruns;
        this.channel = channel;
        this.siblings = siblings;
        siblings.add(this);
        if (channel != null) {
            channel.queues().add(this);
        }
        this.capacity = capacity;
        this.entries = ring(capacity);
    }

    /** Checks the number of entries of a queue. */
    public static void checkCapacity(String verb, int entries) {
        if (entries < 1 || entries > DeviceConstants.MAX_COMPLETIONS) {
            throw new RdmaVerbsException(
                    verb,
                    DeviceConstants.NAME,
                    Errno.EINVAL,
                    entries + " entries are out of range. Use 1 to " + DeviceConstants.MAX_COMPLETIONS + ".");
        }
    }

    /** Creates a ring whose length is a power of two. */
    private static Entry[] ring(int capacity) {
        Entry[] ring = new Entry[Integer.highestOneBit(Math.max(1, capacity * 2 - 1))];
        Arrays.setAll(ring, i -> new Entry());
        return ring;
    }

    private Entry at(long position) {
        return entries[(int) position & entries.length - 1];
    }

    public RnicContext rnic() {
        return rnic;
    }

    @Override
    public int capacity() {
        rnic.lock();
        try {
            return capacity;
        } finally {
            rnic.unlock();
        }
    }

    /**
     * Adds a completion; called under the lock.
     *
     * @param urgent whether it causes an event if the queue is armed for solicited messages and failures only
     */
    public void add(
            long wrId,
            int status,
            int opcode,
            int vendorError,
            int byteLength,
            int immediate,
            int qpNumber,
            int sourceQp,
            int flags,
            boolean urgent) {
        if (arming == Arming.ANY || (urgent && arming == Arming.SOLICITED)) {
            makeEvent();
        }
        if (tail - head == capacity) {
            onOverrun(qpNumber);
            return;
        }
        Entry entry = at(tail++);
        entry.wrId = wrId;
        entry.status = status;
        entry.opcode = opcode;
        entry.vendorError = vendorError;
        entry.byteLength = byteLength;
        entry.immediate = immediate;
        entry.qpNumber = qpNumber;
        entry.sourceQp = sourceQp;
        entry.flags = flags;
    }

    private void onOverrun(int qpNumber) {
        rnic.counters().countCompletionOverrun();
        overruns.onLostCompletion(qpNumber);
        if (!overrun) {
            overrun = true;
            asyncEvents.add(AsyncEventType.CQ_ERR, this);
        }
    }

    // ---- events ----

    /** {@inheritDoc} A queue that is armed for any completion stays so (11.4.2.2). */
    @Override
    public int requestNotification(boolean solicitedOnly) {
        rnic.lock();
        try {
            if (closed || channel == null) {
                return Errno.EINVAL;
            }
            if (!solicitedOnly || arming == Arming.NONE) {
                arming = solicitedOnly ? Arming.SOLICITED : Arming.ANY;
            }
            return 0;
        } finally {
            rnic.unlock();
        }
    }

    private void makeEvent() {
        arming = Arming.NONE;
        events++;
        Objects.requireNonNull(channel).addEvent();
    }

    /** Returns whether any completion causes an event that wakes a thread. */
    public boolean isArmed() {
        return arming == Arming.ANY && channel != null && !channel.isHeld();
    }

    /** Causes the requested event without a completion. */
    public void addOtherEvent() {
        makeEvent();
    }

    /** Clears the events after the channel has returned them. */
    void clearEvents() {
        events = 0;
    }

    @Override
    public @Nullable CompletionChannel channel() {
        return channel;
    }

    // ---- completions ----

    @Override
    public int poll(WorkCompletions into, int max) {
        rnic.lock();
        try {
            if (closed || max < 0) {
                return -Errno.EINVAL;
            }
            rnic.poll(tail > head);
            int count = (int) Math.min(tail - head, Math.min(max, into.capacity()));
            for (int i = 0; i < count; i++) {
                move(at(head++), into, i);
            }
            restartAtFirstEntry();
            return count == 0 && overrun ? -Errno.EIO : count;
        } finally {
            rnic.unlock();
        }
    }

    /** Restarts an empty queue at its first entries, which are in the cache. */
    private void restartAtFirstEntry() {
        if (head == tail) {
            head = 0;
            tail = 0;
        }
    }

    private static void move(Entry entry, WorkCompletions into, int index) {
        into.set(
                index,
                entry.wrId,
                entry.status,
                entry.opcode,
                entry.vendorError,
                entry.byteLength,
                entry.qpNumber,
                entry.sourceQp,
                entry.flags);
        into.setImmediate(index, entry.immediate);
    }

    @Override
    public int resize(int wanted) {
        checkCapacity(RESIZE, wanted);
        rnic.lock();
        try {
            checkOpen(RESIZE);
            if (wanted < tail - head) {
                throw new RdmaVerbsException(
                        RESIZE,
                        DeviceConstants.NAME,
                        Errno.EINVAL,
                        (tail - head) + " completions in the queue do not fit into " + wanted + ". Poll first.");
            }
            moveTo(ring(wanted));
            capacity = wanted;
            return wanted;
        } finally {
            rnic.unlock();
        }
    }

    private void moveTo(Entry[] other) {
        for (long i = head; i < tail; i++) {
            other[(int) i & other.length - 1] = at(i);
        }
        entries = other;
    }

    /** Checks that the queue is open; called under the lock. */
    public void checkOpen(String verb) {
        if (closed) {
            throw new RdmaVerbsException(
                    verb, DeviceConstants.NAME, Errno.EINVAL, "The completion queue is closed. Create another.");
        }
    }

    private void leaveChannel() {
        if (channel != null) {
            channel.removeEvents(events);
            channel.queues().remove(this);
        }
    }

    public OpenChildren queuePairs() {
        return queuePairs;
    }

    @Override
    public void close() {
        rnic.lock();
        try {
            if (!closed) {
                closed = true;
                queuePairs.closeAll();
                siblings.remove(this);
                asyncEvents.forget(this);
                leaveChannel();
            }
        } finally {
            rnic.unlock();
        }
    }
}
