package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.verbs.soft.link.PeerMemory;
import java.util.ArrayList;
import java.util.List;

/**
 * The rings of peers that were copying with a key when it was revoked. No peer begins another copy with it. The peers
 * may still copy, be stopped, or be dead. A ring that is abandoned in the meantime stays mapped until its copy has
 * ended.
 */
final class PinnedRings implements PeerMemory.Copies {

    private static final long DEATH_LOOK_NANOS = 1_000_000;

    private final InboundRings owner;
    private final int key;
    private final List<InboundRing> rings;
    private long lastDeathLookNanos = System.nanoTime();

    PinnedRings(InboundRings owner, int key, List<InboundRing> rings) {
        this.owner = owner;
        this.key = key;
        this.rings = new ArrayList<>(rings);
    }

    @Override
    public boolean areOver() {
        long now = System.nanoTime();
        boolean looksForDead = now - lastDeathLookNanos >= DEATH_LOOK_NANOS;
        if (looksForDead) {
            lastDeathLookNanos = now;
        }
        rings.removeIf(ring -> !ring.isPinned(key) || (looksForDead && owner.isDead(ring)));
        return rings.isEmpty();
    }

    @Override
    public void abandon() {
        for (InboundRing ring : rings) {
            owner.abandonPinned(ring);
        }
    }
}
