package io.rdmarpc.verbs.suite;

import static io.rdmarpc.verbs.suite.Connection.AT;
import static io.rdmarpc.verbs.suite.VerbsFixture.assertSame;
import static io.rdmarpc.verbs.suite.VerbsFixture.assertZero;
import static io.rdmarpc.verbs.suite.VerbsFixture.clear;
import static io.rdmarpc.verbs.suite.VerbsFixture.fill;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionChannel;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Datagrams (9.8.3): the content that arrives, the route header before it, and what is dropped. */
abstract class DatagramCases extends VerbsCases {

    private static final int GRH = 40;

    DatagramCases(SuiteProvider provider) {
        super(provider);
    }

    private long handle() {
        return fixture.closing(here.handleTo(there)).handle();
    }

    private int mtu() {
        return here.context.queryPort(VerbsFixture.PORT).activeMtu().bytes();
    }

    private void request(int index, long wrId, int opcode, int length, long handle, QueuePair to) {
        here.request(index, wrId, opcode, fixture.local, AT, length).setDatagram(index, handle, to.number(), End.QKEY);
    }

    private void receive(QueuePair qp, long wrId, int length) {
        there.receive(qp, wrId, fixture.remote, AT, length);
    }

    @ParameterizedTest
    @EnumSource(
            value = Size.class,
            names = {"NOTHING", "ONE", "MTU_LESS_ONE", "MTU"})
    void shouldSend(Size size) {
        QueuePair from = fixture.sender();
        QueuePair to = fixture.receiver();
        int length = size.bytes(mtu());
        fill(fixture.local, AT, length, 41);
        clear(fixture.remote, AT, length + GRH + 64);
        receive(to, 1, GRH + length + 64);
        request(0, 2, SendOpcode.SEND, length, handle(), to);
        here.post(from);

        assertThat(fixture.success(here, 2).opcode()).isEqualTo(CompletionOpcode.SEND);
        Completion received = fixture.success(there, 1);
        assertThat(received.opcode()).isEqualTo(CompletionOpcode.RECV);
        assertThat(received.byteLength()).isEqualTo(GRH + length);
        assertThat(received.hasRouteHeader()).isTrue();
        assertThat(received.hasImmediate()).isFalse();
        assertThat(received.sourceQp()).isEqualTo(from.number());
        assertThat(received.qpn()).isEqualTo(to.number());
        assertSame(fixture.local, AT, fixture.remote, AT + GRH, length);
        assertZero(fixture.remote, AT + GRH + length, 64);
    }

    @ParameterizedTest
    @EnumSource(
            value = Size.class,
            names = {"NOTHING", "ONE", "MTU_LESS_ONE", "MTU"})
    void shouldSendWithImmediateData(Size size) {
        QueuePair from = fixture.sender();
        QueuePair to = fixture.receiver();
        int length = size.bytes(mtu());
        fill(fixture.local, AT, length, 42);
        receive(to, 1, GRH + length);
        request(0, 2, SendOpcode.SEND_WITH_IMM, length, handle(), to);
        here.sends.setImmediate(0, 0xA1B2_C3D4);
        here.post(from);
        fixture.success(here, 2);
        Completion received = fixture.success(there, 1);
        assertThat(received.hasImmediate()).isTrue();
        assertThat(received.immediate()).isEqualTo(0xA1B2_C3D4);
        assertSame(fixture.local, AT, fixture.remote, AT + GRH, length);
    }

    /** Bytes 20 to 39 before the payload are the IPv4 header (RoCE v2 annex, A17.4.5.2). */
    @Test
    void shouldReceiveTheAddressesInTheRouteHeader() {
        QueuePair from = fixture.sender();
        QueuePair to = fixture.receiver();
        receive(to, 1, 200);
        request(0, 2, SendOpcode.SEND, 64, handle(), to);
        here.post(from);
        fixture.success(here, 2);
        fixture.success(there, 1);
        byte[] header = fixture.remote.segment().asSlice(AT + 20, 20).toArray(ValueLayout.JAVA_BYTE);
        assertThat(header[0]).as("version and length").isEqualTo((byte) 0x45);
        assertThat(header[9]).as("UDP").isEqualTo((byte) 17);
        assertThat(Arrays.copyOfRange(header, 12, 16)).isEqualTo(ipv4(here.gid.gid()));
        assertThat(Arrays.copyOfRange(header, 16, 20)).isEqualTo(ipv4(there.gid.gid()));
    }

    private static byte[] ipv4(Gid gid) {
        int address = (int) gid.low();
        return new byte[] {(byte) (address >> 24), (byte) (address >> 16), (byte) (address >> 8), (byte) address};
    }

    /** The header may be scattered to another entry than the payload. */
    @Test
    void shouldScatterTheRouteHeaderToItsOwnEntry() {
        QueuePair from = fixture.sender();
        QueuePair to = fixture.receiver();
        fill(fixture.local, AT, 100, 43);
        MemoryRegion into = fixture.remote;
        there.receives.set(0, 1, 2);
        there.receives.setSge(0, 0, into.address() + AT, GRH, into.lkey());
        there.receives.setSge(0, 1, into.address() + 8192, 100, into.lkey());
        there.receives.setNext(0, -1);
        assertThat(to.postReceive(there.receives, 0)).isZero();
        request(0, 2, SendOpcode.SEND, 100, handle(), to);
        here.post(from);
        fixture.success(here, 2);
        assertThat(fixture.success(there, 1).byteLength()).isEqualTo(GRH + 100);
        assertSame(fixture.local, AT, into, 8192, 100);
    }

    // ---- dropped datagrams ----

    /** Sends another datagram, which must be the first to arrive. */
    private void assertOnlyThisArrives(QueuePair from, QueuePair to, long handle) {
        request(0, 77, SendOpcode.SEND, 33, handle, to);
        here.post(from);
        fixture.success(here, 77);
        assertThat(fixture.next(there, "SUCCESS (0)").byteLength()).isEqualTo(GRH + 33);
        assertThat(to.queryState()).isEqualTo(QueuePairState.RTS);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, End.QKEY + 1, 0x7FFF_FFFF})
    void shouldDropAWrongQkey(int qkey) {
        QueuePair from = fixture.sender();
        QueuePair to = fixture.receiver();
        long handle = handle();
        receive(to, 1, 200);
        request(0, 2, SendOpcode.SEND, 64, handle, to);
        here.sends.setDatagram(0, handle, to.number(), qkey);
        here.post(from);
        fixture.success(here, 2);
        assertOnlyThisArrives(from, to, handle);
    }

    @Test
    void whenTheTopBitIsSetThenTheSendersQkeyIsSent() {
        needs(Trait.CONTROLLED_QKEY);
        QueuePair from = fixture.sender();
        QueuePair to = fixture.receiver();
        long handle = handle();
        receive(to, 1, 200);
        request(0, 2, SendOpcode.SEND, 64, handle, to);
        here.sends.setDatagram(0, handle, to.number(), 0x8000_0000);
        here.post(from);
        fixture.success(here, 2);
        fixture.success(there, 1);
    }

    @Test
    void whenThereIsNoReceiveThenTheDatagramIsDropped() {
        QueuePair from = fixture.sender();
        QueuePair to = fixture.receiver();
        long handle = handle();
        request(0, 2, SendOpcode.SEND, 64, handle, to);
        here.post(from);
        fixture.success(here, 2);
        fixture.silence(there);
        receive(to, 1, 200);
        assertOnlyThisArrives(from, to, handle);
    }

    @Test
    void whenTheQueuePairDoesNotExistThenTheDatagramIsDropped() {
        QueuePair from = fixture.sender();
        QueuePair to = fixture.receiver();
        long handle = handle();
        receive(to, 1, 200);
        request(0, 2, SendOpcode.SEND, 64, handle, to);
        here.sends.setDatagram(0, handle, 0xFF_FF00, End.QKEY);
        here.post(from);
        fixture.success(here, 2);
        assertOnlyThisArrives(from, to, handle);
    }

    @Test
    void whenTheTargetIsAConnectionThenTheDatagramIsDropped() {
        QueuePair from = fixture.sender();
        QueuePair to = fixture.receiver();
        Connection pair = fixture.connection(QueuePairType.RC);
        long handle = handle();
        request(0, 2, SendOpcode.SEND, 64, handle, pair.peer);
        here.post(from);
        fixture.success(here, 2);
        receive(to, 1, 200);
        assertOnlyThisArrives(from, to, handle);
        pair.assertWorks();
    }

    @Test
    void whenTheReceiveIsTooShortThenTheDatagramIsDropped() {
        needs(Trait.SHORT_DATAGRAM_RECEIVE_DROPS);
        QueuePair from = fixture.sender();
        QueuePair to = fixture.receiver();
        long handle = handle();
        clear(fixture.remote, AT, 200);
        receive(to, 1, GRH + 33);
        request(0, 2, SendOpcode.SEND, 34, handle, to);
        here.post(from);
        fixture.success(here, 2);
        fixture.silence(there);
        assertOnlyThisArrives(from, to, handle);
    }

    @Test
    void whenTheDatagramIsOverThePathMtuThenItIsRejected() {
        needs(Trait.POST_REJECTS_LONG_DATAGRAM);
        QueuePair from = fixture.sender();
        request(0, 2, SendOpcode.SEND, mtu() + 1, handle(), fixture.receiver());
        assertThat(from.postSend(here.sends, 0)).isEqualTo(Errno.EMSGSIZE);
        assertThat(from.queryState()).isEqualTo(QueuePairState.RTS);
    }

    // ---- many ----

    @ParameterizedTest
    @ValueSource(ints = {2, 16, End.DEPTH})
    void shouldDeliverAListInOrder(int count) {
        QueuePair from = fixture.sender();
        QueuePair to = fixture.receiver();
        long handle = handle();
        for (int i = 0; i < count; i++) {
            there.receive(to, i, fixture.remote, AT + 256L * i, 256);
            request(i, 100 + i, SendOpcode.SEND, 100 + i, handle, to);
        }
        here.sends.chain(0, count);
        here.post(from);
        for (int i = 0; i < count; i++) {
            fixture.success(here, 100 + i);
            assertThat(fixture.success(there, i).byteLength()).isEqualTo(GRH + 100 + i);
        }
    }

    @Test
    void shouldReceiveFromManySenders() {
        QueuePair to = fixture.receiver();
        long handle = handle();
        List<QueuePair> senders = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            senders.add(here.ready(fixture.closing(here.create(QueuePairType.UD))));
        }
        for (int i = 0; i < 12; i++) {
            receive(to, i, 200);
            request(0, i, SendOpcode.SEND, 10 + i, handle, to);
            here.post(senders.get(i % 4));
            fixture.success(here, i);
            assertThat(fixture.success(there, i).sourceQp())
                    .isEqualTo(senders.get(i % 4).number());
        }
    }

    @Test
    void shouldSendToManyReceivers() {
        QueuePair from = fixture.sender();
        long handle = handle();
        for (int i = 0; i < 4; i++) {
            QueuePair to = there.ready(fixture.closing(there.create(QueuePairType.UD)));
            receive(to, i, 200);
            request(0, 10 + i, SendOpcode.SEND, 64, handle, to);
            here.post(from);
            fixture.success(here, 10 + i);
            assertThat(fixture.success(there, i).qpn()).isEqualTo(to.number());
        }
    }

    @Test
    void shouldSendToItself() {
        QueuePair qp = fixture.sender();
        long handle = fixture.closing(here.handleTo(here)).handle();
        here.receive(qp, 1, fixture.local, 8192, 200);
        fill(fixture.local, AT, 64, 44);
        request(0, 2, SendOpcode.SEND, 64, handle, qp);
        here.post(qp);
        List<Long> seen = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Completion completion = fixture.next(here, "SUCCESS (0)");
            seen.add(completion.wrId());
        }
        assertThat(seen).containsExactlyInAnyOrder(1L, 2L);
        assertSame(fixture.local, AT, fixture.local, 8192 + GRH, 64);
    }

    @Test
    void shouldRespondToTheSource() {
        QueuePair from = fixture.sender();
        QueuePair to = fixture.receiver();
        receive(to, 1, 200);
        here.receive(from, 3, fixture.local, 8192, 200);
        request(0, 2, SendOpcode.SEND, 64, handle(), to);
        here.post(from);
        fixture.success(here, 2);
        int source = fixture.success(there, 1).sourceQp();
        AddressHandle back = fixture.closing(there.handleTo(here));
        there.request(0, 4, SendOpcode.SEND, fixture.remote, AT, 20).setDatagram(0, back.handle(), source, End.QKEY);
        there.post(to);
        fixture.success(there, 4);
        assertThat(fixture.success(here, 3).sourceQp()).isEqualTo(to.number());
    }

    @Test
    void whenUnsignaledThenOnlyTheReceiverHasACompletion() {
        QueuePair from = fixture.sender();
        QueuePair to = fixture.receiver();
        receive(to, 1, 200);
        request(0, 2, SendOpcode.SEND, 64, handle(), to);
        here.sends.set(0, 2, SendOpcode.SEND, 0, 1);
        here.post(from);
        fixture.success(there, 1);
        fixture.silence(here);
    }

    // ---- address handles ----

    @Test
    void shouldReturnTheAttributesOfAHandle() {
        AddressHandleAttributes route = here.routeTo(there);
        AddressHandle handle = fixture.closing(here.domain.createAddressHandle(route));
        assertThat(handle.attributes()).isEqualTo(route);
        assertThat(handle.handle()).isNotZero();
    }

    @Test
    void shouldRejectAHandleOfAnInvalidPort() {
        AddressHandleAttributes route = AddressHandleAttributes.to(there.gid.gid(), 0, here.gid.index(), 200);
        assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(() -> here.domain.createAddressHandle(route));
    }

    @Test
    void shouldRejectAHandleOfAnUnknownGid() {
        AddressHandleAttributes route = AddressHandleAttributes.to(there.gid.gid(), 0, 255, VerbsFixture.PORT);
        assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(() -> here.domain.createAddressHandle(route));
    }

    // ---- events ----

    private record Listening(CompletionChannel channel, CompletionQueue queue, QueuePair qp) {}

    private Listening listening() {
        CompletionChannel channel = fixture.closing(ifThere(there.context::createCompletionChannel));
        CompletionQueue queue = fixture.closing(there.context.createCompletionQueue(16, channel));
        QueuePair qp = there.ready(fixture.closing(there.domain.createQueuePair(
                there.config(QueuePairType.UD, queue, queue).unchecked())));
        return new Listening(channel, queue, qp);
    }

    private void sendTo(QueuePair to, long wrId, int flags) {
        request(0, wrId, SendOpcode.SEND, 10, handle(), to);
        here.sends.set(0, wrId, SendOpcode.SEND, SendFlags.SIGNALED | flags, 1);
        here.post(fixture.sender());
        fixture.success(here, wrId);
    }

    @Test
    void shouldDeliverOneEventForACompletion() {
        Listening to = listening();
        receive(to.qp, 1, 200);
        receive(to.qp, 2, 200);
        assertThat(to.queue.requestNotification(false)).isZero();
        sendTo(to.qp, 5, 0);
        assertThat(to.channel.await(Duration.ofSeconds(10))).isEqualTo(1);
        there.poll(to.queue);
        fixture.success(there, 1);
        // The queue is not armed again.
        sendTo(to.qp, 6, 0);
        assertThat(to.channel.await(Duration.ofMillis(50))).isZero();
        fixture.await(
                () -> {
                    there.poll(to.queue);
                    return there.take() != null;
                },
                () -> "the second one has arrived");
    }

    @Test
    void whenOnlySolicitedMessagesCountThenOthersCauseNoEvent() {
        Listening to = listening();
        receive(to.qp, 1, 200);
        receive(to.qp, 2, 200);
        assertThat(to.queue.requestNotification(true)).isZero();
        sendTo(to.qp, 5, 0);
        assertThat(to.channel.await(Duration.ofMillis(50))).isZero();
        sendTo(to.qp, 6, SendFlags.SOLICITED);
        assertThat(to.channel.await(Duration.ofSeconds(10))).isEqualTo(1);
    }

    @Test
    void whenAThreadWakesTheChannelThenTheWaitEnds() {
        Listening to = listening();
        assertThat(to.queue.requestNotification(false)).isZero();
        to.channel.wakeUp();
        assertThat(to.channel.await(Duration.ofSeconds(60))).isZero();
    }
}
