package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("rdma-device")
@EnabledIf(
        value = "io.rdmarpc.verbs.ibverbs.IbverbsDeviceTest#deviceIsThere",
        disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(120)
@DisplayName("An invalid work request of a device ends")
class WrongRequestDeviceTest {

    private DeviceFixture fixture;

    @BeforeEach
    void open() {
        fixture = new DeviceFixture();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private ConnectedPair connected() {
        return new ConnectedPair(fixture, QueuePairType.RC);
    }

    private ConnectedPair unchecked(QueuePairType type) {
        QueuePairConfig config = fixture.config(type, ConnectedPair.SMALL).unchecked();
        return new ConnectedPair(fixture, config, ConnectedPair.OPEN);
    }

    private static void assertRejected(QueuePair qp, SendRequests requests, int index, String message) {
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> qp.postSend(requests, 0))
                .withMessageContaining(message)
                .satisfies(e -> assertThat(e.index()).isEqualTo(index));
        assertThat(requests.badIndex()).isEqualTo(index);
    }

    private void assertFails(ConnectedPair pair, String... statuses) {
        pair.post(pair.sends);
        fixture.await(1);
        assertThat(pair.status(0)).isIn((Object[]) statuses);
        assertThat(fixture.completions.qpNumber(0)).isEqualTo(pair.one.number());
        assertThat(pair.one.queryState()).isEqualTo(QueuePairState.ERR);
    }

    @ParameterizedTest(name = "with an exception before the post: {0} local bytes")
    @ValueSource(ints = {0, 4, 16})
    void shouldRejectAnAtomicWithoutEightBytes(int length) {
        ConnectedPair pair = connected();
        pair.request(1, SendOpcode.ATOMIC_FETCH_AND_ADD, length);
        pair.sends.setFetchAndAdd(0, pair.remote.address(), pair.remote.rkey(), 1);

        assertRejected(pair.one, pair.sends, 0, "has " + length + " local bytes");
        assertThat(pair.remote.segment().get(ValueLayout.JAVA_LONG, 0)).isZero();
    }

    @Test
    @DisplayName("with an exception before the post, or EINVAL: an atomic at an odd address")
    void shouldRejectAMisalignedAtomic() {
        ConnectedPair checked = connected();
        checked.request(1, SendOpcode.ATOMIC_FETCH_AND_ADD, 8);
        checked.sends.setFetchAndAdd(0, checked.remote.address() + 4, checked.remote.rkey(), 1);
        assertRejected(checked.one, checked.sends, 0, "a multiple of 8");

        ConnectedPair pair = unchecked(QueuePairType.RC);
        pair.request(1, SendOpcode.ATOMIC_FETCH_AND_ADD, 8);
        pair.sends.setFetchAndAdd(0, pair.remote.address() + 4, pair.remote.rkey(), 1);
        assertThat(pair.one.postSend(pair.sends, 0)).isEqualTo(Errno.EINVAL);
    }

    @Test
    @DisplayName("with an exception before the post, or EINVAL: more send entries than granted")
    void shouldRejectTooManySendEntries() {
        ConnectedPair checked = connected();
        int tooMany = overfillSend(checked);
        assertRejected(checked.one, checked.sends, 0, "has " + tooMany + " scatter/gather entries");

        ConnectedPair pair = unchecked(QueuePairType.RC);
        overfillSend(pair);
        assertThat(pair.one.postSend(pair.sends, 0)).isEqualTo(Errno.EINVAL);
        assertThat(pair.sends.badIndex()).isZero();
    }

    private static int overfillSend(ConnectedPair pair) {
        int tooMany = pair.one.capabilities().maxSendSge() + 1;
        pair.request(1, SendOpcode.RDMA_WRITE, 1);
        pair.sends.set(0, 1, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED, tooMany);
        for (int i = 0; i < tooMany; i++) {
            pair.sends.setSge(0, i, pair.local.address(), 1, pair.local.lkey());
        }
        return tooMany;
    }

    @Test
    @DisplayName("with an exception before the post, or EINVAL: more receive entries than granted")
    void shouldRejectTooManyReceiveEntries() {
        ConnectedPair checked = connected();
        int tooMany = overfillReceive(checked);
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> checked.other.postReceive(checked.receives, 0))
                .withMessageContaining("Receive 0 has " + tooMany + " scatter/gather entries");

        ConnectedPair pair = unchecked(QueuePairType.RC);
        overfillReceive(pair);
        assertThat(pair.other.postReceive(pair.receives, 0)).isEqualTo(Errno.EINVAL);
        assertThat(pair.receives.badIndex()).isZero();
    }

    private static int overfillReceive(ConnectedPair pair) {
        int tooMany = pair.other.capabilities().maxReceiveSge() + 1;
        pair.receives.set(0, 1, tooMany);
        pair.receives.setNext(0, -1);
        for (int i = 0; i < tooMany; i++) {
            pair.receives.setSge(0, i, pair.remote.address(), 1, pair.remote.lkey());
        }
        return tooMany;
    }

    @Test
    @DisplayName("with the result ENOMEM: more sends than fit")
    void whenTheSendQueueIsFullThenPostingReturnsEnomem() {
        ConnectedPair pair = connected();
        // Without a receive at the peer no send completes, so that the queue fills.
        int posted = 0;
        int errno = 0;
        while (errno == 0 && posted < 1000) {
            errno = pair.one.postSend(pair.request(0, posted++, SendOpcode.SEND, 0, 0, 1), 0);
        }
        assertThat(errno).isEqualTo(Errno.ENOMEM);
        assertThat(posted).isGreaterThanOrEqualTo(pair.one.capabilities().maxSendWr());
    }

    @Test
    @DisplayName("with the result ENOMEM: more receives than fit")
    void whenTheReceiveQueueIsFullThenPostingReturnsEnomem() {
        ConnectedPair pair = connected();
        pair.receives.set(0, 1, pair.remote.address(), 8, pair.remote.lkey());
        int posted = 0;
        int errno = 0;
        while (errno == 0 && posted < 1000) {
            errno = pair.other.postReceive(pair.receives, 0);
            posted++;
        }
        assertThat(errno).isEqualTo(Errno.ENOMEM);
        assertThat(posted).isGreaterThanOrEqualTo(pair.other.capabilities().maxReceiveWr());
    }

    @Test
    @DisplayName("at the peer's NIC: a write with the right to read only")
    void whenOnlyReadIsGrantedThenAWriteFails() {
        ConnectedPair pair = connected();
        MemoryRegion readOnly = fixture.register(64, AccessFlag.REMOTE_READ);
        pair.local.segment().fill((byte) 7);
        pair.request(1, SendOpcode.RDMA_WRITE, 8);
        pair.sends.setRemote(0, readOnly.address(), readOnly.rkey());

        assertFails(pair, "REM_ACCESS_ERR (10)");
        assertThat(readOnly.segment().get(ValueLayout.JAVA_LONG, 0)).isZero();
    }

    @Test
    @DisplayName("at the peer's NIC: a read through a queue pair that grants none")
    void whenTheQueuePairGrantsNothingThenAReadFails() {
        ConnectedPair pair = new ConnectedPair(
                fixture,
                fixture.config(QueuePairType.RC, ConnectedPair.SMALL),
                ConnectedPair.OPEN.withAccess(AccessFlag.REMOTE_WRITE));
        pair.request(1, SendOpcode.RDMA_READ, 8);

        pair.post(pair.sends);
        fixture.await(1);

        assertThat(pair.status(0)).isIn("REM_INV_REQ_ERR (9)", "REM_ACCESS_ERR (10)");
    }

    @Test
    @DisplayName("at the peer's NIC: a read beyond the end of a region")
    void whenAReadIsBeyondTheRegionThenItFails() {
        ConnectedPair pair = connected();
        pair.request(1, SendOpcode.RDMA_READ, 16);
        pair.sends.setRemote(0, pair.remote.address() + ConnectedPair.SIZE - 8, pair.remote.rkey());

        assertFails(pair, "REM_ACCESS_ERR (10)");
    }

    @Test
    @DisplayName("at the local NIC: a wrong local key, or the key of a closed region")
    void whenTheLocalKeyIsWrongThenTheRequestFails() {
        ConnectedPair wrong = connected();
        wrong.request(1, SendOpcode.RDMA_READ, 8);
        wrong.sends.setSge(0, 0, wrong.local.address(), 8, wrong.local.lkey() ^ 0x55);
        assertFails(wrong, "LOC_PROT_ERR (4)");

        ConnectedPair freed = connected();
        freed.request(1, SendOpcode.RDMA_WRITE, 8);
        freed.local.close();
        // rxe of Linux 6.1 reports LOC_QP_OP_ERR if it sends from memory.
        assertFails(freed, "LOC_PROT_ERR (4)", "LOC_QP_OP_ERR (2)");
    }

    @Test
    @DisplayName("at the peer's NIC: the key of a closed region")
    void whenTheRemoteRegionIsClosedThenTheRequestFails() {
        ConnectedPair pair = connected();
        pair.request(1, SendOpcode.RDMA_READ, 8);
        pair.remote.close();

        assertFails(pair, "REM_ACCESS_ERR (10)");
    }

    @Test
    @DisplayName("after the configured retries: a send to a peer without a receive")
    void whenThePeerHasNoReceiveThenTheSendFailsAfterItsRetries() {
        ConnectedPair pair = new ConnectedPair(
                fixture,
                fixture.config(QueuePairType.RC, ConnectedPair.SMALL),
                ConnectedPair.OPEN.withRetries(14, 7, 1));
        pair.request(1, SendOpcode.SEND, 8);

        assertFails(pair, "RNR_RETRY_EXC_ERR (13)");
    }

    @Test
    @DisplayName("with a flush status and a readable vendor code: a send in ERR, a receive before it")
    void whenInErrThenRequestsAreFlushed() {
        ConnectedPair pair = connected();
        pair.receive(1, 64);
        pair.one.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        pair.other.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        // A receive that is posted now would not be flushed: rxe does not notify the kernel of posted receives.
        pair.post(pair.request(0, 2, SendOpcode.SEND, 0, 0, 8));
        fixture.await(2);

        for (int i = 0; i < 2; i++) {
            assertThat(pair.status(i)).isEqualTo("WR_FLUSH_ERR (5)");
            // rxe has no vendor codes.
            assertThat(fixture.completions.vendorError(i)).isZero();
        }
        assertThat(fixture.completions.qpNumber(fixture.indexOf(2, 2))).isEqualTo(pair.one.number());
        assertThat(fixture.completions.qpNumber(fixture.indexOf(1, 2))).isEqualTo(pair.other.number());
    }

    @Test
    @DisplayName("with its index: the middle one of a postlist; only without checks the earlier ones are posted")
    void whenASendOfAListIsInvalidThenItsIndexIsReported() throws InterruptedException {
        ConnectedPair checked = connected();
        spoilTheSecondOfThree(checked);
        assertRejected(checked.one, checked.sends, 1, "Work request 1 (RDMA_WRITE) has 41 scatter/gather entries");
        checked.awaitSilence();

        ConnectedPair pair = unchecked(QueuePairType.RC);
        spoilTheSecondOfThree(pair);
        assertThat(pair.one.postSend(pair.sends, 0)).isEqualTo(Errno.EINVAL);
        assertThat(pair.sends.badIndex()).isEqualTo(1);
        pair.awaitSuccess(1);
        assertThat(fixture.completions.wrId(0)).isEqualTo(10);
        pair.awaitSilence();
    }

    private static void spoilTheSecondOfThree(ConnectedPair pair) {
        for (int i = 0; i < 3; i++) {
            pair.request(i, 10 + i, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED, 0, 8);
        }
        pair.sends.set(1, 11, SendOpcode.RDMA_WRITE, SendFlags.SIGNALED, 41);
        pair.sends.chain(0, 3);
    }

    @Test
    @DisplayName("with its index: the middle one of a postlist of receives")
    void whenAReceiveOfAListIsInvalidThenItsIndexIsReported() {
        ConnectedPair pair = unchecked(QueuePairType.RC);
        for (int i = 0; i < 3; i++) {
            pair.receives.set(i, 10 + i, pair.remote.address(), 8, pair.remote.lkey());
        }
        pair.receives.set(1, 11, 41);
        pair.receives.chain(0, 3);

        assertThat(pair.other.postReceive(pair.receives, 0)).isEqualTo(Errno.EINVAL);
        assertThat(pair.receives.badIndex()).isEqualTo(1);
    }

    @Test
    @DisplayName("with an exception before the post, or silently: a datagram over the path MTU")
    void whenADatagramIsOverThePathMtuThenItIsNotDelivered() throws InterruptedException {
        int tooLong = fixture.context.queryPort(DeviceFixture.PORT).activeMtu().bytes() + 1;
        MemoryRegion memory = fixture.register(3L * tooLong, AccessFlag.LOCAL_WRITE);
        SendRequests send = SendRequests.allocate(fixture.arena, 1, 1);
        send.set(0, 1, SendOpcode.SEND, SendFlags.SIGNALED, 1);
        send.setSge(0, 0, memory.address(), tooLong, memory.lkey());
        assertRejected(fixture.readyDatagram(), send, 0, "has no address handle");

        long handle = fixture.domain.createAddressHandle(fixture.self()).handle();
        send.setDatagram(0, handle, 1, DeviceFixture.QKEY);
        assertRejected(
                fixture.readyDatagram(), send, 0, "has " + tooLong + " bytes: a datagram carries up to the path MTU");

        QueuePair unchecked = fixture.domain.createQueuePair(
                fixture.config(QueuePairType.UD, ConnectedPair.SMALL).unchecked());
        fixture.makeReady(unchecked);
        ReceiveRequests receive = ReceiveRequests.allocate(fixture.arena, 1);
        receive.set(0, 2, memory.address() + tooLong, 2 * tooLong, memory.lkey());
        assertThat(unchecked.postReceive(receive, 0)).isZero();
        send.setDatagram(0, handle, unchecked.number(), DeviceFixture.QKEY);
        assertThat(unchecked.postSend(send, 0)).isZero();
        fixture.await(1);
        assertThat(fixture.completions.wrId(0)).isEqualTo(1);
        assertThat(fixture.completions.status(0)).isZero();
        for (int i = 0; i < 20; i++) {
            assertThat(fixture.cq.poll(fixture.completions, 1)).isZero();
            Thread.sleep(10);
        }
    }

    @Test
    @DisplayName("with an exception before the post: READ and atomics on UC, WRITE on UD, inline over the limit")
    void shouldRejectOperationsThatTheTypeLacks() {
        ConnectedPair uc = new ConnectedPair(fixture, QueuePairType.UC);
        assertRejected(uc.one, uc.request(1, SendOpcode.RDMA_READ, 8), 0, "For READ and atomics use RC");

        QueuePair ud = fixture.readyDatagram();
        assertRejected(ud, uc.request(1, SendOpcode.RDMA_WRITE, 8), 0, "use SEND or SEND_WITH_IMM");

        ConnectedPair rc = connected();
        int tooLong = rc.one.capabilities().maxInlineBytes() + 1;
        rc.request(0, 1, SendOpcode.RDMA_WRITE, SendFlags.INLINE, 0, tooLong);
        assertRejected(rc.one, rc.sends, 0, "is INLINE with " + tooLong + " bytes");
    }
}
