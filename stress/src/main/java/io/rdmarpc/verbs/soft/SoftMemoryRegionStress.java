package io.rdmarpc.verbs.soft;

import io.rdmarpc.stress.Meeting;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import io.rdmarpc.verbs.soft.link.UdpLink;
import io.rdmarpc.verbs.soft.port.LocalGidTable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.util.List;
import java.util.Set;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** A region that is registered again while it is in use: {@link SoftMemoryRegion}. */
public final class SoftMemoryRegionStress {

    private static final int BYTES = 64;
    private static final int OLD = 1;
    private static final int NEW = 2;
    private static final SoftRnic RNIC = rnic();
    private static final SoftProtectionDomain DOMAIN =
            (SoftProtectionDomain) new SoftContext(RNIC).allocateProtectionDomain();
    private static final MemorySegment OLD_MEMORY = memory(BYTES, OLD);
    private static final MemorySegment NEW_MEMORY = memory(2 * BYTES, NEW);

    private SoftMemoryRegionStress() {}

    private static SoftRnic rnic() {
        List<InetAddress> addresses = List.of(Inet4Address.ofLiteral("127.0.0.1"));
        try {
            return new SoftRnic(LocalGidTable.of(addresses), UdpLink.open(addresses, 0), System::nanoTime);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MemorySegment memory(int bytes, int content) {
        MemorySegment made = Arena.global().allocate(bytes, Long.BYTES);
        made.fill((byte) content);
        return made;
    }

    /**
     * A thread without the lock looks up bytes by the old key, bytes by the new key, and bytes that only the new memory
     * has. Both registrations count addresses from 0, so that each range is within the new one.
     */
    @JCStressTest
    @Outcome(id = "0, 0, 0", expect = Expect.ACCEPTABLE, desc = "the old registration is no longer found")
    @Outcome(id = "1, 0, 0", expect = Expect.ACCEPTABLE, desc = "the old key finds the old memory")
    @Outcome(expect = Expect.FORBIDDEN, desc = "a key finds memory of another registration")
    @State
    public static class FoundWithoutTheLock {

        private static final int OLD_KEY = 0x0001_1111;
        private static final int NEW_KEY = 0x0001_2222;
        private static final Set<AccessFlag> ACCESS = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.ZERO_BASED);

        private final SoftMemoryRegion region =
                new SoftMemoryRegion(DOMAIN.context(), OLD_MEMORY, ACCESS, OLD_KEY, OLD_KEY, null, true);
        private final Meeting start = new Meeting();

        /** The thread that registers the region again, under the lock. */
        @Actor
        public void registers() {
            start.await();
            region.replaceRegistration(NEW_MEMORY, ACCESS, NEW_KEY, NEW_KEY, null);
        }

        /** The thread that sends. */
        @Actor
        public void sends(III_Result r) {
            start.await();
            r.r1 = memoryAt(region.lastingAddress(OLD_KEY, 0, BYTES));
            r.r2 = memoryAt(region.lastingAddress(OLD_KEY, BYTES, BYTES));
            r.r3 = memoryAt(region.lastingAddress(NEW_KEY, 0, BYTES));
        }

        /** Returns the memory of an address: 0 for none, 3 for neither of the two. */
        private static int memoryAt(long address) {
            if (address == 0) {
                return 0;
            }
            if (address == OLD_MEMORY.address()) {
                return OLD;
            }
            return address == NEW_MEMORY.address() ? NEW : OLD + NEW;
        }
    }

    /** A peer's access is checked and executed under the lock while another thread registers the region again. */
    @JCStressTest
    @Outcome(id = "0, 0", expect = Expect.ACCEPTABLE, desc = "all of the old bytes, until the key is no longer valid")
    @Outcome(expect = Expect.FORBIDDEN, desc = "bytes or a right of another registration than that of the key")
    @State
    public static class FoundUnderTheLock {

        private static final SoftMemoryRegion REGION = (SoftMemoryRegion) DOMAIN.registerMemory(OLD_MEMORY, Set.of());
        private static final MemorySegment READ = Arena.global().allocate(BYTES);
        private static final Set<AccessFlag> READABLE = Set.of(AccessFlag.REMOTE_READ);
        private static final Set<AccessFlag> WRITABLE = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE);

        private static final int MAX_READS = 500;

        private final Meeting start = new Meeting();
        private final Meeting end = new Meeting();
        private int key;

        /** The thread that registers the region again. */
        @Actor
        public void registers() {
            REGION.reregister(OLD_MEMORY, READABLE);
            key = REGION.rkey();
            start.await();
            REGION.reregister(NEW_MEMORY, WRITABLE);
            end.awaitWithoutPause();
        }

        /** The thread that serves a peer that has only the old key. */
        @Actor
        public void serves(II_Result r) {
            start.await();
            int sum;
            int reads = 0;
            do {
                sum = read();
                r.r1 += sum == 0 || sum == BYTES * OLD ? 0 : 1;
            } while (sum != 0 && ++reads < MAX_READS);
            r.r2 = mayWrite() ? 1 : 0;
            end.awaitWithoutPause();
        }

        /** Reads all bytes as a peer would, and returns their sum, or 0 if the key is not valid. */
        private int read() {
            READ.fill((byte) 0);
            int right = AccessFlag.bits(READABLE);
            RNIC.lock();
            try {
                SoftMemoryRegion found =
                        RNIC.memory().remote(DOMAIN.context(), key, OLD_MEMORY.address(), BYTES, right);
                boolean _ = found != null && found.copyOut(OLD_MEMORY.address(), BYTES, READ, 0);
            } finally {
                RNIC.unlock();
            }
            int sum = 0;
            for (int i = 0; i < BYTES; i++) {
                sum += READ.get(ValueLayout.JAVA_BYTE, i);
            }
            return sum;
        }

        private boolean mayWrite() {
            int right = AccessFlag.bits(Set.of(AccessFlag.REMOTE_WRITE));
            RNIC.lock();
            try {
                return RNIC.memory().remote(DOMAIN.context(), key, NEW_MEMORY.address(), BYTES, right) != null;
            } finally {
                RNIC.unlock();
            }
        }
    }
}
