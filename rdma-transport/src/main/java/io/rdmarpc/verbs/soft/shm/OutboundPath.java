package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.ffi.NativeWords;
import io.rdmarpc.verbs.soft.link.ShmPathWriter;
import io.rdmarpc.verbs.soft.shm.layout.InboxState;
import io.rdmarpc.verbs.soft.shm.layout.ShmRingLayout;

/** An additional ring to a peer. The main ring to the same peer determines whether the peer is alive, and wakes it. */
final class OutboundPath implements ShmPathWriter {

    private final OutboundRing ring;
    private final OutboundRing main;
    private final Doorbell doorbell;
    private final int source;
    private final int target;
    private final long memory;
    private final long state;
    private long record;
    private int length;
    private boolean usable = true;

    OutboundPath(OutboundRing ring, OutboundRing main, Doorbell doorbell, int source, int target) {
        this.ring = ring;
        this.main = main;
        this.doorbell = doorbell;
        this.source = source;
        this.target = target;
        this.memory = ring.memory().address();
        this.state = ring.stateAddress();
    }

    @Override
    public long claim(int bytes) {
        record = ring.claim(bytes);
        length = bytes;
        return record < 0 ? 0 : memory + record + ShmRingLayout.RECORD_HEADER_BYTES;
    }

    @Override
    public void commit() {
        ring.commit(record, source, target, length);
    }

    @Override
    public boolean isUsable() {
        return usable;
    }

    @Override
    public boolean mustWake() {
        if (!main.isOpen() || ring.isUnsound()) {
            usable = false;
            return false;
        }
        int found = NativeWords.getIntOpaque(state);
        usable = !InboxState.isClosed(found) && NativeWords.getIntOpaque(memory + ShmRingLayout.ABANDONED) == 0;
        return usable && ring.mustRing(found);
    }

    @Override
    public void fetchNext() {
        if (usable) {
            ring.fetchNext();
        }
    }

    @Override
    public void wake() {
        if (main.isOpen()) {
            doorbell.wake(main);
        }
    }

    @Override
    public void close() {
        usable = false;
        if (ring.isOpen()) {
            ring.end();
            ring.close();
        }
    }
}
