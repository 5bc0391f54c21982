package io.rdmarpc.remote;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.async.LocalSlice;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.support.RemoteMemoryFailures;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The producer of a one-way stream. It copies each record into a local mirror of the consumer's ring and writes it from
 * there with a notification, in order. The consumer's credits limit the number of unconsumed records. Any thread; the
 * records of one thread stay in order.
 */
public final class RemoteRing implements AutoCloseable {

    private static final int TAG_MASK = 0xFFFF;

    private final RemoteRegion region;
    private final LocalRegion mirror;
    private final long capacity;
    private final RecordRingLayout layout;
    private final long[] ends = new long[RecordRingLayout.MAX_RECORDS];
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Under the lock.
    private long sent;
    private long written;
    private long consumed;
    /**
     * Number of records whose bytes are free in the ring and in the mirror, because the consumer and the local device
     * no longer use them.
     */
    private long freed;

    private long freedPosition;
    private @Nullable RuntimeException failure;

    private RemoteRing(RemoteRegion region, LocalRegion mirror) {
        this.region = region;
        this.mirror = mirror;
        this.capacity = RecordRingLayout.capacityFor(region.length());
        this.layout = new RecordRingLayout(capacity);
    }

    /** Starts the producer of a region; closes the region if it is not a ring. */
    static RemoteRing open(RemoteRegion region, LongFunction<LocalRegion> memory) {
        RemoteRing made = null;
        try {
            check(region);
            made = new RemoteRing(region, memory.apply(region.length())).start();
            return made;
        } finally {
            if (made == null) {
                region.close();
            }
        }
    }

    /** Checks the size and rights from the owner, because this side allocates a mirror of the same size. */
    private static void check(RemoteRegion region) {
        if (!RecordRingLayout.fits(region.length())) {
            throw new RdmaRemoteMemoryException(
                    Reason.BOUNDS, region + " is not a ring: " + RecordRingLayout.SIZES + ".");
        }
        if (!region.rights().containsAll(RecordRingLayout.RIGHTS)) {
            throw new RdmaRemoteMemoryException(
                    Reason.RIGHTS, region + " is not a ring: a ring has rights " + RecordRingLayout.RIGHTS + ".");
        }
    }

    /** Starts to receive credits. */
    private RemoteRing start() {
        region.lease().onCredit(this::onCredit);
        return this;
    }

    /**
     * Returns the maximum record length.
     *
     * @return bytes: a quarter of the ring, or the local device's limit for one operation if that is less
     */
    public long maxRecordBytes() {
        return Math.min(RecordRingLayout.maxRecordBytes(capacity), region.maxOperationBytes());
    }

    /**
     * Returns whether the ring accepts records.
     *
     * @return false once the ring has ended
     */
    public boolean isOpen() {
        lock.lock();
        try {
            return failure == null && region.isUsable();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends a record if the ring has room for it.
     *
     * @param record the bytes, copied; at most {@link #maxRecordBytes}
     * @return false if the ring has no room now
     * @throws RdmaRemoteMemoryException if the ring has ended
     * @throws io.rdmarpc.async.error.RdmaOperationException if an earlier record failed at the NIC
     */
    public boolean offer(MemorySegment record) {
        checkLength(record);
        lock.lock();
        try {
            return tryWrite(record);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Sends a record, and waits for room if the ring is full.
     *
     * @param record the bytes, copied; at most {@link #maxRecordBytes}
     * @param timeout how long to wait
     * @return false if the ring had no room in that time
     * @throws RdmaRemoteMemoryException if the ring has ended
     * @throws io.rdmarpc.async.error.RdmaOperationException if an earlier record failed at the NIC
     * @throws InterruptedException if the thread is interrupted
     */
    public boolean send(MemorySegment record, Duration timeout) throws InterruptedException {
        checkLength(record);
        long left = timeout.toNanos();
        lock.lockInterruptibly();
        try {
            while (!tryWrite(record)) {
                if (left <= 0) {
                    return false;
                }
                // The end of a region does not signal this condition, so the loop checks it every 100 ms.
                long step = Math.min(left, TimeUnit.MILLISECONDS.toNanos(100));
                left -= step - Math.max(0, changed.awaitNanos(step));
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void checkLength(MemorySegment record) {
        if (record.byteSize() > maxRecordBytes()) {
            throw new RdmaRemoteMemoryException(
                    Reason.BOUNDS,
                    "A record of " + record.byteSize() + " bytes is too long for a ring of " + capacity
                            + " bytes: the limit is " + maxRecordBytes() + " bytes.");
        }
    }

    private boolean tryWrite(MemorySegment record) {
        if (failure != null) {
            throw failure;
        }
        if (!region.isUsable()) {
            throw new RdmaRemoteMemoryException(
                    Reason.CLOSED,
                    this + " has ended: its lease has expired, or its consumer is unreachable. Open "
                            + "another ring.");
        }
        long bytes = record.byteSize();
        if (sent - freed == RecordRingLayout.MAX_RECORDS || layout.endOf(bytes) - freedPosition > capacity) {
            return false;
        }
        write(record, layout.put(bytes), bytes);
        return true;
    }

    private void write(MemorySegment record, long offset, long bytes) {
        ends[slot(sent)] = layout.position();
        LocalSlice slice = mirror.slice(offset, bytes);
        slice.writable().copyFrom(record);
        int tag = (int) (sent & TAG_MASK);
        sent++;
        var _ = region.writeWithNotifyAsync(offset, slice, tag).whenComplete((_, failed) -> {
            if (failed != null) {
                fail(RemoteMemoryFailures.unwrapped(failed));
            } else {
                onWritten();
            }
        });
    }

    /** Runs on the polling thread. The operations of a connection complete in order. */
    private void onWritten() {
        lock.lock();
        try {
            written++;
            free();
        } finally {
            lock.unlock();
        }
    }

    private void free() {
        boolean progressed = false;
        for (long both = Math.min(written, consumed); freed < both; freed++) {
            freedPosition = ends[slot(freed)];
            progressed = true;
        }
        if (progressed) {
            changed.signalAll();
        }
    }

    private static int slot(long record) {
        return (int) (record % RecordRingLayout.MAX_RECORDS);
    }

    /** Ends the ring, because the consumer would find a gap in place of the failed record. */
    private void fail(RuntimeException why) {
        lock.lock();
        try {
            failure = failure == null ? why : failure;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Runs on the control thread. Ignores invalid credits; they only harm the consumer that sent them. */
    private void onCredit(long records) {
        lock.lock();
        try {
            if (records > consumed && records <= sent) {
                consumed = records;
                free();
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Closes the ring, and waits until the consumer has consumed all records.
     *
     * @throws RdmaRemoteMemoryException if it takes longer than the response timeout; remaining records are lost only
     *     if the connection ends
     */
    @Override
    public void close() {
        try {
            region.close();
        } finally {
            mirror.close();
        }
    }

    @Override
    public String toString() {
        return "a ring of " + capacity + " bytes at " + region;
    }
}
