package io.rdmarpc.verbs.ibverbs;

import static io.rdmarpc.verbs.ibverbs.DeviceFixture.PORT;
import static io.rdmarpc.verbs.ibverbs.DeviceFixture.QKEY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.attributes.Gid;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.LinkLayer;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.PortAttributes;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionOpcode;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Tests that need a device. They run if there is one: {@code config/soft-roce-vm} creates a machine with two. */
@Tag("rdma-device")
@EnabledIf(value = "deviceIsThere", disabledReason = "there is no RDMA device; config/soft-roce-vm/run makes one")
@Timeout(120)
@DisplayName("A device")
class IbverbsDeviceTest {

    private static final int GRH = 40;
    private static final String TEXT = "one verb after the other";

    private DeviceFixture fixture;

    /** Returns whether to run. In the virtual machine always, so that a missing device is a failure. */
    static boolean deviceIsThere() {
        return System.getenv("SOFT_ROCE_VM") != null || Files.isDirectory(Path.of("/sys/class/infiniband"));
    }

    @BeforeEach
    void open() {
        fixture = new DeviceFixture();
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private SendRequests sends(int capacity) {
        return SendRequests.allocate(fixture.arena, capacity, 2);
    }

    private ReceiveRequests receives(int capacity) {
        return ReceiveRequests.allocate(fixture.arena, capacity);
    }

    private int postReceive(QueuePair qp, long wrId, MemoryRegion into) {
        ReceiveRequests receive = receives(1);
        receive.set(0, wrId, into.address(), (int) into.segment().byteSize(), into.lkey());
        receive.chain(0, 1);
        return qp.postReceive(receive, 0);
    }

    private SendRequests read(MemoryRegion into, int length, long remoteAddress, int rkey) {
        SendRequests request = sends(1);
        request.set(0, 7, SendOpcode.RDMA_READ, SendFlags.SIGNALED, 1);
        request.setSge(0, 0, into.address(), length, into.lkey());
        request.setRemote(0, remoteAddress, rkey);
        request.chain(0, 1);
        return request;
    }

    @Nested
    @DisplayName("queries")
    class Questions {

        @Test
        void shouldReportItsLimits() {
            DeviceAttributes limits = fixture.context.attributes();

            assertThat(limits.physicalPortCount()).isPositive();
            assertThat(limits.maxQp()).isPositive();
            assertThat(limits.maxQpWr()).isGreaterThan(16);
            assertThat(limits.maxCqe()).isGreaterThan(64);
            assertThat(limits.maxSge()).isPositive();
            assertThat(limits.maxMrSizeBytes()).isPositive();
        }

        @Test
        void shouldReportItsPort() {
            PortAttributes port = fixture.context.queryPort(PORT);

            assertThat(port.isActive()).isTrue();
            assertThat(port.linkLayer()).isEqualTo(LinkLayer.ETHERNET);
            assertThat(port.activeMtu()).isGreaterThanOrEqualTo(PathMtu.MTU_1024);
            assertThat(port.maxMessageBytes()).isGreaterThanOrEqualTo(1 << 20);
            assertThat(port.gidTableLength()).isPositive();
        }

        @Test
        void whenThePortDoesNotExistThenTheQueryFails() {
            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> fixture.context.queryPort(9))
                    .withMessageContaining("Port 9 was requested; the device has ports 1 to");
        }

        @Test
        void shouldReadTheSameGidsByBothMethods() {
            int entries = fixture.context.queryPort(PORT).gidTableLength();

            List<GidEntry> oneByOne = ((IbvContext) fixture.context).gids().readEntries(PORT, entries);

            assertThat(fixture.context.gidTable(PORT)).contains(fixture.gid);
            assertThat(oneByOne)
                    .usingRecursiveFieldByFieldElementComparatorIgnoringFields("interfaceIndex")
                    .isEqualTo(fixture.context.gidTable(PORT));
        }

        @Test
        void shouldReportTheStateOfAQueuePair() {
            QueuePair qp = fixture.create(QueuePairType.UD);
            assertThat(qp.queryState()).isEqualTo(QueuePairState.RESET);

            qp.modify(fixture.toInit().qkey(QKEY));

            assertThat(qp.queryState()).isEqualTo(QueuePairState.INIT);
        }
    }

    @Nested
    @DisplayName("data transfer")
    class Data {

        @Test
        void shouldSendADatagram() {
            QueuePair sender = fixture.readyDatagram();
            QueuePair receiver = fixture.readyDatagram();
            MemoryRegion inbox = fixture.register(4096, AccessFlag.LOCAL_WRITE);
            MemoryRegion outbox = fixture.register(4096);
            outbox.segment().setString(0, TEXT);
            AddressHandle peer = fixture.domain.createAddressHandle(fixture.self());

            assertThat(postReceive(receiver, 1, inbox)).isZero();
            assertThat(sender.postSend(datagram(peer, receiver, outbox), 0)).isZero();
            fixture.await(2);

            int received = fixture.indexOf(1, 2);
            assertThat(fixture.completions.status(received)).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(fixture.completions.opcode(received)).isEqualTo(CompletionOpcode.RECV);
            assertThat(fixture.completions.byteLength(received)).isEqualTo(GRH + 64);
            assertThat(fixture.completions.sourceQp(received)).isEqualTo(sender.number());
            assertThat(fixture.completions.qpNumber(received)).isEqualTo(receiver.number());
            assertThat(inbox.segment().getString(GRH)).isEqualTo(TEXT);
            assertThat(fixture.completions.status(fixture.indexOf(2, 2))).isEqualTo(CompletionStatus.SUCCESS);
        }

        private SendRequests datagram(AddressHandle peer, QueuePair receiver, MemoryRegion outbox) {
            SendRequests send = sends(1);
            send.set(0, 2, SendOpcode.SEND, SendFlags.SIGNALED, 1);
            send.setSge(0, 0, outbox.address(), 64, outbox.lkey());
            send.setDatagram(0, peer.handle(), receiver.number(), QKEY);
            send.chain(0, 1);
            return send;
        }

        @Test
        void shouldSendAnInlineDatagramFromUnregisteredMemory() {
            QueuePair qp = fixture.readyDatagram();
            MemoryRegion inbox = fixture.register(4096, AccessFlag.LOCAL_WRITE);
            AddressHandle self = fixture.domain.createAddressHandle(fixture.self());
            MemorySegment text = fixture.arena.allocateFrom(TEXT);
            SendRequests send = sends(1);
            send.set(0, 2, SendOpcode.SEND, SendFlags.SIGNALED | SendFlags.INLINE, 1);
            send.setSge(0, 0, text.address(), (int) text.byteSize(), 0);
            send.setDatagram(0, self.handle(), qp.number(), QKEY);
            send.chain(0, 1);

            assertThat(qp.capabilities().maxInlineBytes()).isGreaterThanOrEqualTo(64);
            assertThat(postReceive(qp, 1, inbox)).isZero();
            assertThat(qp.postSend(send, 0)).isZero();
            text.fill((byte) 0);
            fixture.await(2);

            assertThat(inbox.segment().getString(GRH)).isEqualTo(TEXT);
        }

        @Test
        void shouldRead() {
            QueuePair initiator = fixture.create(QueuePairType.RC);
            fixture.connect(initiator, fixture.create(QueuePairType.RC));
            MemoryRegion source = fixture.register(100_000, AccessFlag.REMOTE_READ);
            MemoryRegion sink = fixture.register(100_000, AccessFlag.LOCAL_WRITE);
            for (int i = 0; i < 100_000; i++) {
                source.segment().set(ValueLayout.JAVA_BYTE, i, (byte) (i * 31));
            }

            int posted =
                    initiator.postSend(IbverbsDeviceTest.this.read(sink, 100_000, source.address(), source.rkey()), 0);
            fixture.await(1);

            assertThat(posted).isZero();
            assertThat(fixture.completions.status(0)).isEqualTo(CompletionStatus.SUCCESS);
            assertThat(fixture.completions.opcode(0)).isEqualTo(CompletionOpcode.RDMA_READ);
            assertThat(fixture.completions.wrId(0)).isEqualTo(7);
            assertThat(sink.segment().mismatch(source.segment())).isEqualTo(-1);
        }
    }

    @Nested
    @DisplayName("rejections")
    class Rejections {

        @Test
        void shouldRejectAWrongRemoteKey() {
            QueuePair initiator = fixture.create(QueuePairType.RC);
            fixture.connect(initiator, fixture.create(QueuePairType.RC));
            MemoryRegion source = fixture.register(4096, AccessFlag.REMOTE_READ);
            MemoryRegion sink = fixture.register(4096, AccessFlag.LOCAL_WRITE);

            initiator.postSend(read(sink, 64, source.address(), source.rkey() ^ 0x55), 0);
            fixture.await(1);

            assertThat(CompletionStatus.describe(fixture.completions.status(0)))
                    .isEqualTo(CompletionStatus.describe(CompletionStatus.REM_ACCESS_ERR));
            assertThat(initiator.queryState()).isEqualTo(QueuePairState.ERR);
        }

        @Test
        void shouldRejectAWrongLocalKey() {
            QueuePair initiator = fixture.create(QueuePairType.RC);
            fixture.connect(initiator, fixture.create(QueuePairType.RC));
            MemoryRegion source = fixture.register(4096, AccessFlag.REMOTE_READ);
            MemoryRegion sink = fixture.register(4096, AccessFlag.LOCAL_WRITE);
            SendRequests request = read(sink, 64, source.address(), source.rkey());
            request.setSge(0, 0, sink.address(), 64, sink.lkey() ^ 0x55);

            assertThat(initiator.postSend(request, 0)).isZero();
            fixture.await(1);

            assertThat(CompletionStatus.describe(fixture.completions.status(0)))
                    .isEqualTo(CompletionStatus.describe(CompletionStatus.LOC_PROT_ERR));
        }

        @Test
        void shouldRejectPostsInAWrongState() {
            QueuePair qp = fixture.create(QueuePairType.UD);
            MemoryRegion inbox = fixture.register(4096, AccessFlag.LOCAL_WRITE);
            SendRequests send = sends(2);

            assertThatExceptionOfType(RdmaWorkRequestException.class)
                    .isThrownBy(() -> qp.postSend(send, 1))
                    .withMessageContaining("in state RESET");
            assertThat(send.badIndex()).isEqualTo(1);
            assertThatExceptionOfType(RdmaWorkRequestException.class)
                    .isThrownBy(() -> postReceive(qp, 1, inbox))
                    .withMessageContaining("in state RESET");

            qp.modify(fixture.toInit().qkey(QKEY));
            assertThatExceptionOfType(RdmaWorkRequestException.class)
                    .isThrownBy(() -> qp.postSend(send, 0))
                    .withMessageContaining("in state INIT");
            assertThat(postReceive(qp, 1, inbox)).isZero();
        }

        @Test
        void whenChecksAreDisabledThenPostsInAWrongStateReturnEinval() {
            QueuePair qp = fixture.domain.createQueuePair(
                    fixture.config(QueuePairType.UD, new QueuePairCapabilities(16, 16, 2, 2, 64))
                            .unchecked());
            MemoryRegion inbox = fixture.register(4096, AccessFlag.LOCAL_WRITE);
            SendRequests send = sends(2);

            assertThat(qp.postSend(send, 1)).isEqualTo(Errno.EINVAL);
            assertThat(send.badIndex()).isEqualTo(1);
            assertThat(postReceive(qp, 1, inbox)).isEqualTo(Errno.EINVAL);
            qp.close();
            assertThat(qp.postSend(send, 1)).isEqualTo(Errno.EINVAL);
        }

        @Test
        void whenTheReceiveQueueIsFullThenTheFirstRejectedReceiveIsReported() {
            QueuePair qp = fixture.readyDatagram();
            MemoryRegion inbox = fixture.register(4096, AccessFlag.LOCAL_WRITE);
            int tooMany = qp.capabilities().maxReceiveWr() + 100;
            ReceiveRequests requests = receives(tooMany);
            for (int i = 0; i < tooMany; i++) {
                requests.set(i, i, inbox.address(), 4096, inbox.lkey());
            }
            requests.chain(0, tooMany);

            assertThat(qp.postReceive(requests, 0)).isEqualTo(Errno.ENOMEM);
            assertThat(requests.badIndex())
                    .isGreaterThanOrEqualTo(qp.capabilities().maxReceiveWr())
                    .isLessThan(tooMany);
        }

        @Test
        void shouldRejectAModificationWithMissingAttributes() {
            QueuePair qp = fixture.create(QueuePairType.UD);

            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> qp.modify(fixture.toInit()))
                    .withMessageContaining("in state RESET did not accept [STATE=INIT, PKEY_INDEX=0, PORT=1]")
                    .withMessageContaining("This transition also requires [QKEY]")
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
            assertThat(qp.queryState()).isEqualTo(QueuePairState.RESET);
        }

        @Test
        void shouldRejectAQueuePairOverItsLimits() {
            int limit = fixture.context.attributes().maxQpWr();
            QueuePairCapabilities tooMany = new QueuePairCapabilities(limit + 1, 16, 1, 1, 0);

            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> fixture.domain.createQueuePair(fixture.config(QueuePairType.UD, tooMany)))
                    .withMessageContaining("ibv_create_qp on " + fixture.context.deviceName())
                    .withMessageContaining("maxSendWr=" + (limit + 1))
                    .withMessageContaining("limits are " + limit)
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
        }

        @Test
        void shouldRejectACompletionQueueOverItsLimits() {
            int limit = fixture.context.attributes().maxCqe();

            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> fixture.context.createCompletionQueue(limit + 1))
                    .withMessageContaining((limit + 1) + " entries were requested")
                    .withMessageContaining("limits are " + limit);
        }

        @Test
        void shouldRejectUnmappedOrReadOnlyMemory() {
            MemorySegment unmapped = MemorySegment.ofAddress(4096);
            MemorySegment onHeap = MemorySegment.ofArray(new byte[64]);

            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> fixture.domain.registerMemory(unmapped, Set.of()))
                    .withMessageContaining("0 bytes of native memory cannot be registered");
            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> fixture.domain.registerMemory(onHeap, Set.of()))
                    .withMessageContaining("64 bytes of heap memory cannot be registered");
            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> fixture.register(64, AccessFlag.REMOTE_WRITE))
                    .withMessageContaining("REMOTE_WRITE and REMOTE_ATOMIC require LOCAL_WRITE");
        }

        @Test
        void shouldRejectAPeerWithoutARoute() {
            AddressHandleAttributes unreachable =
                    AddressHandleAttributes.to(new Gid(0x2001_0DB8L << 32, 1), 0, fixture.gid.index(), PORT);

            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> fixture.domain.createAddressHandle(unreachable))
                    .withMessageContaining("There is no route to 2001:db8");
        }

        @Test
        void shouldRejectMemoryOverTheMemlockLimit() {
            String limitKib = System.getenv().getOrDefault("SOFT_ROCE_VM_MEMLOCK", "unlimited");
            assumeTrue(!limitKib.equals("unlimited"), "needs SOFT_ROCE_VM_MEMLOCK");
            long limit = Long.parseLong(limitKib) << 10;

            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> fixture.register(2 * limit, AccessFlag.LOCAL_WRITE))
                    .withMessageContaining("ibv_reg_mr on " + fixture.context.deviceName())
                    .withMessageContaining(2 * limit + " bytes at 0x")
                    .withMessageContaining("This process may lock " + limit + " bytes of memory")
                    .withMessageContaining("ulimit -l")
                    .withMessageContaining("LimitMEMLOCK")
                    .satisfies(e -> assertThat(e.errno()).isEqualTo(Errno.ENOMEM));
        }
    }

    @Nested
    @DisplayName("closing")
    class Closing {

        @Test
        void shouldCloseItsObjectsInTheRequiredOrder() {
            QueuePair qp = fixture.readyDatagram();
            fixture.register(4096, AccessFlag.LOCAL_WRITE);
            fixture.domain.createAddressHandle(fixture.self());
            MemoryRegion inbox = fixture.register(4096, AccessFlag.LOCAL_WRITE);

            fixture.context.close();

            assertThatExceptionOfType(RdmaWorkRequestException.class)
                    .isThrownBy(() -> qp.postSend(sends(1), 0))
                    .withMessageContaining("closed");
            assertThatExceptionOfType(RdmaWorkRequestException.class)
                    .isThrownBy(() -> postReceive(qp, 1, inbox))
                    .withMessageContaining("closed");
            assertThat(fixture.cq.poll(fixture.completions, 1)).isEqualTo(-Errno.EINVAL);
            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(fixture.context::allocateProtectionDomain)
                    .withMessageContaining("The device is closed");
        }

        @Test
        void shouldCloseTheQueuePairsBeforeTheirCompletionQueue() {
            QueuePair qp = fixture.readyDatagram();

            fixture.cq.close();

            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(qp::queryState)
                    .withMessageContaining("The queue pair is closed");
            assertThatExceptionOfType(RdmaVerbsException.class)
                    .isThrownBy(() -> fixture.create(QueuePairType.UD))
                    .withMessageContaining("The completion queue is closed");
        }

        @Test
        void shouldIgnoreASecondClose() {
            for (int i = 0; i < 20; i++) {
                CompletionQueue cq = fixture.context.createCompletionQueue(16);
                QueuePair qp = fixture.create(QueuePairType.RC);
                MemoryRegion region = fixture.register(4096, AccessFlag.LOCAL_WRITE);
                for (int again = 0; again < 2; again++) {
                    qp.close();
                    region.close();
                    cq.close();
                }
            }
            assertThatCode(fixture.domain::close).doesNotThrowAnyException();
            assertThatCode(fixture.domain::close).doesNotThrowAnyException();
        }

        @Test
        void shouldCloseAQueuePairWithOutstandingWork() {
            QueuePair qp = fixture.readyDatagram();
            MemoryRegion inbox = fixture.register(4096, AccessFlag.LOCAL_WRITE);
            assertThat(postReceive(qp, 1, inbox)).isZero();

            qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
            fixture.await(1);
            qp.close();

            assertThat(fixture.completions.status(0)).isEqualTo(CompletionStatus.WR_FLUSH_ERR);
            assertThat(fixture.completions.wrId(0)).isEqualTo(1);
        }
    }
}
