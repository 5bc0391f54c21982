package io.rdmarpc.docs;

import io.rdmarpc.verbs.AddressHandle;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.VerbsProviders;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Sends one datagram to itself. */
final class HelloVerbs {

    private static final int PORT = 1;
    private static final int QKEY = 0x1234_5678;
    private static final int GRH_BYTES = 40;

    private HelloVerbs() {}

    static String greet(String provider, Map<String, String> options) {
        try (Arena arena = Arena.ofShared();
                RdmaContext context =
                        VerbsProviders.open(provider, "auto", PORT, options).context();
                ProtectionDomain domain = context.allocateProtectionDomain();
                CompletionQueue queue = context.createCompletionQueue(16);
                MemoryRegion memory = domain.registerMemory(arena.allocate(4096), Set.of(AccessFlag.LOCAL_WRITE));
                QueuePair qp = ready(domain, queue);
                AddressHandle self = domain.createAddressHandle(toSelf(context))) {

            ReceiveRequests receive = ReceiveRequests.allocate(arena, 1);
            receive.set(0, 1, memory.address(), 2048, memory.lkey());
            receive.chain(0, 1);
            check(qp.postReceive(receive, 0));

            memory.segment().setString(2048, "hello, verbs");
            SendRequests send = SendRequests.allocate(arena, 1, 1);
            send.set(0, 2, SendOpcode.SEND, SendFlags.SIGNALED, 1);
            send.setSge(0, 0, memory.address() + 2048, 64, memory.lkey());
            send.setDatagram(0, self.handle(), qp.number(), QKEY);
            send.chain(0, 1);
            check(qp.postSend(send, 0));

            awaitBoth(queue, WorkCompletions.allocate(arena, 2));
            return memory.segment().getString(GRH_BYTES);
        }
    }

    private static QueuePair ready(ProtectionDomain domain, CompletionQueue queue) {
        QueuePairCapabilities sizes = new QueuePairCapabilities(8, 8, 1, 1, 0);
        QueuePair qp = domain.createQueuePair(new QueuePairConfig(QueuePairType.UD, queue, queue, sizes, false));
        qp.modify(new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .pkeyIndex(0)
                .portNumber(PORT)
                .qkey(QKEY));
        qp.modify(new QueuePairAttributes().state(QueuePairState.RTR));
        qp.modify(new QueuePairAttributes().state(QueuePairState.RTS).sendPsn(0));
        return qp;
    }

    private static AddressHandleAttributes toSelf(RdmaContext context) {
        GidEntry gid = context.gidTable(PORT).getFirst();
        return AddressHandleAttributes.to(gid.gid(), context.queryPort(PORT).lid(), gid.index(), PORT);
    }

    private static void awaitBoth(CompletionQueue queue, WorkCompletions completions) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        for (int left = 2; left > 0; ) {
            int taken = queue.poll(completions, left);
            check(taken < 0 ? taken : 0);
            for (int i = 0; i < taken; i++) {
                check(completions.status(i) - CompletionStatus.SUCCESS);
            }
            left -= taken;
            if (System.nanoTime() - end > 0) {
                throw new IllegalStateException("the datagram was lost");
            }
        }
    }

    private static void check(int error) {
        if (error != 0) {
            throw new IllegalStateException("error " + error);
        }
    }
}
