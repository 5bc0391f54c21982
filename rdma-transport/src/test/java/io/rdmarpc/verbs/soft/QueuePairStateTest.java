package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The state machine, and the result of a post in each state. */
class QueuePairStateTest {

    private final MemoryNetwork network = new MemoryNetwork();
    private final TestNode node = TestNode.inMemory(network, 5001, LinkFaults.NONE, new FakeClock());

    @AfterEach
    void close() {
        node.close();
    }

    /** Returns all attributes of the transition to a state, with valid values. */
    private QueuePairAttributes complete(QueuePairType type, QueuePairState to) {
        boolean rc = type != QueuePairType.UD;
        if (type == QueuePairType.UC && to == QueuePairState.RTR) {
            return new QueuePairAttributes()
                    .state(to)
                    .addressVector(node.routeTo(node))
                    .pathMtu(PathMtu.MTU_1024)
                    .destinationQpn(77)
                    .receivePsn(5);
        }
        if (type == QueuePairType.UC && to == QueuePairState.RTS) {
            return new QueuePairAttributes().state(to).sendPsn(5);
        }
        return switch (to) {
            case INIT ->
                rc
                        ? node.toInit(0)
                        : new QueuePairAttributes()
                                .state(QueuePairState.INIT)
                                .pkeyIndex(0)
                                .portNumber(1)
                                .qkey(1);
            case RTR -> rc ? node.toRtr(node, 77, 5) : new QueuePairAttributes().state(QueuePairState.RTR);
            case RTS ->
                rc
                        ? node.toRts(5)
                        : new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(5);
            default -> new QueuePairAttributes().state(to);
        };
    }

    private QueuePair in(QueuePairType type, QueuePairState state) {
        QueuePair qp = node.create(type);
        List<QueuePairState> way = new ArrayList<>();
        switch (state) {
            case INIT -> way.add(QueuePairState.INIT);
            case RTR -> way.addAll(List.of(QueuePairState.INIT, QueuePairState.RTR));
            case RTS -> way.addAll(List.of(QueuePairState.INIT, QueuePairState.RTR, QueuePairState.RTS));
            case SQD ->
                way.addAll(List.of(QueuePairState.INIT, QueuePairState.RTR, QueuePairState.RTS, QueuePairState.SQD));
            case ERR -> way.add(QueuePairState.ERR);
            default -> {}
        }
        way.forEach(step -> qp.modify(complete(type, step)));
        assertThat(qp.queryState()).isEqualTo(state);
        return qp;
    }

    static Stream<Arguments> allSteps() {
        List<QueuePairState> from = List.of(
                QueuePairState.RESET,
                QueuePairState.INIT,
                QueuePairState.RTR,
                QueuePairState.RTS,
                QueuePairState.SQD,
                QueuePairState.ERR);
        return Stream.of(QueuePairType.UD, QueuePairType.RC)
                .flatMap(type -> from.stream()
                        .flatMap(f -> Stream.of(QueuePairState.values()).map(to -> Arguments.of(type, f, to))));
    }

    private static boolean isAllowed(QueuePairState from, QueuePairState to) {
        return switch (to) {
            case RESET, ERR -> true;
            case INIT -> from == QueuePairState.RESET || from == QueuePairState.INIT;
            case RTR -> from == QueuePairState.INIT;
            case RTS -> from == QueuePairState.RTR || from == QueuePairState.SQD;
            case SQD -> from == QueuePairState.RTS || from == QueuePairState.SQD;
            default -> false;
        };
    }

    @ParameterizedTest
    @MethodSource("allSteps")
    void shouldAllowExactlyTheTransitionsOfTheSpecification(
            QueuePairType type, QueuePairState from, QueuePairState to) {
        QueuePair qp = in(type, from);
        // The attributes for the transition out of SQD were set before.
        QueuePairAttributes step =
                from == QueuePairState.SQD ? new QueuePairAttributes().state(to) : complete(type, to);
        if (isAllowed(from, to)) {
            qp.modify(step);
            assertThat(qp.queryState()).isEqualTo(to);
        } else {
            assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(() -> qp.modify(step));
            assertThat(qp.queryState()).isEqualTo(from);
        }
    }

    static Stream<Arguments> requiredAttributes() {
        return Stream.of(
                required(
                        QueuePairType.UD,
                        QueuePairState.INIT,
                        "PKEY_INDEX",
                        a -> a.portNumber(1).qkey(1)),
                required(
                        QueuePairType.UD,
                        QueuePairState.INIT,
                        "PORT",
                        a -> a.pkeyIndex(0).qkey(1)),
                required(
                        QueuePairType.UD,
                        QueuePairState.INIT,
                        "QKEY",
                        a -> a.pkeyIndex(0).portNumber(1)),
                required(QueuePairType.UD, QueuePairState.RTS, "SQ_PSN", a -> {}),
                required(
                        QueuePairType.RC,
                        QueuePairState.INIT,
                        "ACCESS_FLAGS",
                        a -> a.pkeyIndex(0).portNumber(1)),
                required(
                        QueuePairType.RC,
                        QueuePairState.RTR,
                        "AV, PATH_MTU, RQ_PSN, MAX_DEST_RD_ATOMIC, DEST_QPN",
                        a -> a.minRnrTimer(1)),
                required(
                        QueuePairType.RC,
                        QueuePairState.RTR,
                        "MIN_RNR_TIMER",
                        a -> a.addressVector(AddressHandleAttributes.to(Gid.of(TestNode.LOOPBACK), 0, 0, 1))
                                .pathMtu(PathMtu.MTU_256)
                                .receivePsn(0)
                                .destinationQpn(3)
                                .maxDestReadAtomic(1)),
                required(
                        QueuePairType.RC,
                        QueuePairState.RTS,
                        "TIMEOUT, RETRY_CNT, RNR_RETRY, MAX_QP_RD_ATOMIC",
                        a -> a.sendPsn(1)));
    }

    private static Arguments required(
            QueuePairType type, QueuePairState to, String missing, Consumer<QueuePairAttributes> given) {
        QueuePairAttributes attributes = new QueuePairAttributes().state(to);
        given.accept(attributes);
        return Arguments.of(type, to, missing, attributes);
    }

    @ParameterizedTest
    @MethodSource("requiredAttributes")
    void shouldNameTheMissingAttribute(
            QueuePairType type, QueuePairState to, String missing, QueuePairAttributes attributes) {
        QueuePairState from = QueuePairState.of(to.code() - 1);
        QueuePair qp = in(type, from);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> qp.modify(attributes))
                .withMessageContaining("needs " + missing + ".")
                .satisfies(e -> {
                    assertThat(e.errno()).isEqualTo(Errno.EINVAL);
                    assertThat(e.verb()).isEqualTo("ibv_modify_qp");
                    assertThat(e.device()).isEqualTo("soft0");
                });
    }

    @Test
    void shouldNameTheAttributeThatIsNotAccepted() {
        QueuePair qp = node.create(QueuePairType.UD);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> qp.modify(
                        complete(QueuePairType.UD, QueuePairState.INIT).accessFlags(1)))
                .withMessageContaining("does not accept ACCESS_FLAGS");
    }

    @Test
    void shouldNameTheValueOutOfRange() {
        QueuePair qp = in(QueuePairType.UD, QueuePairState.RTR);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> qp.modify(
                        new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(0x100_0000)))
                .withMessageContaining("SQ_PSN 16777216 is out of range. Use 0 to 16777215.");
        assertThat(qp.queryState()).isEqualTo(QueuePairState.RTR);
    }

    @Test
    void shouldRejectRoutesThatDoNotExist() {
        QueuePair qp = in(QueuePairType.RC, QueuePairState.INIT);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> qp.modify(complete(QueuePairType.RC, QueuePairState.RTR)
                        .addressVector(AddressHandleAttributes.to(Gid.of(TestNode.LOOPBACK), 0, 3, 1))))
                .withMessageContaining("Source GID index 3");
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() ->
                        node.domain.createAddressHandle(AddressHandleAttributes.to(new Gid(0xFE80L << 48, 1), 0, 0, 1)))
                .withMessageContaining("not both IPv4 or both IPv6");
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() ->
                        node.domain.createAddressHandle(AddressHandleAttributes.to(Gid.of(TestNode.LOOPBACK), 0, 0, 2)))
                .withMessageContaining("Port 2 does not exist");
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> node.domain.createAddressHandle(
                        AddressHandleAttributes.to(Gid.of(TestNode.LOOPBACK), 70_000, 0, 1)))
                .withMessageContaining("70000 is not a UDP port");
    }

    /** Linux programs set it in the transition out of SQE or SQD. */
    @Test
    void shouldAcceptTheCurrentStateInATransitionToRts() {
        QueuePair qp = in(QueuePairType.UD, QueuePairState.RTR);
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() ->
                        qp.modify(complete(QueuePairType.UD, QueuePairState.RTS).currentState(QueuePairState.SQE)))
                .withMessageContaining("does not start in CUR_STATE SQE");
        qp.modify(complete(QueuePairType.UD, QueuePairState.RTS).currentState(QueuePairState.RTR));
        assertThat(qp.queryState()).isEqualTo(QueuePairState.RTS);
    }

    @Test
    void shouldChangeQkeyInRts() {
        QueuePair qp = in(QueuePairType.UD, QueuePairState.RTS);
        qp.modify(new QueuePairAttributes().qkey(99));
        assertThat(qp.queryState()).isEqualTo(QueuePairState.RTS);
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairState.class,
            names = {"RESET", "INIT", "RTR"})
    void whenNotReadyToSendThenPostFails(QueuePairState state) {
        QueuePair qp = in(QueuePairType.UD, state);
        MemoryRegion memory = node.register(64);
        assertThat(node.send(qp, 1, memory, 8, node.handleTo(node), 5, 1)).isEqualTo(Errno.EINVAL);
        assertThat(node.sends.badIndex()).isZero();
        assertThat(node.next()).isNull();
    }

    @Test
    void whenResetThenPostReceiveFails() {
        QueuePair qp = node.create(QueuePairType.UD);
        assertThat(node.receive(qp, 1, node.register(64, AccessFlag.LOCAL_WRITE), 0, 64))
                .isEqualTo(Errno.EINVAL);
    }

    @Test
    void whenInErrorThenPostsAreFlushed() {
        QueuePair qp = in(QueuePairType.UD, QueuePairState.RTS);
        MemoryRegion memory = node.register(64, AccessFlag.LOCAL_WRITE);
        assertThat(node.receive(qp, 1, memory, 0, 64)).isZero();
        qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        assertThat(node.receive(qp, 2, memory, 0, 64)).isZero();
        assertThat(node.send(qp, 3, memory, 8, node.handleTo(node), 5, 1)).isZero();
        for (long wrId = 1; wrId <= 3; wrId++) {
            TestNode.Completion completion = node.next();
            assertThat(completion.wrId()).isEqualTo(wrId);
            assertThat(completion.status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        }
    }

    @Test
    void whenResetThenOutstandingReceivesAreDiscarded() {
        QueuePair qp = in(QueuePairType.UD, QueuePairState.INIT);
        assertThat(node.receive(qp, 1, node.register(64, AccessFlag.LOCAL_WRITE), 0, 64))
                .isZero();
        qp.modify(new QueuePairAttributes().state(QueuePairState.RESET));
        qp.modify(complete(QueuePairType.UD, QueuePairState.INIT));
        qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        assertThat(node.next()).isNull();
    }

    @ParameterizedTest
    @EnumSource(
            value = QueuePairType.class,
            names = {"UD", "RC"})
    void whenOperationIsMissingThenPostReportsNotSupported(QueuePairType type) {
        QueuePair qp = in(type, QueuePairState.RTS);
        List<Integer> own = switch (type) {
            case RC ->
                IntStream.rangeClosed(SendOpcode.RDMA_WRITE, SendOpcode.ATOMIC_FETCH_AND_ADD)
                        .boxed()
                        .toList();
            case UC ->
                IntStream.rangeClosed(SendOpcode.RDMA_WRITE, SendOpcode.SEND_WITH_IMM)
                        .boxed()
                        .toList();
            case UD -> List.of(SendOpcode.SEND, SendOpcode.SEND_WITH_IMM);
        };
        for (int opcode = SendOpcode.RDMA_WRITE; opcode <= SendOpcode.SEND_WITH_INV; opcode++) {
            if (!own.contains(opcode)) {
                node.sends.set(0, 1, opcode, 0, 0);
                node.sends.chain(0, 1);
                assertThat(qp.postSend(node.sends, 0)).isEqualTo(Errno.EOPNOTSUPP);
            }
        }
    }
}
