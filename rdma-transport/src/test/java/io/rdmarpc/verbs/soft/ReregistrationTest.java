package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.CompletionStatus;
import java.lang.foreign.MemorySegment;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A region is registered again with other memory, other rights, or the same. */
@Timeout(60)
class ReregistrationTest {

    private static final int LENGTH = 4096;
    private static final Set<AccessFlag> READABLE = Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ);

    private final Pair pair = Pair.with(LinkFaults.NONE, LENGTH).connect();
    private final MemoryRegion region = pair.ofB;

    @AfterEach
    void close() {
        pair.close();
    }

    private int readStatus(long address, int rkey) {
        assertThat(pair.a.read(pair.qpOfA, 1, pair.ofA, 0, LENGTH, address, rkey))
                .isZero();
        return pair.awaitA().status();
    }

    private void assertReads(MemorySegment expected) {
        assertThat(readStatus(region.address(), region.rkey())).isEqualTo(CompletionStatus.SUCCESS);
        assertThat(pair.ofA.segment().mismatch(expected)).isEqualTo(-1);
    }

    @Test
    void whenTheMemoryIsReplacedThenPeersReadTheNewOne() {
        MemorySegment other = pair.b.arena.allocate(LENGTH, 64);
        Pair.fill(other, 33);
        region.reregister(other, READABLE);
        assertThat(region.segment()).isEqualTo(other);
        assertThat(region.address()).isEqualTo(other.address());
        assertReads(other);
    }

    /** The pages of an address may have changed, and a peer with the old key must lose access. */
    @Test
    void whenNothingElseChangesThenTheKeysChange() {
        int lkey = region.lkey();
        int rkey = region.rkey();
        MemorySegment segment = region.segment();
        region.reregister(segment, READABLE);
        assertThat(region.lkey()).isNotEqualTo(lkey);
        assertThat(region.rkey()).isNotEqualTo(rkey);
        assertReads(segment);
        assertThat(readStatus(region.address(), rkey)).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void whenARightIsRemovedThenPeersAreRejected() {
        region.reregister(region.segment(), Set.of(AccessFlag.LOCAL_WRITE));
        assertThat(region.access()).containsExactly(AccessFlag.LOCAL_WRITE);
        assertThat(readStatus(region.address(), region.rkey())).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void whenItIsShorterThenTheRestIsNotAccessible() {
        region.reregister(region.segment().asSlice(0, LENGTH - 1), READABLE);
        assertThat(readStatus(region.address(), region.rkey())).isEqualTo(CompletionStatus.REM_ACCESS_ERR);
    }

    @Test
    void whenZeroBasedThenAddressesBeginAtZero() {
        MemorySegment segment = region.segment();
        region.reregister(segment, Set.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_READ, AccessFlag.ZERO_BASED));
        assertThat(region.address()).isZero();
        assertReads(segment);
    }

    @Test
    void whenClosedThenRejectedWithEinval() {
        region.close();
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> region.reregister(region.segment(), READABLE))
                .withMessageContaining("ibv_rereg_mr")
                .withMessageContaining("Register another")
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }

    @Test
    void whenReregistrationFailsThenTheRegionIsUnchanged() {
        int rkey = region.rkey();
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> region.reregister(region.segment(), Set.of(AccessFlag.REMOTE_WRITE)));
        assertThat(region.rkey()).isEqualTo(rkey);
        assertReads(region.segment());
    }
}
