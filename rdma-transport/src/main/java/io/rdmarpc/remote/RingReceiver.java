package io.rdmarpc.remote;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.RemoteMemoryException.Reason;
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
    private static final int CREDIT_RECORDS = RingLayout.MOST_RECORDS / 4;

    private static final int TAG_MASK = 0xFFFF;

    private final LocalRegion memory;
    private final RegionGrant grant;
    private final RingHandler handler;
    private final RingLayout layout;
    private final long capacity;
    private final AtomicBoolean ended = new AtomicBoolean();

    // Notices thread.
    private long consumed;
    private long creditedRecords;
    private long creditedPosition;

    private RingReceiver(LocalRegion memory, RegionGrant grant, RingHandler handler) {
        this.memory = memory;
        this.grant = grant;
        this.handler = handler;
        this.capacity = RingLayout.capacityFor(memory.length());
        this.layout = new RingLayout(capacity);
    }

    /** Begins with memory, which is closed when the grant is refused. */
    static RingReceiver open(LocalRegion memory, Function<LocalRegion, RegionGrant> granting, RingHandler handler) {
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
        grant.ring(this);
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
    void onNotice(NoticeQueue.Notice notice) {
        if (ended.get()) {
            return;
        }
        int bytes = notice.bytes();
        if (notice.tag() != (int) (consumed & TAG_MASK) || bytes > RingLayout.mostRecordBytes(capacity)) {
            end(new RemoteMemoryException(
                    Reason.PROTOCOL,
                    "The producer sent record " + notice.tag() + " of " + bytes + " bytes instead of record "
                            + (consumed & TAG_MASK) + " of at most " + RingLayout.mostRecordBytes(capacity)
                            + ": one was lost, or it does not keep the rules. Make another ring."));
            var _ = grant.closeAsync();
            return;
        }
        MemorySegment ring = notice.region().memory();
        try {
            handler.onRecord(ring.asSlice(layout.put(bytes), bytes).asReadOnly());
        } catch (RuntimeException | Error e) {
            endByHandler(e);
            throw e;
        }
        consumed++;
        giveCredit(notice.region());
    }

    /** Nobody knows whether that record was consumed: another one after it would hide that. */
    private void endByHandler(Throwable thrown) {
        end(new RemoteMemoryException(
                Reason.CLOSED,
                "The handler of " + this + " threw " + thrown + " at record " + consumed
                        + ", counted from 0: the ring has ended here and at its producer. Catch what may be thrown, and"
                        + " make another ring.",
                thrown));
        var _ = grant.closeAsync();
    }

    private void giveCredit(LentRegion region) {
        if (consumed - creditedRecords >= CREDIT_RECORDS
                || layout.position() - creditedPosition >= RingLayout.mostRecordBytes(capacity)) {
            creditedRecords = consumed;
            creditedPosition = layout.position();
            region.holder().tell(new LinkMessage.Credit(region.id(), consumed));
        }
    }

    private void end(@Nullable RemoteMemoryException failure) {
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
