package io.rdmarpc.verbs.suite;

import static io.rdmarpc.verbs.attributes.QueuePairState.ERR;
import static io.rdmarpc.verbs.attributes.QueuePairState.INIT;
import static io.rdmarpc.verbs.attributes.QueuePairState.RESET;
import static io.rdmarpc.verbs.attributes.QueuePairState.RTR;
import static io.rdmarpc.verbs.attributes.QueuePairState.RTS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The states of a queue pair, the transitions between them (10.3.1), and the results of queries. */
abstract class StateCases extends VerbsCases {

    private static final List<QueuePairState> WAY = List.of(RESET, INIT, RTR, RTS);

    private final Map<QueuePairType, QueuePair> pool = new EnumMap<>(QueuePairType.class);

    StateCases(SuiteProvider provider) {
        super(provider);
    }

    private QueuePair inReset(QueuePairType type) {
        QueuePair qp = pool.computeIfAbsent(type, here::create);
        VerbsFixture.reset(qp);
        return qp;
    }

    private QueuePair in(QueuePairType type, QueuePairState state) {
        QueuePair qp = inReset(type);
        if (state == ERR) {
            qp.modify(to(type, INIT));
            qp.modify(to(type, ERR));
        }
        for (QueuePairState step : WAY.subList(1, Math.max(1, WAY.indexOf(state) + 1))) {
            qp.modify(to(type, step));
        }
        assertThat(qp.queryState()).isEqualTo(state);
        return qp;
    }

    /** Returns all attributes of a transition, with valid values. */
    private QueuePairAttributes to(QueuePairType type, QueuePairState state) {
        QueuePairAttributes attributes = new QueuePairAttributes().state(state);
        if (state == INIT) {
            return here.toInit(type);
        }
        if (state == RTR && type != QueuePairType.UD) {
            attributes
                    .addressVector(here.routeTo(there))
                    .pathMtu(PathMtu.MTU_512)
                    .destinationQpn(0x1234)
                    .receivePsn(0x56_7890);
        }
        if (state == RTR && type == QueuePairType.RC) {
            attributes.maxDestReadAtomic(3).minRnrTimer(9);
        }
        if (state == RTS) {
            attributes.sendPsn(0x12_3456);
        }
        if (state == RTS && type == QueuePairType.RC) {
            attributes.timeout(15).retryCount(4).rnrRetry(2).maxReadAtomic(2);
        }
        return attributes;
    }

    // ---- transitions ----

    private static List<Arguments> steps(boolean allowed) {
        List<Arguments> all = new ArrayList<>();
        for (QueuePairType type : QueuePairType.values()) {
            for (QueuePairState from : new QueuePairState[] {RESET, INIT, RTR, RTS, ERR}) {
                for (QueuePairState to : new QueuePairState[] {RESET, INIT, RTR, RTS, ERR}) {
                    if (isAllowed(from, to) == allowed && !(from == RESET && to == ERR)) {
                        all.add(Arguments.of(type, from, to));
                    }
                }
            }
        }
        return all;
    }

    static List<Arguments> allowedSteps() {
        return steps(true);
    }

    static List<Arguments> rejectedSteps() {
        return steps(false);
    }

    private static boolean isAllowed(QueuePairState from, QueuePairState to) {
        return switch (to) {
            case RESET, ERR -> true;
            case INIT -> from == RESET || from == INIT;
            case RTR -> from == INIT;
            default -> from == RTR || from == RTS;
        };
    }

    @ParameterizedTest(name = "{0} {1} to {2}")
    @MethodSource("allowedSteps")
    void shouldAllowTransition(QueuePairType type, QueuePairState from, QueuePairState to) {
        QueuePair qp = in(type, from);
        qp.modify(from == RTS && to == RTS ? new QueuePairAttributes().state(RTS) : to(type, to));
        assertThat(qp.queryState()).isEqualTo(to);
    }

    @ParameterizedTest(name = "{0} {1} to {2}")
    @MethodSource("rejectedSteps")
    void shouldRejectTransition(QueuePairType type, QueuePairState from, QueuePairState to) {
        QueuePair qp = in(type, from);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> qp.modify(to(type, to)))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThat(qp.queryState()).isEqualTo(from);
    }

    @ParameterizedTest
    @EnumSource(QueuePairType.class)
    void shouldAllowTransitionFromResetToErr(QueuePairType type) {
        needs(Trait.RESET_TO_ERR);
        QueuePair qp = inReset(type);
        VerbsFixture.fail(qp);
        assertThat(qp.queryState()).isEqualTo(ERR);
    }

    @ParameterizedTest
    @EnumSource(QueuePairType.class)
    void shouldStartInReset(QueuePairType type) {
        QueuePair qp = fixture.closing(here.create(type));
        assertThat(qp.queryState()).isEqualTo(RESET);
        assertThat(qp.type()).isEqualTo(type);
        assertThat(qp.number()).isBetween(2, 0xFF_FFFF);
    }

    private void assertNeeds(QueuePair qp, QueuePairAttributes attributes, QueuePairState stays) {
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> qp.modify(attributes))
                .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        assertThat(qp.queryState()).isEqualTo(stays);
    }

    @ParameterizedTest
    @EnumSource(QueuePairType.class)
    void shouldRequireAllAttributesOfInit(QueuePairType type) {
        QueuePair qp = inReset(type);
        assertNeeds(qp, new QueuePairAttributes().state(INIT), RESET);
        assertNeeds(qp, new QueuePairAttributes().state(INIT).pkeyIndex(0).portNumber(1), RESET);
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"RC", "UC"})
    void shouldRequireAllAttributesOfRtr(QueuePairType type) {
        QueuePair qp = in(type, INIT);
        assertNeeds(qp, new QueuePairAttributes().state(RTR), INIT);
        assertNeeds(
                qp,
                new QueuePairAttributes()
                        .state(RTR)
                        .destinationQpn(5)
                        .receivePsn(1)
                        .pathMtu(PathMtu.MTU_256),
                INIT);
    }

    @ParameterizedTest
    @EnumSource(QueuePairType.class)
    void shouldRequireAllAttributesOfRts(QueuePairType type) {
        assertNeeds(in(type, RTR), new QueuePairAttributes().state(RTS), RTR);
    }

    @Test
    void shouldRejectAnUnknownPort() {
        QueuePair qp = inReset(QueuePairType.RC);
        assertNeeds(qp, here.toInit(QueuePairType.RC).portNumber(200), RESET);
    }

    // ---- queries ----

    @Test
    void shouldReturnTheAttributesThatWereSet() {
        QueuePair qp = in(QueuePairType.RC, INIT);
        qp.modify(to(QueuePairType.RC, RTR).accessFlags(AccessFlag.REMOTE_WRITE.bit()));
        qp.modify(to(QueuePairType.RC, RTS));
        QueuePairAttributes result = qp.query();
        assertThat(result.state()).isEqualTo(RTS);
        assertThat(result.portNumber()).isEqualTo(VerbsFixture.PORT);
        assertThat(result.accessFlags() & AccessFlag.REMOTE_WRITE.bit()).isNotZero();
        assertThat(result.accessFlags() & AccessFlag.REMOTE_READ.bit()).isZero();
        assertThat(result.pathMtu()).isEqualTo(PathMtu.MTU_512);
        assertThat(result.destinationQpn()).isEqualTo(0x1234);
        assertThat(result.receivePsn()).isEqualTo(0x56_7890);
        assertThat(result.sendPsn()).isEqualTo(0x12_3456);
        assertThat(result.timeout()).isEqualTo(15);
        assertThat(result.retryCount()).isEqualTo(4);
        assertThat(result.rnrRetry()).isEqualTo(2);
        assertThat(result.minRnrTimer()).isEqualTo(9);
        // Devices round up to powers of two.
        assertThat(result.maxDestReadAtomic()).isBetween(3, 4);
        assertThat(result.maxReadAtomic()).isBetween(2, 4);
        assertThat(Objects.requireNonNull(result.addressVector()).destinationGid())
                .isEqualTo(there.gid.gid());
        assertThat(Objects.requireNonNull(result.capabilities()).maxSendWr()).isGreaterThanOrEqualTo(End.DEPTH);
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairState.class,
            names = {"RESET", "INIT", "RTR", "RTS", "ERR"})
    void shouldReturnTheState(QueuePairState state) {
        assertThat(in(QueuePairType.RC, state).query().state()).isEqualTo(state);
    }

    @Test
    void shouldReturnTheQkeyOfADatagramQueuePair() {
        QueuePair qp = in(QueuePairType.UD, RTS);
        assertThat(qp.query().qkey()).isEqualTo(End.QKEY);
        qp.modify(new QueuePairAttributes().state(RTS).qkey(0x77));
        assertThat(qp.query().qkey()).isEqualTo(0x77);
    }

    /** The right to read is revoked while the connection is open. */
    @Test
    void shouldChangeRightsInRts() {
        Connection pair = fixture.connection(QueuePairType.RC);
        pair.post(1, SendOpcode.RDMA_READ, 10);
        pair.sent(1);
        pair.peer.modify(new QueuePairAttributes().state(RTS).accessFlags(AccessFlag.REMOTE_WRITE.bit()));
        pair.post(2, SendOpcode.RDMA_WRITE, 10);
        pair.sent(2);
        pair.post(3, SendOpcode.RDMA_READ, 10);
        pair.awaitFailure("REM_INV_REQ_ERR (9)", "REM_ACCESS_ERR (10)");
    }

    @Test
    void shouldChangeTheRnrTimerInRts() {
        QueuePair qp = in(QueuePairType.RC, RTS);
        qp.modify(new QueuePairAttributes().state(RTS).minRnrTimer(20));
        assertThat(qp.query().minRnrTimer()).isEqualTo(20);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    void shouldReturnThePathMtu(int code) {
        QueuePair qp = in(QueuePairType.UC, INIT);
        qp.modify(to(QueuePairType.UC, RTR).pathMtu(PathMtu.of(code)));
        assertThat(qp.query().pathMtu()).isEqualTo(PathMtu.of(code));
    }

    // ---- receiving before sending ----

    /** A queue pair receives in RTR, before it can send. */
    @Test
    void shouldReceiveInRtr() {
        Connection pair = fixture.pooled(QueuePairType.RC).connect();
        int psn = 1000;
        pair.reset();
        pair.qp.modify(here.toInit(QueuePairType.RC));
        pair.peer.modify(there.toInit(QueuePairType.RC));
        pair.receive(1, 10);
        pair.peer.modify(to(QueuePairType.RC, RTR)
                .addressVector(there.routeTo(here))
                .destinationQpn(pair.qp.number())
                .receivePsn(psn));
        pair.qp.modify(
                to(QueuePairType.RC, RTR).destinationQpn(pair.peer.number()).receivePsn(5));
        pair.qp.modify(to(QueuePairType.RC, RTS).sendPsn(psn));
        pair.post(2, SendOpcode.SEND, 10);
        pair.sent(2);
        pair.received(1);
        assertThat(pair.peer.queryState()).isEqualTo(RTR);
    }

    // ---- draining ----

    @Test
    void shouldDrainInSqdAndContinue() {
        Connection pair = fixture.connection(QueuePairType.RC);
        pair.post(1, SendOpcode.RDMA_WRITE, 64);
        pair.sent(1);
        ifThere(() -> {
            pair.qp.modify(new QueuePairAttributes().state(QueuePairState.SQD));
            return pair;
        });
        assertThat(pair.qp.queryState()).isEqualTo(QueuePairState.SQD);
        pair.qp.modify(new QueuePairAttributes().state(RTS).currentState(QueuePairState.SQD));
        pair.assertWorks();
    }

    @Test
    void whenADatagramFailsThenOnlySendsStop() {
        needs(Trait.SEND_ERROR_STATE);
        QueuePair qp = fixture.sender();
        long handle = fixture.closing(here.handleTo(there)).handle();
        here.request(0, 1, SendOpcode.SEND, fixture.local, 0, 10).setDatagram(0, handle, 5, End.QKEY);
        here.sends.setSge(0, 0, fixture.local.address(), 10, fixture.local.lkey() ^ 0x55);
        here.post(qp);
        fixture.next(here, "LOC_PROT_ERR (4)");
        fixture.awaitState(qp, QueuePairState.SQE);
        qp.modify(new QueuePairAttributes().state(RTS).currentState(QueuePairState.SQE));
        assertThat(qp.queryState()).isEqualTo(RTS);
    }
}
