package io.rdmarpc.verbs.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaException;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The objects of a device close in any order, and twice. */
abstract class ClosingCases extends VerbsCases {

    private final SuiteProvider provider;

    ClosingCases(SuiteProvider provider) {
        super(provider);
        this.provider = provider;
    }

    private static Map<String, AutoCloseable> everything(End end) {
        Map<String, AutoCloseable> all = new LinkedHashMap<>();
        var region = end.register(64, End.EVERYTHING);
        QueuePair datagrams = end.ready(end.create(QueuePairType.UD));
        end.receive(datagrams, 1, region, 0, 64);
        all.put("context", end.context);
        all.put("domain", end.domain);
        all.put("cq", end.cq);
        all.put("region", region);
        all.put("datagrams", datagrams);
        all.put("connection", end.create(QueuePairType.RC));
        all.put("handle", end.handleTo(end));
        all.put("receives", end.domain.createSharedReceiveQueue(4, 1));
        return all;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "context",
                "domain context",
                "cq domain context",
                "datagrams connection handle region receives cq domain context",
                "cq region datagrams domain context connection handle receives",
                "handle cq connection context",
                "region domain cq context",
                "receives connection datagrams domain cq context",
                "connection cq receives handle domain region datagrams context"
            })
    void shouldCloseInAnyOrderAndTwice(String order) {
        try (End end = new End(provider)) {
            Map<String, AutoCloseable> all = everything(end);
            for (int again = 0; again < 2; again++) {
                for (String name : order.split(" ", -1)) {
                    assertThatCode(() -> all.getOrDefault(name, end.context).close())
                            .as(name)
                            .doesNotThrowAnyException();
                }
            }
        }
    }

    @Test
    void whenTheContextIsClosedThenItsObjectsRejectCalls() {
        try (End end = new End(provider)) {
            QueuePair qp = end.ready(end.create(QueuePairType.UD));
            end.request(0, 1, SendOpcode.SEND, end.register(64, End.EVERYTHING), 0, 8)
                    .setDatagram(0, end.handleTo(end).handle(), qp.number(), End.QKEY);
            end.context.close();
            assertThat(qp.postSend(end.sends, 0)).isEqualTo(Errno.EINVAL);
            assertThat(end.cq.poll(WorkCompletions.allocate(end.arena, 1), 1)).isEqualTo(-Errno.EINVAL);
            assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(end.context::allocateProtectionDomain);
            assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(() -> end.context.createCompletionQueue(4));
        }
    }

    @Test
    void whenTheQueuePairIsClosedThenItRejectsAllCalls() {
        QueuePair qp = here.create(QueuePairType.RC);
        qp.close();
        here.request(0, 1, SendOpcode.SEND, fixture.local, 0, 8);
        assertThat(qp.postSend(here.sends, 0)).isEqualTo(Errno.EINVAL);
        assertThatExceptionOfType(RdmaException.class).isThrownBy(() -> qp.modify(here.toInit(QueuePairType.RC)));
    }

    @Test
    void whenTheDomainIsClosedThenItCreatesNothing() {
        var domain = here.context.allocateProtectionDomain();
        domain.close();
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> domain.registerMemory(here.arena.allocate(64), End.EVERYTHING));
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> domain.createQueuePair(here.config(QueuePairType.UD)));
        assertThatExceptionOfType(RdmaVerbsException.class)
                .isThrownBy(() -> domain.createAddressHandle(here.routeTo(there)));
    }

    /** The connected peer detects the close by its retries. */
    @Test
    void whenTheQueuePairIsClosedThenRequestsOfItsPeerFail() {
        Connection pair =
                fixture.closing(new Connection(fixture, here.create(QueuePairType.RC), there.create(QueuePairType.RC)));
        pair.connect(Connection.OPEN.withRetries(10, 1, 1));
        pair.peer.close();
        pair.post(1, SendOpcode.RDMA_WRITE, 10);
        pair.awaitFailure("RETRY_EXC_ERR (12)");
    }

    @Test
    void whenTheQueuePairIsClosedThenOutstandingWorkHasNoCompletion() {
        Connection pair =
                fixture.closing(new Connection(fixture, here.create(QueuePairType.RC), there.create(QueuePairType.RC)));
        pair.connect();
        pair.receive(1, 10);
        pair.peer.close();
        fixture.silence(there);
    }
}
