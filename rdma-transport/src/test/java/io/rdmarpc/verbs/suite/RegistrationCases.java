package io.rdmarpc.verbs.suite;

import static io.rdmarpc.verbs.suite.Connection.AT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.mr.MemoryWindow;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Registered memory: rights, edges, keys. */
abstract class RegistrationCases extends VerbsCases {

    RegistrationCases(SuiteProvider provider) {
        super(provider);
    }

    @Test
    void shouldReportItsAttributes() {
        MemorySegment memory = there.arena.allocate(100, 64);
        Set<AccessFlag> access = EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);
        MemoryRegion region = fixture.closing(there.domain.registerMemory(memory, access));
        assertThat(region.segment().address()).isEqualTo(memory.address());
        assertThat(region.address()).isEqualTo(memory.address());
        assertThat(region.byteSize()).isEqualTo(100);
        assertThat(region.access()).isEqualTo(access);
        assertThat(region.addressOf(60, 40)).isEqualTo(memory.address() + 60);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> region.addressOf(60, 41));
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> region.addressOf(-1, 1));
    }

    @Test
    void shouldAssignDifferentKeys() {
        Set<Integer> keys = new HashSet<>();
        for (int i = 0; i < 20; i++) {
            MemoryRegion region = fixture.closing(there.register(64, End.EVERYTHING));
            assertThat(keys.add(region.lkey())).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = AccessFlag.class,
            names = {"REMOTE_WRITE", "REMOTE_ATOMIC"})
    void shouldRequireLocalWriteForRemoteWrites(AccessFlag right) {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> there.register(64, right))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void shouldRejectHeapMemory() {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> there.domain.registerMemory(MemorySegment.ofArray(new byte[64])))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EFAULT));
    }

    @Test
    void shouldRejectEmptyMemory() {
        MemorySegment empty = there.arena.allocate(64).asSlice(0, 0);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> there.domain.registerMemory(empty))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EFAULT));
    }

    /** The first byte, the last byte, and the whole region. */
    @ParameterizedTest
    @CsvSource({"0, 1", "4095, 1", "0, 4096", "4094, 2", "1, 4095"})
    void shouldReachTheWholeRegion(int at, int length) {
        Connection pair = fixture.connection(QueuePairType.RC);
        MemoryRegion region = fixture.closing(there.register(4096, End.EVERYTHING));
        VerbsFixture.fill(pair.local, AT, 4096, at);
        pair.request(1, SendOpcode.RDMA_WRITE, length).setRemote(0, region.address() + at, region.rkey());
        pair.post();
        pair.sent(1);
        VerbsFixture.assertSame(pair.local, AT, region, at, length);
        VerbsFixture.assertZero(region, 0, at);
        VerbsFixture.assertZero(region, at + length, 4096 - at - length);
        pair.request(2, SendOpcode.RDMA_READ, length).setRemote(0, region.address() + at, region.rkey());
        pair.post();
        pair.sent(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 4097, 12_289})
    void shouldAcceptAnyLengthAndStart(int length) {
        Connection pair = fixture.connection(QueuePairType.RC);
        MemorySegment memory = there.arena.allocate(length + 3L, 1).asSlice(3, length);
        MemoryRegion region = fixture.closing(there.domain.registerMemory(memory, End.EVERYTHING));
        VerbsFixture.fill(pair.local, AT, length, length);
        pair.request(1, SendOpcode.RDMA_WRITE, length).setRemote(0, region.address(), region.rkey());
        pair.post();
        pair.sent(1);
        VerbsFixture.assertSame(pair.local, AT, region, 0, length);
    }

    @Test
    void shouldSendFromMemoryWithoutRights() {
        Connection pair = fixture.connection(QueuePairType.RC);
        MemoryRegion plain = fixture.closing(here.register(64));
        plain.segment().setString(0, "no rights");
        pair.receive(1, 64);
        pair.request(2, SendOpcode.SEND, 64).setSge(0, 0, plain.address(), 64, plain.lkey());
        pair.post();
        pair.sent(2);
        pair.received(1);
        assertThat(pair.remote.segment().getString(AT)).isEqualTo("no rights");
    }

    /** The minimum rights for each operation are sufficient. */
    @Test
    void shouldLetAPeerReadWithTheMinimumRights() {
        Connection pair = fixture.connection(QueuePairType.RC);
        MemoryRegion readable = fixture.closing(there.register(64, AccessFlag.REMOTE_READ));
        readable.segment().setString(0, "read me");
        pair.request(1, SendOpcode.RDMA_READ, 64).setRemote(0, readable.address(), readable.rkey());
        pair.post();
        pair.sent(1);
        assertThat(pair.local.segment().getString(AT)).isEqualTo("read me");
    }

    @Test
    void shouldLetAPeerWriteWithTheMinimumRights() {
        Connection pair = fixture.connection(QueuePairType.RC);
        MemoryRegion writable = fixture.closing(there.register(64, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
        pair.local.segment().setString(AT, "written");
        pair.request(1, SendOpcode.RDMA_WRITE, 64).setRemote(0, writable.address(), writable.rkey());
        pair.post();
        pair.sent(1);
        assertThat(writable.segment().getString(0)).isEqualTo("written");
    }

    @Test
    void shouldLetAPeerExecuteAtomicsWithTheMinimumRights() {
        Connection pair = fixture.connection(QueuePairType.RC);
        MemoryRegion countable = fixture.closing(there.register(64, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_ATOMIC));
        pair.fetchAndAdd(0, 1, AT, 5);
        here.sends.setFetchAndAdd(0, countable.address(), countable.rkey(), 5);
        pair.post();
        pair.sent(1);
        assertThat(countable.segment().get(ValueLayout.JAVA_LONG, 0)).isEqualTo(5);
    }

    /** Two regions of the same memory have separate rights. */
    @Test
    void shouldAcceptOverlappingRegions() {
        Connection pair = fixture.connection(QueuePairType.RC);
        MemorySegment memory = there.arena.allocate(64, 64);
        MemoryRegion readable =
                fixture.closing(there.domain.registerMemory(memory, EnumSet.of(AccessFlag.REMOTE_READ)));
        MemoryRegion writable = fixture.closing(there.domain.registerMemory(
                memory.asSlice(32), EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE)));
        pair.local.segment().setString(AT, "both");
        pair.request(1, SendOpcode.RDMA_WRITE, 8).setRemote(0, writable.address(), writable.rkey());
        pair.post();
        pair.sent(1);
        pair.request(2, SendOpcode.RDMA_READ, 8).setRemote(0, readable.address() + 32, readable.rkey());
        here.sends.setSge(0, 0, pair.local.address() + AT + 100, 8, pair.local.lkey());
        pair.post();
        pair.sent(2);
        assertThat(pair.local.segment().getString(AT + 100)).isEqualTo("both");
        pair.request(3, SendOpcode.RDMA_WRITE, 8).setRemote(0, readable.address() + 32, readable.rkey());
        pair.post();
        pair.awaitFailure("REM_ACCESS_ERR (10)");
    }

    @Test
    void shouldServeManyQueuePairsWithOneRegion() {
        Connection reliable = fixture.connection(QueuePairType.RC);
        Connection unreliable = fixture.connection(QueuePairType.UC);
        reliable.local.segment().setString(AT, "shared");
        for (Connection pair : new Connection[] {reliable, unreliable}) {
            pair.receive(1, 64);
            pair.post(2, SendOpcode.SEND, 64);
            pair.sent(2);
            pair.received(1);
        }
    }

    @Test
    void whenOneOfTwoRegionsIsClosedThenTheOtherStays() {
        Connection pair = fixture.connection(QueuePairType.RC);
        MemorySegment memory = there.arena.allocate(64, 64);
        MemoryRegion closed = there.domain.registerMemory(memory, End.EVERYTHING);
        MemoryRegion open = fixture.closing(there.domain.registerMemory(memory, End.EVERYTHING));
        closed.close();
        closed.close();
        pair.request(1, SendOpcode.RDMA_WRITE, 8).setRemote(0, open.address(), open.rkey());
        pair.post();
        pair.sent(1);
    }

    /** The key of a closed region grants nothing, even after further registrations. */
    @Test
    void shouldNotReuseTheKeyOfAClosedRegion() {
        Connection pair = fixture.connection(QueuePairType.RC);
        MemorySegment memory = there.arena.allocate(64, 64);
        MemoryRegion closed = there.domain.registerMemory(memory, End.EVERYTHING);
        closed.close();
        for (int i = 0; i < 5; i++) {
            fixture.closing(there.domain.registerMemory(memory, End.EVERYTHING));
        }
        pair.request(1, SendOpcode.RDMA_READ, 8).setRemote(0, memory.address(), closed.rkey());
        pair.post();
        pair.awaitFailure("REM_ACCESS_ERR (10)");
    }

    @Test
    void shouldChangeTheRightsOfARegion() {
        MemorySegment memory = there.arena.allocate(64, 64);
        MemoryRegion region = fixture.closing(there.domain.registerMemory(memory, EnumSet.of(AccessFlag.REMOTE_READ)));
        ifThere(() -> {
            region.reregister(memory, End.EVERYTHING);
            return region;
        });
        assertThat(region.access()).isEqualTo(End.EVERYTHING);
    }

    @Test
    void shouldGiveAWindowItsOwnKey() {
        MemoryWindow window = fixture.closing(ifThere(there.domain::allocateMemoryWindow));
        assertThat(window.rkey()).isNotZero();
        MemoryWindow other = fixture.closing(there.domain.allocateMemoryWindow());
        assertThat(other.rkey()).isNotEqualTo(window.rkey());
    }
}
