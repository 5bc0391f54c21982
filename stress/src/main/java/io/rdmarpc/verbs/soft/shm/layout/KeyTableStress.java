package io.rdmarpc.verbs.soft.shm.layout;

import io.rdmarpc.stress.Meeting;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Keys that a peer reads while their owner changes them: {@link KeyTable}. */
public final class KeyTableStress {

    private static final int ENTRY = 1;
    private static final int KEY = 0x1111_2222;
    private static final int OTHER_KEY = 0x3333_4444;
    private static final int REGISTRATION = 0x0000_0007;
    private static final int OTHER_REGISTRATION = 0x7000_0000;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private KeyTableStress() {}

    /** Returns a table that is large enough for the entries in use. */
    private static KeyTable table() {
        return new KeyTable(MemorySegment.ofArray(new long[ENTRY + 1]));
    }

    private static long grant() {
        return KeyTable.grant(ENTRY, REGISTRATION);
    }

    /** The owner revokes a key, and the next user writes to the memory. The peer copies and then checks the key. */
    @JCStressTest
    @Outcome(id = "true, 2", expect = Expect.FORBIDDEN, desc = "the key was valid, but the bytes are the next user's")
    @Outcome(expect = Expect.ACCEPTABLE, desc = "the bytes belong to the key, or the peer detects that they do not")
    @State
    public static class RevokedBeforeTheNextUser {

        private final KeyTable table = table();
        private final MemorySegment memory = MemorySegment.ofArray(new int[] {1});
        private final Meeting start = new Meeting();

        /** Fills the table. */
        public RevokedBeforeTheNextUser() {
            table.set(ENTRY, KEY, REGISTRATION);
        }

        /** The owner. */
        @Actor
        public void owner() {
            start.await();
            table.clear(ENTRY);
            INT.set(memory, 0L, 2);
        }

        /** The peer. */
        @Actor
        public void peer(ZI_Result r) {
            start.await();
            r.r2 = (int) INT.get(memory, 0L);
            r.r1 = table.isValid(KEY, grant());
        }
    }

    /** The owner replaces the key of memory and writes to it. The peer copies and then checks the key. */
    @JCStressTest
    @Outcome(
            id = "true, 2",
            expect = Expect.FORBIDDEN,
            desc = "the old key was valid, but the bytes are the next user's")
    @Outcome(expect = Expect.ACCEPTABLE, desc = "the bytes belong to the key, or the peer detects that they do not")
    @State
    public static class RenewedBeforeTheNextUser {

        private final KeyTable table = table();
        private final MemorySegment memory = MemorySegment.ofArray(new int[] {1});
        private final Meeting start = new Meeting();

        /** Fills the table. */
        public RenewedBeforeTheNextUser() {
            table.set(ENTRY, KEY, REGISTRATION);
        }

        /** The owner. */
        @Actor
        public void owner() {
            start.await();
            table.replace(ENTRY, OTHER_KEY, REGISTRATION);
            INT.set(memory, 0L, 2);
        }

        /** The peer. */
        @Actor
        public void peer(ZI_Result r) {
            start.await();
            r.r2 = (int) INT.get(memory, 0L);
            r.r1 = table.isValid(KEY, grant());
        }
    }

    /**
     * The owner publishes, renews and removes an entry, and publishes another registration. The peer checks entries
     * that never existed.
     */
    @JCStressTest
    @Outcome(id = "false, false", expect = Expect.ACCEPTABLE, desc = "the peer sees only complete entries")
    @Outcome(expect = Expect.FORBIDDEN, desc = "the key of one entry with the registration of another one")
    @State
    public static class NeverAMix {

        private static final int ROUNDS = 4;

        private final KeyTable table = table();
        private final Meeting start = new Meeting();

        /** The owner: the registration has {@link #KEY} and then {@link #OTHER_KEY}, the other one has neither. */
        @Actor
        public void owner() {
            start.await();
            for (int i = 0; i < ROUNDS; i++) {
                table.set(ENTRY, KEY, REGISTRATION);
                table.replace(ENTRY, OTHER_KEY, REGISTRATION);
                table.clear(ENTRY);
                table.set(ENTRY, -KEY, OTHER_REGISTRATION);
            }
        }

        /** The peer. */
        @Actor
        public void peer(ZZ_Result r) {
            long other = KeyTable.grant(ENTRY, OTHER_REGISTRATION);
            start.await();
            for (int i = 0; i < 4 * ROUNDS; i++) {
                r.r1 |= table.isValid(KEY, other) || table.isValid(OTHER_KEY, other);
                r.r2 |= table.isValid(-KEY, grant());
            }
        }
    }

    /** A revoked key is drawn again by chance and gets the same entry. The peer still has the first grant. */
    @JCStressTest
    @Outcome(id = "true, 2", expect = Expect.FORBIDDEN, desc = "the bytes of another registration with the old grant")
    @Outcome(expect = Expect.ACCEPTABLE, desc = "the bytes belong to the grant, or the peer detects that they do not")
    @State
    public static class SameKeyAgain {

        private final KeyTable table = table();
        private final MemorySegment memory = MemorySegment.ofArray(new int[] {1});
        private final Meeting start = new Meeting();

        /** Fills the table. */
        public SameKeyAgain() {
            table.set(ENTRY, KEY, REGISTRATION);
        }

        /** The owner. */
        @Actor
        public void owner() {
            start.await();
            table.clear(ENTRY);
            INT.set(memory, 0L, 2);
            table.set(ENTRY, KEY, REGISTRATION + 1);
        }

        /** The peer. */
        @Actor
        public void peer(ZI_Result r) {
            start.await();
            r.r2 = (int) INT.get(memory, 0L);
            r.r1 = table.isValid(KEY, grant());
        }
    }
}
