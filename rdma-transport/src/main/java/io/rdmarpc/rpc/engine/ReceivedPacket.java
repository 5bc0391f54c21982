package io.rdmarpc.rpc.engine;

import io.rdmarpc.rpc.InboundMessage;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** A message in the receive ring, read in place. Closing sends the ring entry back to the engine, from any thread. */
final class ReceivedPacket extends EngineCommand implements InboundMessage {

    private final EventLoop loop;
    private final int entry;
    private final MemorySegment payload;
    private final AtomicBoolean closed = new AtomicBoolean();

    ReceivedPacket(EventLoop loop, int entry, MemorySegment payload) {
        this.loop = loop;
        this.entry = entry;
        this.payload = payload;
    }

    @Override
    public MemorySegment payload() {
        return payload;
    }

    @Override
    public int length() {
        return (int) payload.byteSize();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            loop.submit(this);
        }
    }

    @Override
    void execute(long nowNanos) {
        loop.receiveRing().takeBack(entry);
    }
}
