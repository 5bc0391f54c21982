package io.rdmarpc.verbs.soft.shm;

import io.rdmarpc.stress.Meeting;
import io.rdmarpc.verbs.soft.ffi.MemFd;
import io.rdmarpc.verbs.soft.link.PeerMemory;
import io.rdmarpc.verbs.soft.shm.budget.PageBudget;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZI_Result;

/**
 * Peers that use memory while its owner revokes it: {@link OutboundRing#pin}, {@link InboundRing#isPinned}, {@link
 * MappedPages}.
 */
public final class PinStress {

    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();
    private static final int WORDS = 16;
    private static final int COPIES = 16;
    private static final int OF_PEER = 1;
    private static final int OF_NEXT_USER = 2;

    private PinStress() {}

    /** Writes for as long as the owner needs to pass the memory to its next user. */
    private static void copy(MemorySegment memory) {
        for (int i = 0; i < COPIES; i++) {
            write(memory, OF_PEER);
        }
    }

    private static void write(MemorySegment memory, int value) {
        for (int i = 0; i < WORDS; i++) {
            INT.setOpaque(memory, (long) i * Integer.BYTES, value);
        }
    }

    private static int count(MemorySegment memory, int value) {
        int found = 0;
        for (int i = 0; i < WORDS; i++) {
            if ((int) INT.getOpaque(memory, (long) i * Integer.BYTES) == value) {
                found++;
            }
        }
        return found;
    }

    /**
     * The peer pins a key, writes, and unpins it. The owner revokes the key, waits for pins, and passes the memory to
     * its next user.
     */
    @JCStressTest
    @Outcome(id = "true, 0", expect = Expect.ACCEPTABLE, desc = "the owner has waited for the peer")
    @Outcome(id = "false, 0", expect = Expect.ACCEPTABLE, desc = "the key was no longer valid")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the peer has written to the next user's memory")
    @State
    public static class RevokedKey {

        private static final PinnedPair PAIR = PinnedPair.open();
        private static final MemorySegment MEMORY = Arena.global().allocate(WORDS * Integer.BYTES);
        private static int lastKey;

        private final Meeting start = new Meeting();
        private final Meeting end = new Meeting();
        private int key;
        private long grant;

        /** The owner of the memory. */
        @Actor
        public void owner(ZI_Result r) {
            key = ++lastKey;
            grant = PAIR.granted().grant(key);
            start.await();
            PAIR.granted().revoke(key);
            while (PAIR.inbound().isPinned(key)) {
                Thread.onSpinWait();
            }
            write(MEMORY, OF_NEXT_USER);
            end.awaitWithoutPause();
            r.r2 = WORDS - count(MEMORY, OF_NEXT_USER);
        }

        /** The peer. */
        @Actor
        public void peer(ZI_Result r) {
            start.await();
            r.r1 = PAIR.outbound().pin(key, grant);
            if (r.r1) {
                copy(MEMORY);
                PAIR.outbound().unpin();
            }
            end.awaitWithoutPause();
        }
    }

    /** As {@link RevokedKey}, but all keys of the peer are revoked, as with an abandoned ring. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = Expect.ACCEPTABLE, desc = "the owner has waited for the peer")
    @Outcome(id = "false, 0", expect = Expect.ACCEPTABLE, desc = "the key was no longer valid")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the peer has written to the next user's memory")
    @State
    public static class AllKeysRevoked {

        private static final PinnedPair PAIR = PinnedPair.open();
        private static final MemorySegment MEMORY = Arena.global().allocate(WORDS * Integer.BYTES);
        private static int lastKey;

        private final Meeting start = new Meeting();
        private final Meeting end = new Meeting();
        private int key;
        private long grant;

        /** The owner of the memory. */
        @Actor
        public void owner(ZI_Result r) {
            key = ++lastKey;
            grant = PAIR.granted().grant(key);
            start.await();
            PAIR.granted().revokeAll();
            while (PAIR.inbound().pinned() != 0) {
                Thread.onSpinWait();
            }
            write(MEMORY, OF_NEXT_USER);
            end.awaitWithoutPause();
            r.r2 = WORDS - count(MEMORY, OF_NEXT_USER);
        }

        /** The peer. */
        @Actor
        public void peer(ZI_Result r) {
            start.await();
            r.r1 = PAIR.outbound().pin(key, grant);
            if (r.r1) {
                copy(MEMORY);
                PAIR.outbound().unpin();
            }
            end.awaitWithoutPause();
        }
    }

    /** As {@link RevokedKey}, with two complete links, as a deregistration uses them: {@link PeerMemory#revoke}. */
    @JCStressTest
    @Outcome(id = "true, 0", expect = Expect.ACCEPTABLE, desc = "the owner has waited for the peer")
    @Outcome(id = "false, 0", expect = Expect.ACCEPTABLE, desc = "the key was no longer valid")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the peer has written to the next user's memory")
    @State
    public static class Deregistration {

        private static final LinkPair PAIR = LinkPair.open();
        private static final MemorySegment SHARED = PAIR.allocateShared(WORDS * Integer.BYTES);
        private static int lastKey;

        private final Meeting granted = new Meeting();
        private final Meeting start = new Meeting();
        private final Meeting end = new Meeting();
        private int key;
        private long grant;

        /** The owner of the memory. */
        @Actor
        public void owner(ZI_Result r) {
            key = ++lastKey;
            grant = PAIR.grant(SHARED, key);
            granted.awaitWithoutPause();
            start.await();
            PeerMemory.@Nullable Copies copies = PAIR.owner().revoke(key);
            while (copies != null && !copies.areOver()) {
                Thread.onSpinWait();
            }
            write(SHARED, OF_NEXT_USER);
            end.awaitWithoutPause();
            r.r2 = WORDS - count(SHARED, OF_NEXT_USER);
        }

        /** The peer. */
        @Actor
        public void peer(ZI_Result r) {
            granted.awaitWithoutPause();
            MemorySegment mapped = PAIR.mapped(SHARED);
            start.awaitForLong();
            r.r1 = PAIR.peer().pin(PAIR.toOwner(), key, grant);
            if (r.r1) {
                copy(mapped);
                PAIR.peer().unpin();
            }
            end.awaitWithoutPause();
        }
    }

    /** A thread reads memory through a view and releases the view, while the owner of the mapping unmaps it. */
    @JCStressTest
    @Outcome(
            id = "7, 0",
            expect = Expect.ACCEPTABLE,
            desc = "the memory stayed mapped until the release, and was then unmapped")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the memory was unmapped too early, or not at all")
    @State
    public static class SeenInPlace {

        private static final int BYTES = 4096;
        private static final int GONE = -1;

        private final MappedPages pages = map();
        private final PeerMemory.Sight sight = Objects.requireNonNull(pages.view());
        private final Meeting start = new Meeting();

        private static MappedPages map() {
            try (MemFd memory = MemFd.create("rdma-rpc-stress", BYTES)) {
                MappedPages made =
                        MappedPages.map(memory, Objects.requireNonNull(new PageBudget().take("peer", BYTES)));
                made.memory().set(ValueLayout.JAVA_INT, 0, 7);
                return made;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        /** Reads the view. */
        @Actor
        public void sees(II_Result r) {
            start.await();
            try {
                r.r1 = sight.memory().get(ValueLayout.JAVA_INT, 0);
                sight.release();
            } catch (IllegalStateException e) {
                r.r1 = GONE;
            }
        }

        /** Unmaps the memory, as if the peer were gone. */
        @Actor
        public void unmaps() {
            start.await();
            pages.unmap();
        }

        /** After both. */
        @Arbiter
        public void end(II_Result r) {
            r.r2 = pages.memory().scope().isAlive() ? 1 : 0;
        }
    }
}
