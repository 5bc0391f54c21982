package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.InboundMessage;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/** A message in the receive ring, read in place. Closing gives the ring entry back to the engine, from any thread. */
final class ReceivedPacket extends EngineCommand implements InboundMessage {

    private static final VarHandle CLOSED = closedHandle();

    private final EventLoop loop;
    private final int entry;
    private final long offset;
    private final int length;
    private @Nullable MemorySegment payload;

    @SuppressWarnings("unused") // through CLOSED
    private boolean closed;

    ReceivedPacket(EventLoop loop, int entry, long offset, int length) {
        this.loop = loop;
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
            view = loop.receiveRing().memory().asSlice(offset, length);
            payload = view;
        }
        return view;
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public void close() {
        if (!CLOSED.compareAndSet(this, false, true)) {
            return;
        }
        if (loop.isTurnedHere()) {
            loop.receiveRing().takeBack(entry);
        } else {
            // Nobody waits for it, and whoever has left the loop to make another call would find it taken.
            loop.submitWithoutHaste(this);
        }
    }

    @Override
    void execute(long nowNanos) {
        loop.receiveRing().takeBack(entry);
    }
}
