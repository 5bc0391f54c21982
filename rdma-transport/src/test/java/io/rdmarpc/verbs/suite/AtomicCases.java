package io.rdmarpc.verbs.suite;

import static io.rdmarpc.verbs.suite.Connection.AT;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compare-and-swap and fetch-and-add (9.4.5). */
abstract class AtomicCases extends VerbsCases {

    AtomicCases(SuiteProvider provider) {
        super(provider);
    }

    private static void put(MemoryRegion region, long at, long value) {
        region.segment().set(ValueLayout.JAVA_LONG, at, value);
    }

    private static long get(MemoryRegion region, long at) {
        return region.segment().get(ValueLayout.JAVA_LONG, at);
    }

    @ParameterizedTest
    @CsvSource({
        "0, 1",
        "41, 1",
        "0, -1",
        "9223372036854775807, 1",
        "-1, 1",
        "-9223372036854775808, -1",
        "1311768467294899695, 0",
        "4294967295, 1"
    })
    void shouldFetchAndAdd(long value, long add) {
        Connection pair = fixture.connection(QueuePairType.RC);
        put(pair.remote, AT, value);
        put(pair.remote, AT - 8, 77);
        put(pair.remote, AT + 8, 78);
        pair.fetchAndAdd(0, 1, AT, add);
        pair.post();

        Completion completion = pair.sent(1);
        assertThat(completion.opcode()).isEqualTo(CompletionOpcode.FETCH_ADD);
        assertThat(completion.byteLength()).isEqualTo(8);
        assertThat(get(pair.local, AT)).isEqualTo(value);
        assertThat(get(pair.remote, AT)).isEqualTo(value + add);
        assertThat(get(pair.remote, AT - 8)).isEqualTo(77);
        assertThat(get(pair.remote, AT + 8)).isEqualTo(78);
    }

    @ParameterizedTest
    @CsvSource({
        "5, 5, 6",
        "5, 4, 6",
        "-1, -1, 0",
        "0, 0, -9223372036854775808",
        "72623859790382856, 578437695752307201, 3",
        "72623859790382856, 72623859790382856, 3"
    })
    void shouldCompareAndSwap(long value, long compare, long swap) {
        Connection pair = fixture.connection(QueuePairType.RC);
        put(pair.remote, AT, value);
        pair.compareAndSwap(0, 1, AT, compare, swap);
        pair.post();

        assertThat(pair.sent(1).opcode()).isEqualTo(CompletionOpcode.COMP_SWAP);
        assertThat(get(pair.local, AT)).isEqualTo(value);
        assertThat(get(pair.remote, AT)).isEqualTo(value == compare ? swap : value);
    }

    /** Each atomic is executed once and sees the earlier ones. */
    @Test
    void shouldExecuteManyOnOneWord() {
        Connection pair = fixture.connection(QueuePairType.RC);
        put(pair.remote, AT, 0);
        for (int i = 0; i < 20; i++) {
            pair.fetchAndAdd(i, i, AT, 1L << i);
            here.sends.setSge(i, 0, pair.local.address() + AT + 8L * i, 8, pair.local.lkey());
        }
        here.sends.chain(0, 20);
        pair.post();
        for (int i = 0; i < 20; i++) {
            pair.sent(i);
            assertThat(get(pair.local, AT + 8L * i)).isEqualTo((1L << i) - 1);
        }
    }

    /** Both ends of a connection count on the same word of one of them. */
    @Test
    void shouldCountOnOneWordFromTwoConnections() {
        Connection one = fixture.connection(QueuePairType.RC);
        Connection other =
                fixture.closing(new Connection(fixture, here.create(QueuePairType.RC), there.create(QueuePairType.RC)));
        other.connect();
        put(one.remote, AT, 0);
        for (int i = 0; i < 10; i++) {
            one.fetchAndAdd(0, 1, AT, 1);
            one.post();
            other.fetchAndAdd(0, 2, AT, 1000);
            other.post();
        }
        for (int i = 0; i < 20; i++) {
            fixture.next(here, "SUCCESS (0)");
        }
        assertThat(get(one.remote, AT)).isEqualTo(10_010);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, VerbsFixture.BYTES - 8})
    void shouldReachTheEdgesOfARegion(long at) {
        Connection pair = fixture.connection(QueuePairType.RC);
        put(pair.remote, at, 9);
        pair.fetchAndAdd(0, 1, at, 1);
        pair.post();
        pair.sent(1);
        assertThat(get(pair.remote, at)).isEqualTo(10);
    }

    @Test
    void shouldRejectAddressesBeyondTheRegion() {
        Connection pair = fixture.connection(QueuePairType.RC);
        pair.fetchAndAdd(0, 1, AT, 1);
        here.sends.setFetchAndAdd(0, pair.remote.address() + VerbsFixture.BYTES, pair.remote.rkey(), 1);
        pair.post();
        pair.awaitFailure("REM_ACCESS_ERR (10)");
    }

    @Test
    void shouldRejectMemoryWithoutTheRight() {
        Connection pair = fixture.connection(QueuePairType.RC);
        MemoryRegion writable = fixture.closing(there.register(64, AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
        pair.fetchAndAdd(0, 1, AT, 1);
        here.sends.setFetchAndAdd(0, writable.address(), writable.rkey(), 1);
        pair.post();
        pair.awaitFailure("REM_ACCESS_ERR (10)");
        assertThat(get(writable, 0)).isZero();
        fixture.awaitState(pair.peer, QueuePairState.ERR);
    }

    @Test
    void whenTheQueuePairGrantsNoneThenTheRequestFails() {
        Connection pair = fixture.pooled(QueuePairType.RC)
                .connect(Connection.OPEN.withAccess(AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE));
        put(pair.remote, AT, 3);
        pair.fetchAndAdd(0, 1, AT, 1);
        pair.post();
        pair.awaitFailure("REM_INV_REQ_ERR (9)", "REM_ACCESS_ERR (10)");
        assertThat(get(pair.remote, AT)).isEqualTo(3);
    }

    @Test
    void whenTheAddressIsOddThenThePostIsRejected() {
        needs(Trait.POST_REJECTS_ODD_ATOMIC);
        Connection pair = fixture.connection(QueuePairType.RC);
        pair.fetchAndAdd(0, 1, AT, 1);
        here.sends.setFetchAndAdd(0, pair.remote.address() + AT + 4, pair.remote.rkey(), 1);
        assertThat(pair.qp.postSend(here.sends, 0)).isEqualTo(Errno.EINVAL);
        pair.assertWorks();
    }

    @Test
    void whenTheAddressIsOddThenThePeerRejectsIt() {
        needs(Trait.ODD_ATOMIC_REACHES_THE_PEER);
        Connection pair = fixture.connection(QueuePairType.RC);
        pair.fetchAndAdd(0, 1, AT, 1);
        here.sends.setFetchAndAdd(0, pair.remote.address() + AT + 4, pair.remote.rkey(), 1);
        pair.post();
        pair.awaitFailure("REM_INV_REQ_ERR (9)");
    }

    /** The original value may be stored at any address. */
    @Test
    void shouldStoreTheOriginalValueAtAnOddAddress() {
        Connection pair = fixture.connection(QueuePairType.RC);
        put(pair.remote, AT, 0x0102_0304_0506_0708L);
        pair.fetchAndAdd(0, 1, AT, 0);
        here.sends.setSge(0, 0, pair.local.address() + AT + 3, 8, pair.local.lkey());
        pair.post();
        pair.sent(1);
        assertThat(pair.local.segment().get(ValueLayout.JAVA_LONG_UNALIGNED, AT + 3))
                .isEqualTo(0x0102_0304_0506_0708L);
    }

    @Test
    void shouldExecuteUnsignaledAtomics() {
        Connection pair = fixture.connection(QueuePairType.RC);
        put(pair.remote, AT, 1);
        pair.fetchAndAdd(0, 1, AT, 1);
        here.sends.set(0, 1, SendOpcode.ATOMIC_FETCH_AND_ADD, 0, 1);
        pair.fetchAndAdd(1, 2, AT, 1);
        here.sends.set(1, 2, SendOpcode.ATOMIC_FETCH_AND_ADD, SendFlags.SIGNALED, 1);
        here.sends.chain(0, 2);
        pair.post();
        pair.sent(2);
        assertThat(get(pair.remote, AT)).isEqualTo(3);
    }
}
