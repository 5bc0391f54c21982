package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.attributes.PathMtu;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/** An open device with the objects that most tests need. Peers are other queue pairs of the same device. */
final class DeviceFixture implements AutoCloseable {

    static final int PORT = 1;
    static final int QKEY = 0x1111_1111;

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    final Arena arena = Arena.ofShared();
    final RdmaContext context;
    final ProtectionDomain domain;
    final CompletionQueue cq;
    final GidEntry gid;
    final WorkCompletions completions = WorkCompletions.allocate(arena, 16);

    DeviceFixture() {
        context = new IbverbsProvider().devices(Map.of()).getFirst().open();
        domain = context.allocateProtectionDomain();
        cq = context.createCompletionQueue(64);
        gid = context.gidTable(PORT).stream()
                .filter(entry -> entry.type() == GidType.ROCE_V2 && entry.gid().isIpv4Mapped())
                .findFirst()
                .orElseThrow();
    }

    MemoryRegion register(long bytes, AccessFlag... access) {
        MemorySegment memory = arena.allocate(bytes, 4096);
        return domain.registerMemory(memory, access.length == 0 ? Set.of() : EnumSet.of(access[0], access));
    }

    QueuePair create(QueuePairType type) {
        return domain.createQueuePair(config(type, new QueuePairCapabilities(16, 16, 2, 2, 64)));
    }

    QueuePairConfig config(QueuePairType type, QueuePairCapabilities capabilities) {
        return new QueuePairConfig(type, cq, cq, capabilities, false);
    }

    AddressHandleAttributes self() {
        return AddressHandleAttributes.to(gid.gid(), 0, gid.index(), PORT);
    }

    QueuePair readyDatagram() {
        QueuePair qp = create(QueuePairType.UD);
        makeReady(qp);
        return qp;
    }

    void makeReady(QueuePair datagrams) {
        datagrams.modify(toInit().qkey(QKEY));
        datagrams.modify(new QueuePairAttributes().state(QueuePairState.RTR));
        datagrams.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(1));
    }

    /** Sends a datagram of 16 bytes: completion 1 is that of the receiver, 2 that of the sender. */
    void exchangeDatagram(int immediate) {
        QueuePair qp = readyDatagram();
        MemoryRegion memory = register(256, AccessFlag.LOCAL_WRITE);
        ReceiveRequests receive = ReceiveRequests.allocate(arena, 1, 2);
        receive.set(0, 1, 2);
        receive.setSge(0, 0, memory.address(), 40, memory.lkey());
        receive.setSge(0, 1, memory.address() + 64, 16, memory.lkey());
        SendRequests send = SendRequests.allocate(arena, 1, 1);
        send.set(0, 2, SendOpcode.SEND_WITH_IMM, SendFlags.SIGNALED, 1);
        send.setSge(0, 0, memory.address() + 128, 16, memory.lkey());
        send.setDatagram(0, domain.createAddressHandle(self()).handle(), qp.number(), QKEY);
        send.setImmediate(0, immediate);
        assertThat(qp.postReceive(receive, 0)).isZero();
        assertThat(qp.postSend(send, 0)).isZero();
        await(2);
    }

    void connect(QueuePair one, QueuePair other) {
        for (QueuePair qp : new QueuePair[] {one, other}) {
            qp.modify(toInit().accessFlags(AccessFlag.REMOTE_READ.bit() | AccessFlag.REMOTE_WRITE.bit()));
        }
        one.modify(toRtr(other));
        other.modify(toRtr(one));
        one.modify(toRts());
        other.modify(toRts());
    }

    QueuePairAttributes toInit() {
        return new QueuePairAttributes().state(QueuePairState.INIT).pkeyIndex(0).portNumber(PORT);
    }

    QueuePairAttributes toRtr(QueuePair peer) {
        return new QueuePairAttributes()
                .state(QueuePairState.RTR)
                .addressVector(self())
                .pathMtu(PathMtu.MTU_1024)
                .destinationQpn(peer.number())
                .receivePsn(1)
                .maxDestReadAtomic(4)
                .minRnrTimer(12);
    }

    static QueuePairAttributes toRts() {
        return new QueuePairAttributes()
                .state(QueuePairState.RTS)
                .sendPsn(1)
                .timeout(14)
                .retryCount(7)
                .rnrRetry(7)
                .maxReadAtomic(4);
    }

    /** Polls until this many completions are in the entries from 0. */
    void await(int count) {
        Instant end = Instant.now().plus(PATIENCE);
        WorkCompletions one = WorkCompletions.allocate(arena, 1);
        for (int i = 0; i < count; ) {
            assertThat(Instant.now()).as("completion %s of %s", i + 1, count).isBefore(end);
            int taken = cq.poll(one, 1);
            assertThat(taken).isNotNegative();
            if (taken == 1) {
                completions.set(
                        i,
                        one.wrId(0),
                        one.status(0),
                        one.opcode(0),
                        one.vendorError(0),
                        one.byteLength(0),
                        one.qpNumber(0),
                        one.sourceQp(0),
                        one.flags(0));
                completions.setImmediate(i++, one.immediate(0));
            }
        }
    }

    /** Returns the completion with this identifier among the first {@code count}. */
    int indexOf(long wrId, int count) {
        for (int i = 0; i < count; i++) {
            if (completions.wrId(i) == wrId) {
                return i;
            }
        }
        throw new AssertionError("no completion " + wrId);
    }

    @Override
    public void close() {
        context.close();
        arena.close();
    }
}
