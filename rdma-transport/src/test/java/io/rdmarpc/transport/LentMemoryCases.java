package io.rdmarpc.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.BuddyArena;
import io.rdmarpc.memory.BuddyArenaConfig;
import io.rdmarpc.memory.LendingPool;
import io.rdmarpc.memory.MemoryBudget;
import io.rdmarpc.memory.PageSource;
import io.rdmarpc.memory.RegisteredBlock;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The lent memory that two peers of one NIC can READ, on any provider. */
@Timeout(120)
abstract class LentMemoryCases {

    private static final int BYTES = 100_000;
    private static final long LONGEST_WAIT_NANOS = 30_000_000_000L;

    private final MemoryBudget budget = new MemoryBudget(64 << 20);
    private final List<Runnable> blocking = new CopyOnWriteArrayList<>();
    private final List<Peer> peers = new ArrayList<>();
    private NicContext nic;
    private RcTransport rc;
    private BuddyArena targets;

    abstract NicContext open();

    /** One session: the memory lent to its peer, and the connection of both ends, which are on the same NIC. */
    private final class Peer {

        private final ProtectionDomain domain = nic.allocateProtectionDomain();
        private final LendingPool pool =
                new LendingPool(domain, budget, PageSource.lendable(nic.context()), blocking::add);
        private final ProtectionDomain farDomain = nic.allocateProtectionDomain();
        private final RcConnection near = rc.prepare(nic.gid(), domain);
        private final RcConnection far = rc.prepare(nic.gid(), farDomain);

        private Peer() {
            near.complete(far.endpoint(), PathMtu.MTU_1024);
            far.complete(near.endpoint(), PathMtu.MTU_1024);
            peers.add(this);
        }

        private RegisteredBlock lend(byte fill) {
            RegisteredBlock block = pool.allocate(BYTES).take();
            block.payload().fill(fill);
            return block;
        }

        /** READs as the peer, into zeroed memory. */
        private Outcome read(long address, int rkey) {
            RegisteredBlock target = targets.allocate(BYTES).take();
            target.payload().fill((byte) 0);
            int[] status = {-1};
            rc.read(far, target.payloadAddress(), target.lkey(), address, rkey, BYTES, end -> status[0] = end);
            long deadline = System.nanoTime() + LONGEST_WAIT_NANOS;
            while (status[0] < 0 && System.nanoTime() < deadline) {
                rc.postReads();
                rc.poll();
            }
            Set<Byte> values = new TreeSet<>();
            for (byte value : target.payload().asSlice(0, BYTES).toArray(ValueLayout.JAVA_BYTE)) {
                values.add(value);
            }
            target.free();
            return new Outcome(CompletionStatus.describe(status[0]), values);
        }

        private void close() {
            near.close();
            far.close();
            pool.revoke();
            pool.close();
            domain.close();
            farDomain.close();
        }
    }

    @BeforeEach
    void openNic() {
        nic = open();
        rc = RcTransport.open(nic, RcConfig.DEFAULTS);
        targets = new BuddyArena(nic.protectionDomain(), budget, new BuddyArenaConfig(4 << 10, 1 << 20, 1 << 20));
    }

    @AfterEach
    void closeNic() {
        peers.forEach(Peer::close);
        targets.close();
        rc.close();
        nic.close();
        assertThat(budget.registeredBytes()).isZero();
    }

    /** The result of a READ, and the values in its target. */
    private record Outcome(String status, Set<Byte> values) {

        private static Outcome of(byte value) {
            return new Outcome(CompletionStatus.describe(CompletionStatus.SUCCESS), Set.of(value));
        }
    }

    private static final Outcome REJECTED =
            new Outcome(CompletionStatus.describe(CompletionStatus.REM_ACCESS_ERR), Set.of((byte) 0));

    @Test
    @DisplayName("another peer with the address and key of lent memory is rejected, and loses only its own connection")
    void whenAnotherPeerHasTheKeyThenItIsRejected() {
        Peer owner = new Peer();
        Peer other = new Peer();
        RegisteredBlock block = owner.lend((byte) 7);

        assertThat(other.read(block.address(), block.rkey())).isEqualTo(REJECTED);
        assertThat(owner.read(block.address(), block.rkey())).isEqualTo(Outcome.of((byte) 7));
        block.free();
    }

    @Test
    @DisplayName("freed memory cannot be READ any more, even by its own peer")
    void whenABlockIsFreedThenItsKeyIsInvalid() {
        Peer owner = new Peer();
        RegisteredBlock block = owner.lend((byte) 7);
        int key = block.rkey();
        assertThat(owner.read(block.address(), key)).isEqualTo(Outcome.of((byte) 7));

        block.free();
        blocking.forEach(Runnable::run);

        assertThat(owner.read(block.address(), key)).isEqualTo(REJECTED);
    }

    @Test
    @DisplayName("the next message in the same memory has another key, which its peer can use")
    void whenABlockIsLentAgainThenItHasAnotherKey() {
        Peer owner = new Peer();
        RegisteredBlock first = owner.lend((byte) 7);
        int key = first.rkey();
        first.free();
        blocking.forEach(Runnable::run);

        RegisteredBlock second = owner.lend((byte) 8);

        assertThat(second.address()).isEqualTo(first.address());
        assertThat(second.rkey()).isNotEqualTo(key);
        assertThat(owner.read(second.address(), second.rkey())).isEqualTo(Outcome.of((byte) 8));
        second.free();
    }

    @Test
    @DisplayName("memory of the NIC's own protection domain is inaccessible to a peer")
    void whenAPeerReadsMemoryThatIsNotLentThenItIsRejected() {
        Peer owner = new Peer();
        RegisteredBlock target = targets.allocate(BYTES).take();
        target.payload().fill((byte) 9);

        assertThat(owner.read(target.address(), target.rkey())).isEqualTo(REJECTED);
        target.free();
    }
}
