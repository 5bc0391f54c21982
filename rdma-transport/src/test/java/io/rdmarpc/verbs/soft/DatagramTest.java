package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.soft.link.fault.LinkFaults;
import io.rdmarpc.verbs.soft.rnic.DropReason;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.EnumSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** UD SEND and RECEIVE. */
@Timeout(60)
class DatagramTest {

    private static final int GRH = 40;
    private static final ValueLayout.OfInt BIG_ENDIAN_INT =
            ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

    private final MemoryNetwork network = new MemoryNetwork();
    private final FakeClock clock = new FakeClock();
    private final TestNode a = TestNode.inMemory(network, 5001, LinkFaults.NONE, clock);
    private final TestNode b = TestNode.inMemory(network, 5002, LinkFaults.NONE, clock);
    private final QueuePair qpOfA = a.datagrams();
    private final QueuePair qpOfB = b.datagrams();
    private final AddressHandle toB = a.handleTo(b);
    private final MemoryRegion ofA = a.register(8192);
    private final MemoryRegion ofB = b.register(8192, AccessFlag.LOCAL_WRITE);

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    private int send(int length) {
        return a.send(qpOfA, 1, ofA, length, toB, qpOfB.number(), TestNode.QKEY);
    }

    private long dropped(DropReason reason) {
        return b.counters().dropped(reason);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 3, 4, 32, 1023, 4095, 4096})
    void shouldDeliverPayloadAfterRouteHeader(int length) {
        for (int i = 0; i < length; i++) {
            ofA.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 7 + 1));
        }
        b.receive(qpOfB, 77, ofB, 64, GRH + length);
        assertThat(send(length)).isZero();

        TestNode.Completion sent = a.next();
        assertThat(sent.status()).isZero();
        assertThat(sent.opcode()).isEqualTo(CompletionOpcode.SEND);
        assertThat(sent.wrId()).isEqualTo(1);
        TestNode.Completion received = b.next();
        assertThat(received.status()).isZero();
        assertThat(received.opcode()).isEqualTo(CompletionOpcode.RECV);
        assertThat(received.wrId()).isEqualTo(77);
        assertThat(received.byteLength()).isEqualTo(GRH + length);
        assertThat(received.qpn()).isEqualTo(qpOfB.number());
        assertThat(received.sourceQp()).isEqualTo(qpOfA.number());
        assertThat(received.flags()).isEqualTo(WorkCompletions.FLAG_GRH);
        long payload = 64 + GRH;
        assertThat(MemorySegment.mismatch(ofA.segment(), 0, length, ofB.segment(), payload, payload + length))
                .isEqualTo(-1);
        assertThat(ofB.segment().get(ValueLayout.JAVA_BYTE, payload + length)).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4096})
    void shouldCarryImmediateData(int length) {
        b.receive(qpOfB, 77, ofB, 0, GRH + length);
        a.sends.set(0, 1, SendOpcode.SEND_WITH_IMM, SendFlags.SIGNALED | SendFlags.SOLICITED, 1);
        a.sends.setSge(0, 0, ofA.address(), length, ofA.lkey());
        a.sends.setDatagram(0, toB.handle(), qpOfB.number(), TestNode.QKEY);
        a.sends.setImmediate(0, 0x8001_0203);
        a.sends.chain(0, 1);
        assertThat(qpOfA.postSend(a.sends, 0)).isZero();
        assertThat(a.next().status()).isZero();
        TestNode.Completion received = b.next();
        assertThat(received.byteLength()).isEqualTo(GRH + length);
        assertThat(received.immediate()).isEqualTo(0x8001_0203);
        assertThat(received.flags()).isEqualTo(WorkCompletions.FLAG_GRH | WorkCompletions.FLAG_WITH_IMM);
        assertThat(MemorySegment.mismatch(ofA.segment(), 0, length, ofB.segment(), GRH, GRH + length))
                .isEqualTo(-1);
    }

    @Test
    void shouldShowTheIpv4HeaderInBytes20To39() {
        b.receive(qpOfB, 1, ofB, 0, 200);
        send(32);
        assertThat(b.next()).isNotNull();
        MemorySegment memory = ofB.segment();
        for (int i = 0; i < 20; i++) {
            assertThat(memory.get(ValueLayout.JAVA_BYTE, i)).isZero();
        }
        int udpPayload = 12 + 8 + 32 + 4;
        assertThat(memory.get(BIG_ENDIAN_INT, 20)).isEqualTo(0x4500_0000 | 20 + 8 + udpPayload);
        assertThat(memory.get(BIG_ENDIAN_INT, 28) >>> 16).isEqualTo(0x4011);
        assertThat(memory.get(BIG_ENDIAN_INT, 32)).isEqualTo(TestNode.LOOPBACK_IP);
        assertThat(memory.get(BIG_ENDIAN_INT, 36)).isEqualTo(TestNode.LOOPBACK_IP);
    }

    @Test
    void shouldGatherFromSeveralBuffers() {
        b.receive(qpOfB, 1, ofB, 0, 200);
        for (int i = 0; i < 100; i++) {
            ofA.segment().set(ValueLayout.JAVA_BYTE, i, (byte) i);
        }
        a.sends.set(0, 1, SendOpcode.SEND, 0, 3);
        a.sends.setSge(0, 0, ofA.address() + 10, 5, ofA.lkey());
        a.sends.setSge(0, 1, 0, 0, 0);
        a.sends.setSge(0, 2, ofA.address() + 90, 10, ofA.lkey());
        a.sends.setDatagram(0, toB.handle(), qpOfB.number(), TestNode.QKEY);
        a.sends.chain(0, 1);
        assertThat(qpOfA.postSend(a.sends, 0)).isZero();
        assertThat(b.next().byteLength()).isEqualTo(GRH + 15);
        assertThat(ofB.segment().get(ValueLayout.JAVA_BYTE, GRH + 4)).isEqualTo((byte) 14);
        assertThat(ofB.segment().get(ValueLayout.JAVA_BYTE, GRH + 5)).isEqualTo((byte) 90);
        assertThat(a.next()).as("not signaled").isNull();
    }

    @Test
    void whenQkeyIsWrongThenDropsAndCounts() {
        b.receive(qpOfB, 1, ofB, 0, 200);
        a.send(qpOfA, 1, ofA, 32, toB, qpOfB.number(), TestNode.QKEY + 1);
        assertThat(b.next()).isNull();
        assertThat(dropped(DropReason.WRONG_QKEY)).isEqualTo(1);
        assertThat(b.context.queryPort(1).counters().qkeyViolations()).isEqualTo(1);
    }

    @Test
    void whenTopBitOfQkeyIsSetThenSendsOwnQkey() {
        b.receive(qpOfB, 1, ofB, 0, 200);
        a.send(qpOfA, 1, ofA, 32, toB, qpOfB.number(), 0x8000_0000);
        assertThat(b.next().status()).isZero();
    }

    @Test
    void whenNoReceiveIsPostedThenDropsAndCounts() {
        assertThat(send(32)).isZero();
        assertThat(a.next().status()).isZero();
        assertThat(b.next()).isNull();
        assertThat(dropped(DropReason.NO_RECEIVE)).isEqualTo(1);
    }

    @Test
    void whenReceiveIsTooShortThenDropsAndKeepsIt() {
        b.receive(qpOfB, 1, ofB, 0, GRH + 31);
        send(32);
        assertThat(b.next()).isNull();
        assertThat(dropped(DropReason.RECEIVE_TOO_SHORT)).isEqualTo(1);
        send(31);
        assertThat(b.next().byteLength()).isEqualTo(GRH + 31);
    }

    @Test
    void whenQueuePairIsUnknownThenDropsAndCounts() {
        a.send(qpOfA, 1, ofA, 32, toB, qpOfB.number() ^ 1, TestNode.QKEY);
        assertThat(b.next()).isNull();
        assertThat(dropped(DropReason.UNKNOWN_QP)).isEqualTo(1);
    }

    @Test
    void whenQueuePairIsClosedThenItsSuccessorReceivesNothing() {
        int old = qpOfB.number();
        qpOfB.close();
        QueuePair successor = b.datagrams();
        b.receive(successor, 1, ofB, 0, 200);
        a.send(qpOfA, 1, ofA, 32, toB, old, TestNode.QKEY);
        assertThat(b.next()).isNull();
        assertThat(dropped(DropReason.UNKNOWN_QP)).isEqualTo(1);
    }

    @Test
    void whenReceiverIsNotReadyThenDropsAndCounts() {
        QueuePair early = b.create(QueuePairType.UD);
        early.modify(new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .pkeyIndex(0)
                .portNumber(1)
                .qkey(TestNode.QKEY));
        b.receive(early, 1, ofB, 0, 200);
        a.send(qpOfA, 1, ofA, 32, toB, early.number(), TestNode.QKEY);
        assertThat(b.next()).isNull();
        assertThat(dropped(DropReason.WRONG_STATE)).isEqualTo(1);
        early.modify(new QueuePairAttributes().state(QueuePairState.RTR));
        a.send(qpOfA, 1, ofA, 32, toB, early.number(), TestNode.QKEY);
        assertThat(b.next().status()).isZero();
    }

    @Test
    void whenSendMemoryIsForbiddenThenSendsStopAndReceivesContinue() {
        int wrongKey = ofA.lkey() ^ 1;
        a.sends.set(0, 5, SendOpcode.SEND, 0, 1);
        a.sends.setSge(0, 0, ofA.address(), 32, wrongKey);
        a.sends.setDatagram(0, toB.handle(), qpOfB.number(), TestNode.QKEY);
        a.sends.chain(0, 1);
        assertThat(qpOfA.postSend(a.sends, 0)).isZero();
        TestNode.Completion failed = a.next();
        assertThat(failed.wrId()).isEqualTo(5);
        assertThat(failed.status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
        assertThat(qpOfA.queryState()).isEqualTo(QueuePairState.SQE);

        send(32);
        assertThat(a.next().status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        MemoryRegion writable = a.register(200, AccessFlag.LOCAL_WRITE);
        a.receive(qpOfA, 6, writable, 0, 200);
        b.send(qpOfB, 7, ofB, 8, b.handleTo(a), qpOfA.number(), TestNode.QKEY);
        assertThat(a.next().wrId()).isEqualTo(6);

        qpOfA.modify(new QueuePairAttributes().state(QueuePairState.RTS));
        b.receive(qpOfB, 8, ofB, 0, 200);
        assertThat(send(32)).isZero();
        assertThat(a.next().status()).isZero();
    }

    @Test
    void whenReceiveMemoryIsForbiddenThenCompletesWithErrorAndFlushes() {
        MemoryRegion readOnly = b.register(200);
        b.receive(qpOfB, 1, readOnly, 0, 200);
        b.receive(qpOfB, 2, ofB, 0, 200);
        send(32);
        TestNode.Completion failed = b.next();
        assertThat(failed.wrId()).isEqualTo(1);
        assertThat(failed.status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
        TestNode.Completion flushed = b.next();
        assertThat(flushed.wrId()).isEqualTo(2);
        assertThat(flushed.status()).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
        assertThat(qpOfB.queryState()).isEqualTo(QueuePairState.ERR);
    }

    @Test
    void whenArenaIsClosedTooEarlyThenCompletesWithError() {
        Arena shortLived = Arena.ofShared();
        MemoryRegion gone = b.domain.registerMemory(shortLived.allocate(200), EnumSet.of(AccessFlag.LOCAL_WRITE));
        b.receive(qpOfB, 1, gone, 0, 200);
        shortLived.close();
        send(32);
        assertThat(b.next().status()).isEqualTo(CompletionStatus.LOC_PROT_ERR);
    }

    @Test
    void whenLongerThanPathMtuThenPostFails() {
        assertThat(send(4097)).isEqualTo(Errno.EMSGSIZE);
        assertThat(a.next()).isNull();
    }

    @Test
    void shouldEchoOverUdp() throws IOException {
        try (TestNode client = TestNode.overUdp(LinkFaults.NONE);
                TestNode server = TestNode.overUdp(LinkFaults.NONE)) {
            QueuePair ofClient = client.datagrams();
            QueuePair ofServer = server.datagrams();
            AddressHandle toServer = client.handleTo(server);
            AddressHandle toClient = server.handleTo(client);
            MemoryRegion clientMemory = client.register(8192, AccessFlag.LOCAL_WRITE);
            MemoryRegion serverMemory = server.register(8192, AccessFlag.LOCAL_WRITE);
            for (int i = 0; i < 500; i++) {
                int length = i * 8;
                clientMemory.segment().set(ValueLayout.JAVA_INT, 0, i);
                server.receive(ofServer, i, serverMemory, 0, 8192);
                client.receive(ofClient, i, clientMemory, 4096, GRH + 4);
                client.send(ofClient, -1, clientMemory, length, toServer, ofServer.number(), TestNode.QKEY);
                assertThat(await(server).byteLength()).isEqualTo(GRH + length);
                assertThat(await(client).wrId()).isEqualTo(-1);
                MemorySegment.copy(serverMemory.segment(), GRH, serverMemory.segment(), 0, 4);
                server.send(ofServer, -2, serverMemory, 4, toClient, ofClient.number(), TestNode.QKEY);
                assertThat(await(client).wrId()).isEqualTo(i);
                assertThat(await(server).wrId()).isEqualTo(-2);
                if (i > 0) {
                    assertThat(clientMemory.segment().get(ValueLayout.JAVA_INT, 4096 + GRH))
                            .isEqualTo(i);
                }
            }
        }
    }

    private static TestNode.Completion await(TestNode node) {
        TestNode.Completion completion;
        do {
            completion = node.next();
        } while (completion == null);
        return completion;
    }

    @Test
    void whenSignaledPerRequestThenOthersStaySilent() {
        for (int i = 0; i < 8; i++) {
            b.receive(qpOfB, i, ofB, 0, 200);
            a.sends.set(i, i, SendOpcode.SEND, i == 7 ? SendFlags.SIGNALED : 0, 1);
            a.sends.setSge(i, 0, ofA.address(), 8, ofA.lkey());
            a.sends.setDatagram(i, toB.handle(), qpOfB.number(), TestNode.QKEY);
        }
        a.sends.chain(0, 8);
        assertThat(qpOfA.postSend(a.sends, 0)).isZero();
        assertThat(a.next().wrId()).isEqualTo(7);
        assertThat(a.next()).isNull();
        for (int i = 0; i < 8; i++) {
            assertThat(b.next().wrId()).isEqualTo(i);
        }
    }
}
