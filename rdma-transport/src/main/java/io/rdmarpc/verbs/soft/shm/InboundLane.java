package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.link.LaneReader;
import io.rdmarpc.verbs.soft.link.PacketHandler;
import io.rdmarpc.verbs.soft.wire.PacketBuffer;

/** A ring that is read by the queue pair that it leads to. */
final class InboundLane implements LaneReader {

    private final InboundRing ring;
    private final InboundRings owner;
    private final PacketBuffer received = PacketBuffer.withoutIcrc();
    private volatile boolean broken;

    InboundLane(InboundRing ring, InboundRings owner) {
        this.ring = ring;
        this.owner = owner;
    }

    InboundRing ring() {
        return ring;
    }

    @Override
    public int poll(int max, PacketHandler handler) {
        int taken = broken ? 0 : ring.reader().poll(max, handler, received);
        if (taken < 0) {
            broken = true;
        }
        return Math.max(0, taken);
    }

    @Override
    public boolean hasNext() {
        return !broken && ring.hasNext();
    }

    /** Tells whether its sender has written what makes no sense, or what cannot be found. */
    boolean isBroken() {
        return broken || ring.isStalled();
    }

    @Override
    public void close() {
        owner.forget(this);
        ring.close();
    }
}
