package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.soft.domain.DomainContext;
import io.rdmarpc.verbs.soft.domain.MemoryTable;
import io.rdmarpc.verbs.soft.domain.RemoteKeys;
import io.rdmarpc.verbs.soft.domain.SoftMemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.rnic.RandomNumbers;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@DisplayName("The keys of memory regions")
@Timeout(60)
class MemoryTableTest {

    private static final int SEED = 4711;
    private static final int READ = AccessFlag.REMOTE_READ.bit();
    private static final Set<AccessFlag> READABLE = Set.of(AccessFlag.REMOTE_READ);

    private final TestNode node = TestNode.inMemory(new MemoryNetwork(), 5001, LinkFaults.NONE, new FakeClock());
    private final DomainContext domain = ((SoftProtectionDomain) node.domain).context();
    private final MemorySegment memory = node.arena.allocate(64);
    private final MemoryTable table = new MemoryTable(null, new SplittableRandom(SEED));

    @AfterEach
    void close() {
        node.close();
    }

    private SoftMemoryRegion register(MemoryTable in) {
        return in.register(domain, memory, READABLE, false);
    }

    private SoftMemoryRegion remote(int key) {
        return table.remote(domain, key, memory.address(), 64, READ);
    }

    /** Returns given numbers first, and counts its calls. */
    private static final class Script implements RandomGenerator {

        private final SplittableRandom rest = new SplittableRandom(SEED);
        private final int[] first;
        private int batches;

        Script(int... first) {
            this.first = first;
        }

        @Override
        public void nextBytes(byte[] bytes) {
            rest.nextBytes(bytes);
            for (int i = 0; i < first.length && batches == 0; i++) {
                for (int b = 0; b < 4; b++) {
                    bytes[4 * i + b] = (byte) (first[i] >>> (24 - 8 * b));
                }
            }
            batches++;
        }

        @Override
        public long nextLong() {
            throw new AssertionError("keys are drawn in batches");
        }
    }

    @Test
    @DisplayName("for peers use all 32 bits, so that no key reveals its slot or another key")
    void shouldDrawRemoteKeysFromAllNumbers() {
        int ones = 0;
        int zeros = 0;
        Set<Integer> upperHalves = new HashSet<>();
        for (int i = 0; i < 1000; i++) {
            int key = register(table).rkey();
            ones |= key;
            zeros |= ~key;
            upperHalves.add(key >>> 16);
        }
        assertThat(ones).isEqualTo(-1);
        assertThat(zeros).isEqualTo(-1);
        assertThat(upperHalves).as("slots would be 0 to 999").hasSizeGreaterThan(950);
        assertThat(upperHalves.stream().filter(half -> half < 1000).count()).isLessThan(50);
    }

    @Test
    @DisplayName("for peers are the drawn numbers except 0, the region's local key and keys in use")
    void shouldNotDrawReservedKeys() {
        int lower = 0x1234;
        MemoryTable scripted = new MemoryTable(null, new Script(lower << 16, 0, lower, 77, lower << 16, 77, 78));
        SoftMemoryRegion first = register(scripted);
        assertThat(first.lkey()).isEqualTo(lower);
        assertThat(first.rkey()).isEqualTo(77);
        SoftMemoryRegion second = register(scripted);
        assertThat(second.lkey()).isEqualTo(1 << 16 | lower);
        assertThat(second.rkey()).isEqualTo(78);
    }

    @Test
    @DisplayName("are drawn in batches, so that few registrations call the source")
    void shouldCallTheSourceRarely() {
        Script source = new Script();
        MemoryTable scripted = new MemoryTable(null, source);
        for (int i = 0; i < RandomNumbers.BATCH; i++) {
            register(scripted);
        }
        assertThat(source.batches)
                .as("two numbers each, and a few that do not fit")
                .isBetween(2, 3);
    }

    @Test
    @DisplayName("find their region, and no other, in a full table")
    void shouldFindEachOfAllRegions() {
        List<SoftMemoryRegion> all = new ArrayList<>();
        while (!table.isFull()) {
            all.add(register(table));
        }
        assertThat(all).hasSize(MemoryTable.MAX_REGIONS);
        Set<Integer> keys = new HashSet<>();
        for (SoftMemoryRegion region : all) {
            assertThat(remote(region.rkey())).isSameAs(region);
            assertThat(table.local(domain, region.lkey(), memory.address(), 64, 0))
                    .isSameAs(region);
            assertThat(keys.add(region.rkey())).isTrue();
        }
        for (SoftMemoryRegion region : all) {
            table.deregister(region);
            assertThat(remote(region.rkey())).isNull();
        }
        SoftMemoryRegion fresh = register(table);
        assertThat(remote(fresh.rkey())).isSameAs(fresh);
    }

    @Test
    @DisplayName("for local requests do not work for a peer, and keys for peers do not work locally")
    void shouldNotMixLocalAndRemoteKeys() {
        SoftMemoryRegion region = register(table);
        assertThat(remote(region.lkey())).isNull();
        assertThat(table.local(domain, region.rkey(), memory.address(), 64, 0)).isNull();
        assertThat(remote(0)).isNull();
    }

    @Test
    @DisplayName("that ended recently are invalid and not drawn again")
    void whenAKeyHasEndedThenItIsNotDrawnSoon() {
        int lower = 0x10000;
        MemoryTable scripted = new MemoryTable(null, new Script(lower, 77, lower << 1, 77, 80));
        SoftMemoryRegion first = register(scripted);
        scripted.deregister(first);
        SoftMemoryRegion second = register(scripted);
        assertThat(first.rkey()).isEqualTo(77);
        assertThat(second.rkey()).as("77 was valid a moment ago").isEqualTo(80);
        assertThat(scripted.remote(domain, 77, memory.address(), 64, READ)).isNull();
    }

    @Test
    @DisplayName("that ended long ago are free again, so that the table does not grow with them")
    void whenManyKeysHaveEndedThenTheTableStaysSmall() {
        SoftMemoryRegion kept = register(table);
        for (int i = 0; i < 100 * RemoteKeys.ENDED_KEYS; i++) {
            SoftMemoryRegion region = register(table);
            assertThat(table.reregister(region, memory, READABLE)).isTrue();
            assertThat(remote(region.rkey())).isSameAs(region);
            table.deregister(region);
        }
        assertThat(remote(kept.rkey())).isSameAs(kept);
    }

    @Test
    @DisplayName("change when a region is registered again, and threads without the lock detect that first")
    void whenRegisteredAgainThenTheOldKeysAreInvalid() {
        SoftMemoryRegion region = table.register(domain, memory, READABLE, true);
        int lkey = region.lkey();
        int rkey = region.rkey();
        assertThat(region.lastingAddress(lkey, memory.address() + 8, 56)).isEqualTo(memory.address() + 8);
        assertThat(region.lastingAddress(lkey, memory.address() + 8, 57)).isZero();

        table.reregister(region, memory, READABLE);

        assertThat(remote(rkey)).isNull();
        assertThat(remote(region.rkey())).isSameAs(region);
        assertThat(region.lastingAddress(lkey, memory.address(), 8)).isZero();
        assertThat(region.lastingAddress(region.lkey(), memory.address(), 8))
                .as("it is no longer lasting")
                .isZero();
    }
}
