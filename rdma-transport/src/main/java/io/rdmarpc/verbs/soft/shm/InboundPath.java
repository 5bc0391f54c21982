package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.link.LinkPacketHandler;
import io.rdmarpc.verbs.soft.link.ShmPathReader;
import io.rdmarpc.verbs.soft.shm.layout.RingReader;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;

/** A ring that its target queue pair reads. */
final class InboundPath implements ShmPathReader {

    private final InboundRing ring;
    private final RingReader reader;
    private final InboundRings owner;
    private final PacketBuffer received = PacketBuffer.withoutIcrc();
    private volatile boolean broken;

    InboundPath(InboundRing ring, InboundRings owner) {
        this.ring = ring;
        this.reader = ring.reader();
        this.owner = owner;
    }

    InboundRing ring() {
        return ring;
    }

    @Override
    public int first(int max) {
        return broken ? 0 : orBroken(reader.first(max));
    }

    @Override
    public int next() {
        return orBroken(reader.next());
    }

    private int orBroken(int length) {
        if (length < 0) {
            broken = true;
            return 0;
        }
        return length;
    }

    @Override
    public void finish() {
        reader.finish();
    }

    @Override
    public long address() {
        return reader.address();
    }

    @Override
    public long sourceHigh() {
        return reader.source().high();
    }

    @Override
    public long sourceLow() {
        return reader.source().low();
    }

    @Override
    public void handTo(LinkPacketHandler handler) {
        reader.handTo(handler, received);
    }

    @Override
    public boolean hasNext() {
        return !broken && ring.hasNext();
    }

    /** Returns whether its sender has written an invalid record, or the ring is stalled. */
    boolean isBroken() {
        return broken || ring.isStalled();
    }

    @Override
    public void close() {
        owner.forget(this);
        ring.close();
    }
}
