package io.rdmarpc.verbs.suite;

import static io.rdmarpc.verbs.suite.Connection.AT;
import static io.rdmarpc.verbs.suite.VerbsFixture.assertZero;
import static io.rdmarpc.verbs.suite.VerbsFixture.clear;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid requests: their status at both ends, and that no memory changes. */
abstract class BadRequestCases extends VerbsCases {

    private static final int REGION = 4096;
    private static final int GUARD = 64;

    BadRequestCases(SuiteProvider provider) {
        super(provider);
    }

    /** Kinds of a peer's memory that may not be accessed. */
    enum Forbidden {
        WRONG_KEY,
        NO_RIGHT,
        BEFORE_THE_REGION,
        ACROSS_THE_START,
        ACROSS_THE_END,
        BEHIND_THE_REGION,
        FAR_AWAY,
        CLOSED_REGION,
        OTHER_DOMAIN
    }

    static List<Arguments> remoteFaults() {
        List<Arguments> all = new ArrayList<>();
        for (int opcode : new int[] {SendOpcode.RDMA_WRITE, SendOpcode.RDMA_WRITE_WITH_IMM, SendOpcode.RDMA_READ}) {
            for (Forbidden forbidden : Forbidden.values()) {
                all.add(Arguments.of(SendOpcode.name(opcode), opcode, forbidden));
            }
        }
        return all;
    }

    private static AccessFlag other(int opcode) {
        return opcode == SendOpcode.RDMA_READ ? AccessFlag.REMOTE_WRITE : AccessFlag.REMOTE_READ;
    }

    /** A region with unregistered memory before and after it. */
    private MemoryRegion target(ProtectionDomain domain, AccessFlag... access) {
        MemorySegment memory = there.arena.allocate(REGION + 2L * GUARD, 64).asSlice(GUARD, REGION);
        return fixture.closing(domain.registerMemory(memory, EnumSet.of(AccessFlag.LOCAL_WRITE, access)));
    }

    private void aim(Connection pair, int opcode, Forbidden forbidden) {
        MemoryRegion region = target(there.domain, AccessFlag.REMOTE_READ, AccessFlag.REMOTE_WRITE);
        pair.request(1, opcode, 100);
        switch (forbidden) {
            case WRONG_KEY -> here.sends.setRemote(0, region.address(), region.rkey() ^ 0x55);
            case NO_RIGHT -> {
                MemoryRegion without = target(there.domain, other(opcode));
                here.sends.setRemote(0, without.address(), without.rkey());
            }
            case BEFORE_THE_REGION -> here.sends.setRemote(0, region.address() - 100, region.rkey());
            case ACROSS_THE_START -> here.sends.setRemote(0, region.address() - 1, region.rkey());
            case ACROSS_THE_END -> here.sends.setRemote(0, region.address() + REGION - 99, region.rkey());
            case BEHIND_THE_REGION -> here.sends.setRemote(0, region.address() + REGION, region.rkey());
            case FAR_AWAY -> here.sends.setRemote(0, -50, region.rkey());
            case CLOSED_REGION -> {
                here.sends.setRemote(0, region.address(), region.rkey());
                region.close();
            }
            case OTHER_DOMAIN -> {
                MemoryRegion foreign = target(
                        fixture.closing(there.context.allocateProtectionDomain()),
                        AccessFlag.REMOTE_READ,
                        AccessFlag.REMOTE_WRITE);
                here.sends.setRemote(0, foreign.address(), foreign.rkey());
            }
        }
    }

    /** The peer rejects the request with a remote access error, and both ends are in ERR (9.7.4.1.5, 10.7.2.2). */
    @ParameterizedTest(name = "{0} {2}")
    @MethodSource("remoteFaults")
    void shouldRejectForbiddenRemoteMemory(String name, int opcode, Forbidden forbidden) {
        Connection pair = fixture.connection(QueuePairType.RC);
        pair.receive(9, 0);
        clear(pair.local, AT, 100);
        aim(pair, opcode, forbidden);
        pair.post();
        assertThat(pair.awaitFailure("REM_ACCESS_ERR (10)").wrId()).as(name).isEqualTo(1);
        fixture.awaitState(pair.peer, QueuePairState.ERR);
        assertThat(fixture.next(there).status())
                .as("the receive is not consumed")
                .isNotZero();
        assertZero(pair.local, AT, 100);
    }

    /** A queue pair that does not grant the operation does not check keys. */
    @ParameterizedTest
    @ValueSource(ints = {SendOpcode.RDMA_WRITE, SendOpcode.RDMA_READ})
    void shouldRejectAccessThatTheQueuePairDoesNotGrant(int opcode) {
        Connection pair = fixture.pooled(QueuePairType.RC)
                .connect(Connection.OPEN.withAccess(other(opcode), AccessFlag.REMOTE_ATOMIC));
        clear(pair.remote, AT, 100);
        pair.local.segment().asSlice(AT, 100).fill((byte) 5);
        pair.post(1, opcode, 100);
        pair.awaitFailure("REM_INV_REQ_ERR (9)", "REM_ACCESS_ERR (10)");
        fixture.awaitState(pair.peer, QueuePairState.ERR);
        assertZero(pair.remote, AT, 100);
    }

    /** A request without bytes does not check keys (C9-88 for READ). */
    @ParameterizedTest
    @ValueSource(ints = {SendOpcode.RDMA_WRITE, SendOpcode.RDMA_READ})
    void shouldRequireNoKeyForZeroBytes(int opcode) {
        Connection pair = fixture.connection(QueuePairType.RC);
        pair.request(1, opcode, 0).setRemote(0, 0, 0);
        pair.post();
        pair.sent(1);
        assertThat(pair.peer.queryState()).isEqualTo(QueuePairState.RTS);
    }

    // ---- local memory ----

    /** Kinds of local memory that may not be used. */
    enum Own {
        WRONG_KEY,
        ACROSS_THE_END,
        CLOSED_REGION,
        OTHER_DOMAIN
    }

    static List<Arguments> localFaults() {
        List<Arguments> all = new ArrayList<>();
        for (int opcode : new int[] {SendOpcode.SEND, SendOpcode.RDMA_WRITE, SendOpcode.RDMA_READ}) {
            for (Own own : Own.values()) {
                all.add(Arguments.of(SendOpcode.name(opcode), opcode, own));
            }
        }
        return all;
    }

    private void take(Own own) {
        MemoryRegion region = fixture.closing(here.register(200, AccessFlag.LOCAL_WRITE));
        switch (own) {
            case WRONG_KEY -> here.sends.setSge(0, 0, region.address(), 100, region.lkey() ^ 0x55);
            case ACROSS_THE_END -> here.sends.setSge(0, 0, region.address() + 101, 100, region.lkey());
            case CLOSED_REGION -> {
                here.sends.setSge(0, 0, region.address(), 100, region.lkey());
                region.close();
            }
            case OTHER_DOMAIN -> {
                ProtectionDomain domain = fixture.closing(here.context.allocateProtectionDomain());
                MemoryRegion foreign = fixture.closing(
                        domain.registerMemory(here.arena.allocate(200), EnumSet.of(AccessFlag.LOCAL_WRITE)));
                here.sends.setSge(0, 0, foreign.address(), 100, foreign.lkey());
            }
        }
    }

    @ParameterizedTest(name = "{0} {2}")
    @MethodSource("localFaults")
    void shouldRejectForbiddenLocalMemory(String name, int opcode, Own own) {
        Connection pair = fixture.connection(QueuePairType.RC);
        clear(pair.remote, AT, 100);
        pair.receive(9, 100);
        pair.request(1, opcode, 100);
        take(own);
        pair.post();
        assertThat(pair.awaitFailure("LOC_PROT_ERR (4)", "LOC_QP_OP_ERR (2)").wrId())
                .as(name)
                .isEqualTo(1);
        assertZero(pair.remote, AT, 100);
    }

    @ParameterizedTest(name = "{0} {2}")
    @MethodSource("localFaults")
    void whenLocalMemoryIsForbiddenThenTheStatusIsLocProtErr(String name, int opcode, Own own) {
        if (opcode != SendOpcode.RDMA_READ) {
            needs(Trait.SEND_FROM_WRONG_KEY_IS_LOC_PROT_ERR);
        }
        Connection pair = fixture.connection(QueuePairType.RC);
        pair.request(1, opcode, 100);
        take(own);
        pair.post();
        assertThat(pair.awaitFailure("LOC_PROT_ERR (4)").wrId()).as(name).isEqualTo(1);
        assertThat(pair.peer.queryState()).isEqualTo(QueuePairState.RTS);
    }

    @Test
    void shouldRejectAReadIntoReadOnlyMemory() {
        Connection pair = fixture.connection(QueuePairType.RC);
        MemoryRegion readOnly = fixture.closing(here.register(100));
        pair.remote.segment().asSlice(AT, 100).fill((byte) 1);
        pair.request(1, SendOpcode.RDMA_READ, 100).setSge(0, 0, readOnly.address(), 100, readOnly.lkey());
        pair.post();
        pair.awaitFailure("LOC_PROT_ERR (4)");
        assertZero(readOnly, 0, 100);
    }

    @Test
    void shouldCompleteRequestsBeforeAnInvalidOne() {
        Connection pair = fixture.connection(QueuePairType.RC);
        for (int i = 0; i < 3; i++) {
            pair.request(i, i, SendOpcode.RDMA_WRITE, AT, 100);
        }
        pair.request(3, 3, SendOpcode.RDMA_READ, AT, 100);
        here.sends.setSge(3, 0, pair.local.address() + AT, 100, pair.local.lkey() ^ 0x55);
        here.sends.chain(0, 4);
        pair.post();
        for (int i = 0; i < 3; i++) {
            pair.sent(i);
        }
        pair.awaitFailure("LOC_PROT_ERR (4)");
    }

    // ---- receives ----

    @ParameterizedTest
    @ValueSource(ints = {101, 5000})
    void shouldRejectAMessageLongerThanItsReceive(int length) {
        Connection pair = fixture.connection(QueuePairType.RC);
        clear(pair.remote, AT, length);
        pair.local.segment().asSlice(AT, length).fill((byte) 3);
        pair.receive(1, 100);
        pair.post(2, SendOpcode.SEND, length);
        pair.awaitFailure("REM_INV_REQ_ERR (9)", "REM_OP_ERR (11)");
        Completion received = fixture.next(there);
        assertThat(received.statusText()).isIn("LOC_LEN_ERR (1)", "LOC_QP_OP_ERR (2)");
        assertThat(received.wrId()).isEqualTo(1);
        fixture.awaitState(pair.peer, QueuePairState.ERR);
        assertZero(pair.remote, AT + 100, length - 100);
    }

    @Test
    void whenAMessageIsLongerThanItsReceiveThenTheStatusIsRemInvReqErr() {
        needs(Trait.SHORT_RECEIVE_IS_REM_INV_REQ_ERR);
        Connection pair = fixture.connection(QueuePairType.RC);
        pair.receive(1, 100);
        pair.post(2, SendOpcode.SEND, 101);
        pair.awaitFailure("REM_INV_REQ_ERR (9)");
        fixture.next(there, "LOC_LEN_ERR (1)");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldRejectAReceiveIntoForbiddenMemory(boolean wrongKey) {
        Connection pair = fixture.connection(QueuePairType.RC);
        MemoryRegion readOnly = receiveInto(pair, wrongKey);
        Completion received = fixture.next(there);
        assertThat(received.statusText()).isIn("LOC_PROT_ERR (4)", "LOC_QP_OP_ERR (2)");
        assertThat(received.wrId()).isEqualTo(1);
        fixture.awaitState(pair.peer, QueuePairState.ERR);
        assertZero(readOnly, 0, 100);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whenAReceiveHasForbiddenMemoryThenTheStatusIsLocProtErr(boolean wrongKey) {
        needs(Trait.RECEIVE_INTO_WRONG_KEY_IS_LOC_PROT_ERR);
        receiveInto(fixture.connection(QueuePairType.RC), wrongKey);
        fixture.next(there, "LOC_PROT_ERR (4)");
    }

    /** The status shows the sender that the receiver caused the failure. */
    private MemoryRegion receiveInto(Connection pair, boolean wrongKey) {
        MemoryRegion readOnly = fixture.closing(there.register(100, AccessFlag.REMOTE_READ));
        there.receives.set(0, 1, readOnly.address(), 100, readOnly.lkey() ^ (wrongKey ? 0x55 : 0));
        there.receives.setNext(0, -1);
        assertThat(pair.peer.postReceive(there.receives, 0)).isZero();
        pair.local.segment().asSlice(AT, 10).fill((byte) 3);
        pair.post(2, SendOpcode.SEND, 10);
        pair.awaitFailure("REM_OP_ERR (11)");
        return readOnly;
    }

    // ---- with checks ----

    private QueuePair checked(QueuePairType type) {
        return fixture.closing(here.domain.createQueuePair(here.config(type, here.cq, here.cq)));
    }

    private void assertRejected(QueuePair qp, String message) {
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> qp.postSend(here.sends, 0))
                .withMessageContaining(message);
        assertThat(here.sends.badIndex()).isZero();
    }

    @Test
    void whenCheckedThenAPostInAWrongStateIsRejected() {
        QueuePair qp = checked(QueuePairType.RC);
        here.request(0, 1, SendOpcode.SEND, fixture.local, AT, 1);
        assertRejected(qp, "in state RESET");
        qp.modify(here.toInit(QueuePairType.RC));
        assertRejected(qp, "in state INIT");
        qp.close();
        assertRejected(qp, "closed");
    }

    @ParameterizedTest
    @ValueSource(ints = {SendOpcode.RDMA_WRITE, SendOpcode.RDMA_READ, SendOpcode.ATOMIC_FETCH_AND_ADD})
    void whenCheckedThenADatagramQueuePairAcceptsOnlySends(int opcode) {
        QueuePair qp = here.ready(checked(QueuePairType.UD));
        here.request(0, 1, opcode, fixture.local, AT, 8);
        assertRejected(qp, "use SEND or SEND_WITH_IMM");
    }

    @ParameterizedTest
    @ValueSource(ints = {SendOpcode.RDMA_READ, SendOpcode.ATOMIC_CMP_AND_SWP})
    void whenCheckedThenAnUnreliableConnectionRejectsReadsAndAtomics(int opcode) {
        Connection pair =
                fixture.closing(new Connection(fixture, checked(QueuePairType.UC), there.create(QueuePairType.UC)));
        pair.connect().request(1, opcode, 8);
        assertRejected(pair.qp, "For READ and atomics use RC");
    }

    @Test
    void whenCheckedThenADatagramRequiresAnAddressHandle() {
        QueuePair qp = here.ready(checked(QueuePairType.UD));
        here.request(0, 1, SendOpcode.SEND, fixture.local, AT, 8).setDatagram(0, 0, 1, End.QKEY);
        assertRejected(qp, "has no address handle");
        int tooLong = here.context.queryPort(VerbsFixture.PORT).activeMtu().bytes() + 1;
        long handle = fixture.closing(here.handleTo(there)).handle();
        here.request(0, 1, SendOpcode.SEND, fixture.local, AT, tooLong).setDatagram(0, handle, 1, End.QKEY);
        assertRejected(qp, "a datagram carries up to the path MTU");
    }

    @Test
    void whenCheckedThenAnAtomicIsChecked() {
        Connection pair =
                fixture.closing(new Connection(fixture, checked(QueuePairType.RC), there.create(QueuePairType.RC)));
        pair.connect().fetchAndAdd(0, 1, AT, 1);
        here.sends.setFetchAndAdd(0, pair.remote.address() + AT + 1, pair.remote.rkey(), 1);
        assertRejected(pair.qp, "a multiple of 8");
        pair.fetchAndAdd(0, 1, AT, 1);
        here.sends.setSge(0, 0, pair.local.address(), 4, pair.local.lkey());
        assertRejected(pair.qp, "has 4 local bytes");
        here.request(0, 1, SendOpcode.SEND, fixture.local, AT, 8).set(0, 1, SendOpcode.SEND, 1 << 20, 1);
        assertRejected(pair.qp, "use only FENCE, SIGNALED, SOLICITED and INLINE");
        pair.request(0, 1, SendOpcode.RDMA_WRITE, AT, 8);
        here.sends.set(0, 1, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED, 30);
        assertRejected(pair.qp, "has 30 scatter/gather entries");
    }

    // ---- states ----

    @ParameterizedTest
    @MethodSource("types")
    void shouldRejectAPostBeforeTheQueuePairIsReady(QueuePairType type) {
        QueuePair qp = fixture.closing(here.create(type));
        here.request(0, 1, SendOpcode.SEND, fixture.local, AT, 1);
        assertThat(qp.postSend(here.sends, 0)).isEqualTo(Errno.EINVAL);
        here.receives.set(0, 1, fixture.local.address(), 1, fixture.local.lkey());
        here.receives.setNext(0, -1);
        assertThat(qp.postReceive(here.receives, 0)).isEqualTo(Errno.EINVAL);
        qp.modify(here.toInit(type));
        assertThat(qp.postSend(here.sends, 0)).isEqualTo(Errno.EINVAL);
        assertThat(qp.postReceive(here.receives, 0)).isZero();
    }

    static QueuePairType[] types() {
        return new QueuePairType[] {QueuePairType.RC, QueuePairType.UC, QueuePairType.UD};
    }
}
