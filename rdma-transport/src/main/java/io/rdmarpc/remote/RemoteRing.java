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
 * The producer's end of a one-way stream: records are copied into a mirror of the consumer's ring and written from there,
 * with a notice, one after the other. As many are under way as the consumer has given credits for. Any thread; records of
 * one thread stay in order.
 */
public final class RemoteRing implements AutoCloseable {

    private static final int TAG_MASK = 0xFFFF;

    private final RemoteRegion region;
    private final LocalRegion mirror;
    private final long capacity;
    private final RecordRingLayout layout;
    private final long[] ends = new long[RecordRingLayout.MOST_RECORDS];
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Under the lock.
    private long sent;
    private long written;
    private long consumed;
    /** Records whose place is free in the ring and in the mirror: consumed there, and let go of by the own device. */
    private long freed;

    private long freedPosition;
    private @Nullable RuntimeException failure;

    private RemoteRing(RemoteRegion region, LocalRegion mirror) {
        this.region = region;
        this.mirror = mirror;
        this.capacity = RecordRingLayout.capacityFor(region.length());
        this.layout = new RecordRingLayout(capacity);
    }

    /** Begins with what the consumer's token has opened, which is closed when it is no ring. */
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

    /** The owner may have said anything, and this side allocates as much. */
    private static void check(RemoteRegion region) {
        if (!RecordRingLayout.fits(region.length())) {
            throw new RdmaRemoteMemoryException(Reason.BOUNDS, region + " is no ring: " + RecordRingLayout.SIZES + ".");
        }
        if (!region.rights().containsAll(RecordRingLayout.RIGHTS)) {
            throw new RdmaRemoteMemoryException(
                    Reason.RIGHTS, region + " is no ring, which has rights " + RecordRingLayout.RIGHTS + ".");
        }
    }

    /** Begins to take credits. */
    private RemoteRing start() {
        region.lease().onCredit(this::onCredit);
        return this;
    }

    /**
     * Returns how long a record may be.
     *
     * @return bytes, a quarter of the ring, or what the own device sends at once if that is less
     */
    public long maxRecordBytes() {
        return Math.min(RecordRingLayout.mostRecordBytes(capacity), region.mostBytesAtOnce());
    }

    /**
     * Tells whether records are taken.
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
     * Sends a record if the consumer has room for it.
     *
     * @param record copied; at most {@link #maxRecordBytes}
     * @return false when there is no room now
     * @throws RdmaRemoteMemoryException when the ring has ended
     * @throws io.rdmarpc.async.error.RdmaOperationException when a record before this one failed at the NIC
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
     * Sends a record, and waits for room if there is none.
     *
     * @param record copied; at most {@link #maxRecordBytes}
     * @param timeout how long to wait
     * @return false when there was no room in that time
     * @throws RdmaRemoteMemoryException when the ring has ended
     * @throws io.rdmarpc.async.error.RdmaOperationException when a record before this one failed at the NIC
     * @throws InterruptedException when the thread is interrupted
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
                // A region that ends does not tell.
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
                    "A record of " + record.byteSize() + " bytes does not go through a ring of " + capacity
                            + ": the longest has " + maxRecordBytes() + ".");
        }
    }

    private boolean tryWrite(MemorySegment record) {
        if (failure != null) {
            throw failure;
        }
        if (!region.isUsable()) {
            throw new RdmaRemoteMemoryException(
                    Reason.CLOSED, this + " has ended: its lease is over, or its consumer is gone. Open another.");
        }
        long bytes = record.byteSize();
        if (sent - freed == RecordRingLayout.MOST_RECORDS || layout.endOf(bytes) - freedPosition > capacity) {
            return false;
        }
        write(record, layout.put(bytes), bytes);
        return true;
    }

    private void write(MemorySegment record, long place, long bytes) {
        ends[slot(sent)] = layout.position();
        LocalSlice slice = mirror.slice(place, bytes);
        slice.writable().copyFrom(record);
        int tag = (int) (sent & TAG_MASK);
        sent++;
        var _ = region.writeWithNotifyAsync(place, slice, tag).whenComplete((_, failed) -> {
            if (failed != null) {
                fail(RemoteMemoryFailures.unwrapped(failed));
            } else {
                onWritten();
            }
        });
    }

    /** Polling thread. A connection completes in order. */
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
        boolean some = false;
        for (long both = Math.min(written, consumed); freed < both; freed++) {
            freedPosition = ends[slot(freed)];
            some = true;
        }
        if (some) {
            changed.signalAll();
        }
    }

    private static int slot(long record) {
        return (int) (record % RecordRingLayout.MOST_RECORDS);
    }

    /** Records would be missing: nothing more is sent. */
    private void fail(RuntimeException why) {
        lock.lock();
        try {
            failure = failure == null ? why : failure;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Control thread. What makes no sense is left alone: the consumer harms itself only. */
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
     * Gives the ring back to its consumer, and waits until that has consumed all records.
     *
     * @throws RdmaRemoteMemoryException when it takes longer than the answer time-out: records that it has not consumed by then are
     *     lost only with the connection
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
