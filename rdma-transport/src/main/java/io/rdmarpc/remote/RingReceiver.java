package io.rdmarpc.remote;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException;
import io.rdmarpc.remote.lease.RdmaRemoteMemoryException.Reason;
import io.rdmarpc.remote.lease.RegionToken;
import io.rdmarpc.remote.lender.LentRegion;
import io.rdmarpc.remote.lender.LocalGrant;
import io.rdmarpc.remote.wire.LinkMessage;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The consumer's end of a one-way stream: a ring in own memory, granted for writing to one producer, which opens the
 * {@link #token} as a {@link RemoteRing}. Records arrive by WRITEs with immediate data; what was consumed goes back as
 * credits. Any thread.
 */
public final class RingReceiver implements AutoCloseable {

    /** Credits go back for so many records, or for a quarter of the ring. */
    private static final int CREDIT_RECORDS = RecordRingLayout.MOST_RECORDS / 4;

    private static final int TAG_MASK = 0xFFFF;

    private final LocalRegion memory;
    private final LocalGrant grant;
    private final RingHandler handler;
    private final RecordRingLayout layout;
    private final long capacity;
    private final AtomicBoolean ended = new AtomicBoolean();

    // Notices thread.
    private long consumed;
    private long creditedRecords;
    private long creditedPosition;

    private RingReceiver(LocalRegion memory, LocalGrant grant, RingHandler handler) {
        this.memory = memory;
        this.grant = grant;
        this.handler = handler;
        this.capacity = RecordRingLayout.capacityFor(memory.length());
        this.layout = new RecordRingLayout(capacity);
    }

    /** Begins with memory, which is closed when the grant is refused. */
    static RingReceiver open(LocalRegion memory, Function<LocalRegion, LocalGrant> granting, RingHandler handler) {
        RingReceiver made = null;
        try {
            made = new RingReceiver(memory, granting.apply(memory), handler).start();
            return made;
        } finally {
            if (made == null) {
                memory.close();
            }
        }
    }

    /** Begins to listen. */
    private RingReceiver start() {
        grant.onNotification(this::onNotification);
        var _ = grant.ended().whenComplete((_, _) -> end(null));
        return this;
    }

    /**
     * Returns what to give the producer, in an argument of a call for instance.
     *
     * @return the token
     */
    public RegionToken token() {
        return grant.token();
    }

    /** Consumes one record and says so, now or later. Notices thread. */
    private void onNotification(LentRegion region, int bytes, int tag) {
        if (ended.get()) {
            return;
        }
        if (tag != (int) (consumed & TAG_MASK) || bytes > RecordRingLayout.mostRecordBytes(capacity)) {
            end(new RdmaRemoteMemoryException(
                    Reason.PROTOCOL,
                    "The producer sent record " + tag + " of " + bytes + " bytes instead of record "
                            + (consumed & TAG_MASK) + " of at most " + RecordRingLayout.mostRecordBytes(capacity)
                            + ": one was lost, or it does not keep the rules. Make another ring."));
            var _ = grant.closeAsync();
            return;
        }
        MemorySegment ring = region.memory();
        try {
            handler.onRecord(ring.asSlice(layout.put(bytes), bytes).asReadOnly());
        } catch (RuntimeException | Error e) {
            endByHandler(e);
            throw e;
        }
        consumed++;
        sendCredit(region);
    }

    /** Nobody knows whether that record was consumed: another one after it would hide that. */
    private void endByHandler(Throwable thrown) {
        end(new RdmaRemoteMemoryException(
                Reason.CLOSED,
                "The handler of " + this + " threw " + thrown + " at record " + consumed
                        + ", counted from 0: the ring has ended here and at its producer. Catch what may be thrown, and"
                        + " make another ring.",
                thrown));
        var _ = grant.closeAsync();
    }

    private void sendCredit(LentRegion region) {
        if (consumed - creditedRecords >= CREDIT_RECORDS
                || layout.position() - creditedPosition >= RecordRingLayout.mostRecordBytes(capacity)) {
            creditedRecords = consumed;
            creditedPosition = layout.position();
            region.holder().send(new LinkMessage.Credit(region.id(), consumed));
        }
    }

    private void end(@Nullable RdmaRemoteMemoryException failure) {
        if (ended.compareAndSet(false, true)) {
            handler.onEnd(failure);
        }
    }

    /**
     * Ends it: the producer cannot write any more when this returns, and what it has written before was consumed. A second
     * call only waits. The handler may call it, which does not wait then.
     */
    @Override
    public void close() {
        try {
            grant.close();
        } finally {
            memory.close();
        }
    }

    @Override
    public String toString() {
        return "a ring of " + capacity + " bytes";
    }
}
