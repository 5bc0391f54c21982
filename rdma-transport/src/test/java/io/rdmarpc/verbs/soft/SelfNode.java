package io.rdmarpc.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.Gid;
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
import java.util.Map;
import java.util.Set;

/** An RNIC as users open it, over real sockets, with datagram queue pairs that send to themselves. */
final class SelfNode implements AutoCloseable {

    private static final long PATIENCE_NANOS = 20_000_000_000L;
    private static final int GRH_BYTES = 40;

    final RdmaContext context;
    final Arena arena = Arena.ofShared();
    final ProtectionDomain domain;
    final MemoryRegion memory;
    final WorkCompletions completions = WorkCompletions.allocate(arena, 16);
    private final CompletionQueue sendCq;

    SelfNode(Map<String, String> options) {
        context = new SoftProvider().devices(options).getFirst().open();
        domain = context.allocateProtectionDomain();
        memory = domain.registerMemory(arena.allocate(4096), Set.of(AccessFlag.LOCAL_WRITE));
        sendCq = context.createCompletionQueue(16);
    }

    /** One queue pair; each of its two methods is for one thread. */
    final class Sender {

        private final QueuePair qp;
        private final AddressHandle self;
        private final SendRequests sends = SendRequests.allocate(arena, 1, 1);
        private final ReceiveRequests receives = ReceiveRequests.allocate(arena, 1);

        Sender(CompletionQueue receiveCq, int depth) {
            QueuePairCapabilities sizes = new QueuePairCapabilities(depth, depth, 1, 1, 0);
            qp = domain.createQueuePair(new QueuePairConfig(QueuePairType.UD, sendCq, receiveCq, sizes, false));
            qp.modify(new QueuePairAttributes()
                    .state(QueuePairState.INIT)
                    .pkeyIndex(0)
                    .portNumber(1)
                    .qkey(TestNode.QKEY));
            qp.modify(new QueuePairAttributes().state(QueuePairState.RTR));
            qp.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(0));
            self = domain.createAddressHandle(AddressHandleAttributes.to(
                    Gid.of(TestNode.LOOPBACK), context.queryPort(1).lid(), 0, 1));
        }

        void receive(long wrId) {
            receives.set(0, wrId, memory.address(), 64, memory.lkey());
            receives.chain(0, 1);
            assertThat(qp.postReceive(receives, 0)).isZero();
        }

        /** Sends unsignaled. */
        void send(int flags) {
            sends.set(0, 0, SendOpcode.SEND, flags, 1);
            sends.setSge(0, 0, memory.address() + GRH_BYTES, 8, memory.lkey());
            sends.setDatagram(0, self.handle(), qp.number(), TestNode.QKEY);
            sends.chain(0, 1);
            assertThat(qp.postSend(sends, 0)).isZero();
        }

        /** Completes all receives with an error. */
        void fail() {
            qp.modify(new QueuePairAttributes().state(QueuePairState.ERR));
        }

        void sendSolicited() {
            send(SendFlags.SOLICITED);
        }
    }

    /** Polls until this number of completions has arrived. */
    void take(CompletionQueue cq, int count) {
        long end = System.nanoTime() + PATIENCE_NANOS;
        for (int taken = 0; taken < count; ) {
            int more = cq.poll(completions, count - taken);
            assertThat(more).isNotNegative();
            taken += more;
            assertThat(System.nanoTime() - end).as("completions: %s", taken).isNegative();
        }
    }

    @Override
    public void close() {
        context.close();
        arena.close();
    }
}
