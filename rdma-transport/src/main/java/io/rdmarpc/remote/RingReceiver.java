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
 * The consumer of a one-way stream: a ring in local memory that one producer may write. The producer opens the
 * {@link #token} as a {@link RemoteRing}. Records arrive by WRITEs with immediate data; the consumer returns credits
 * for consumed records. Any thread.
 */
public final class RingReceiver implements AutoCloseable {

    /** Credits are sent after this many records, or after a quarter of the ring. */
    private static final int CREDIT_RECORDS = RecordRingLayout.MAX_RECORDS / 4;

    private static final int TAG_MASK = 0xFFFF;

    private final LocalRegion memory;
    private final LocalGrant grant;
    private final RingHandler handler;
    private final RecordRingLayout layout;
    private final long capacity;
    private final AtomicBoolean ended = new AtomicBoolean();

    // Notification thread.
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

    /** Starts the consumer; closes the memory if the grant fails. */
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

    /** Starts to receive notifications. */
    private RingReceiver start() {
        grant.onNotification(this::onNotification);
        var _ = grant.ended().whenComplete((_, _) -> end(null));
        return this;
    }

    /**
     * Returns the token for the producer, which can be sent as an argument of a call.
     *
     * @return the token
     */
    public RegionToken token() {
        return grant.token();
    }

    /** Processes one record; a credit may follow. Runs on the notification thread. */
    private void onNotification(LentRegion region, int bytes, int tag) {
        if (ended.get()) {
            return;
        }
        if (tag != (int) (consumed & TAG_MASK) || bytes > RecordRingLayout.maxRecordBytes(capacity)) {
            end(new RdmaRemoteMemoryException(
                    Reason.PROTOCOL,
                    "The producer sent record " + tag + " of " + bytes + " bytes instead of record "
                            + (consumed & TAG_MASK) + " of at most " + RecordRingLayout.maxRecordBytes(capacity)
                            + ": a record was lost, or the producer violates the protocol. Create another ring."));
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

    /**
     * Ends the ring after an exception of the handler, because it is unknown whether the handler has processed that
     * record.
     */
    private void endByHandler(Throwable thrown) {
        end(new RdmaRemoteMemoryException(
                Reason.CLOSED,
                "The handler of " + this + " threw " + thrown + " at record " + consumed
                        + ", counted from 0. The ring has ended on both sides. Catch exceptions in the handler, and"
                        + " create another ring.",
                thrown));
        var _ = grant.closeAsync();
    }

    private void sendCredit(LentRegion region) {
        if (consumed - creditedRecords >= CREDIT_RECORDS
                || layout.position() - creditedPosition >= RecordRingLayout.maxRecordBytes(capacity)) {
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
     * Ends the ring. When this method returns, the producer can no longer write, and all earlier records were consumed.
     * A second call only waits. If the handler calls it, it does not wait.
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
