package io.rdmarpc.verbs.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.attributes.AccessFlag;
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

/** A datagram queue pair that sends to itself: the simplest source of completions. */
final class SelfSender {

    static final int PAYLOAD = 64;
    static final int SLOT = 256;

    final QueuePair qp;
    final MemoryRegion memory;
    final AddressHandle self;
    private final SendRequests sends;
    private final ReceiveRequests receives;

    SelfSender(DeviceFixture fixture, CompletionQueue cq, int depth) {
        qp = fixture.domain.createQueuePair(
                new QueuePairConfig(QueuePairType.UD, cq, cq, new QueuePairCapabilities(depth, depth, 1, 1, 0), false));
        qp.modify(fixture.toInit().qkey(DeviceFixture.QKEY));
        qp.modify(new QueuePairAttributes().state(QueuePairState.RTR));
        qp.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(1));
        memory = fixture.register(SLOT, AccessFlag.LOCAL_WRITE);
        self = fixture.domain.createAddressHandle(fixture.self());
        sends = SendRequests.allocate(fixture.arena, 1, 1);
        receives = ReceiveRequests.allocate(fixture.arena, 1);
    }

    /** Posts a receive for {@link #PAYLOAD} bytes. */
    void receive(long wrId) {
        receive(wrId, SLOT);
    }

    void receive(long wrId, int bytes) {
        receives.set(0, wrId, memory.address(), bytes, memory.lkey());
        receives.chain(0, 1);
        assertThat(qp.postReceive(receives, 0)).isZero();
    }

    void send(long wrId) {
        sendTo(qp, wrId, SendFlags.SIGNALED);
    }

    /** Causes one completion: that of the receive. */
    void sendQuietly() {
        sendTo(qp, 0, 0);
    }

    void sendTo(QueuePair receiver, long wrId, int flags) {
        sends.set(0, wrId, SendOpcode.SEND, flags, 1);
        sends.setSge(0, 0, memory.address(), PAYLOAD, memory.lkey());
        sends.setDatagram(0, self.handle(), receiver.number(), DeviceFixture.QKEY);
        sends.chain(0, 1);
        assertThat(qp.postSend(sends, 0)).isZero();
    }

    /** Polls a queue until this many completions have arrived; fails after a timeout. */
    static void take(CompletionQueue cq, WorkCompletions into, int count) {
        long end = System.nanoTime() + 20_000_000_000L;
        for (int taken = 0; taken < count; ) {
            int now = cq.poll(into, Math.min(count - taken, into.capacity()));
            assertThat(now).isNotNegative();
            taken += now;
            assertThat(System.nanoTime() - end)
                    .as("%s of %s came", taken, count)
                    .isNegative();
        }
    }
}
