package io.rdmarpc.rpc.engine.packet;

import io.rdmarpc.rpc.message.InboundMessage;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A message in the receive ring, read in place. Closing it returns the ring entry to the engine, from any thread. */
final class ReceivedPacket implements InboundMessage {

    private static final VarHandle CLOSED = closedHandle();

    private final ReceiveRingLedger ring;
    private final int entry;
    private final long offset;
    private final int length;
    private @Nullable MemorySegment payload;

    @SuppressWarnings("unused") // accessed through CLOSED
    private boolean closed;

    ReceivedPacket(ReceiveRingLedger ring, int entry, long offset, int length) {
        this.ring = ring;
        this.entry = entry;
        this.offset = offset;
        this.length = length;
    }

    private static VarHandle closedHandle() {
        try {
            return MethodHandles.lookup().findVarHandle(ReceivedPacket.class, "closed", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Override
    public MemorySegment payload() {
        MemorySegment view = payload;
        if (view == null) {
            view = ring.memory().asSlice(offset, length);
            payload = view;
        }
        return view;
    }

    @Override
    public MemorySegment memory() {
        return ring.memory();
    }

    @Override
    public long offset() {
        return offset;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public void close() {
        // Most messages are closed again when their call is completed. This plain check avoids an atomic operation for
        // them.
        if ((boolean) CLOSED.getOpaque(this) || !CLOSED.compareAndSet(this, false, true)) {
            return;
        }
        ring.giveBack(entry);
    }
}
