package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.OpenPort;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendRequests;
import java.lang.foreign.Arena;

/** Two queue pairs of one process, and an operation from the first to the second one until its completion. */
final class SelfLoop implements AutoCloseable {

    private static final int BYTES = 64;
    private static final QueuePairCapabilities CAPABILITIES = new QueuePairCapabilities(4, 4, 1, 1, 0);

    private final BenchmarkOperation operation;
    private final Wiring here;
    private final Wiring there;
    private final BenchmarkPoller sendCompletions;
    private final BenchmarkPoller receiveCompletions;
    private final SendRequests send;
    private final ReceiveRequests receive;

    SelfLoop(
            Arena arena,
            OpenPort port,
            ProtectionDomain domain,
            MemoryRegion memory,
            BenchmarkOperation operation,
            boolean checked) {
        this.operation = operation;
        here = new Wiring(port, domain, operation.type(), CAPABILITIES, checked);
        there = new Wiring(port, domain, operation.type(), CAPABILITIES, checked);
        here.connect(there.own(memory));
        there.connect(here.own(memory));
        sendCompletions = new BenchmarkPoller(arena, here.sendQueue(), 1);
        receiveCompletions = new BenchmarkPoller(arena, there.receiveQueue(), 1);
        send = SendRequests.allocate(arena, 1, 1);
        receive = ReceiveRequests.allocate(arena, 1);
        fill(memory);
    }

    private void fill(MemoryRegion memory) {
        long inbox = memory.address() + memory.segment().byteSize() / 2;
        send.set(0, 0, operation.opcode(), SendFlags.SIGNALED, 1);
        send.setSge(0, 0, memory.address(), BYTES, memory.lkey());
        send.chain(0, 1);
        if (here.addressHandle() != 0) {
            send.setDatagram(0, here.addressHandle(), there.queuePair().number(), Wiring.QKEY);
        } else if (!operation.takesReceive()) {
            send.setRemote(0, inbox, memory.rkey());
        }
        receive.set(0, 0, inbox, LatencyWorkload.GRH_BYTES + BYTES, memory.lkey());
        receive.chain(0, 1);
    }

    void repeat(int times) {
        for (int i = 0; i < times; i++) {
            once();
        }
    }

    private void once() {
        if (operation.takesReceive()) {
            Posts.check(there.queuePair().postReceive(receive, 0));
        }
        Posts.check(here.queuePair().postSend(send, 0));
        sendCompletions.await();
        if (operation.takesReceive()) {
            receiveCompletions.await();
        }
    }

    @Override
    public void close() {
        here.close();
        there.close();
    }
}
