package io.rdmarpc.benchmarks.memory;

import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.VerbsProviders;
import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.connect.ConnectionSettings;
import io.rdmarpc.verbs.connect.PortGids;
import io.rdmarpc.verbs.connect.QueuePairConnector;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.CompletionStatus;
import io.rdmarpc.verbs.wr.SendFlags;
import io.rdmarpc.verbs.wr.SendOpcode;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.util.Map;
import java.util.Set;

/** READs by verbs between two devices: the owner's device has a progress thread, the reader polls. */
final class BareReads implements Reads {

    private final Arena arena = Arena.ofShared();
    private final RdmaContext owner;
    private final RdmaContext user;
    private final CompletionQueue completions;
    private final MemoryRegion from;
    private final MemoryRegion into;
    private final QueuePair requester;
    private final SendRequests request = SendRequests.allocate(arena, 1, 1);
    private final WorkCompletions ended = WorkCompletions.allocate(arena, AT_A_TIME);

    /** Connects over shared memory or over UDP. */
    BareReads(boolean sharedMemory) {
        owner = open(sharedMemory, "thread");
        user = open(sharedMemory, "owner");
        ProtectionDomain there = owner.allocateProtectionDomain();
        ProtectionDomain here = user.allocateProtectionDomain();
        completions = user.createCompletionQueue(2 * AT_A_TIME);
        from = there.registerMemory(
                owner.allocateLendable(arena, (long) BYTES * AT_A_TIME),
                Set.of(AccessFlag.REMOTE_READ, AccessFlag.LOCAL_WRITE));
        into = here.registerMemory(
                user.allocateLendable(arena, (long) BYTES * AT_A_TIME), Set.of(AccessFlag.LOCAL_WRITE));
        requester = here.createQueuePair(config(completions));
        connect(there.createQueuePair(config(owner.createCompletionQueue(1))));
    }

    private static RdmaContext open(boolean sharedMemory, String progress) {
        Map<String, String> options = Reads.options(sharedMemory);
        options.put("soft.progress", progress);
        return VerbsProviders.open("soft", VerbsProviders.AUTO, 1, options).context();
    }

    private static QueuePairConfig config(CompletionQueue completions) {
        QueuePairCapabilities capabilities = new QueuePairCapabilities(2 * AT_A_TIME, 1, 1, 1, 0);
        return new QueuePairConfig(QueuePairType.RC, completions, completions, capabilities, false).unchecked();
    }

    private void connect(QueuePair responder) {
        QueuePairConnector one = connector(responder, owner);
        QueuePairConnector other = connector(requester, user);
        one.complete(other.endpoint());
        other.complete(one.endpoint());
    }

    private static QueuePairConnector connector(QueuePair pair, RdmaContext context) {
        ConnectionSettings settings = ConnectionSettings.DEFAULTS.withAccess(AccessFlag.REMOTE_READ);
        return QueuePairConnector.prepare(
                pair, context, 1, PortGids.of(context, 1).choose(PortGids.BY_TYPE), settings);
    }

    @Override
    public double measure(int count) {
        long start = System.nanoTime();
        for (int posted = 0, done = 0; done < count; ) {
            for (; posted < count && posted - done < AT_A_TIME; posted++) {
                post(posted);
            }
            done += checked(completions.poll(ended, AT_A_TIME));
        }
        return (double) count * BYTES / (System.nanoTime() - start);
    }

    private void post(int number) {
        long at = (long) (number % AT_A_TIME) * BYTES;
        request.set(0, number, SendOpcode.RDMA_READ, SendFlags.SIGNALED, 1);
        request.setSge(0, 0, into.address() + at, BYTES, into.lkey());
        request.setRemote(0, from.address() + at, from.rkey());
        request.chain(0, 1);
        requester.postSend(request, 0);
    }

    private int checked(int count) {
        for (int i = 0; i < count; i++) {
            if (ended.status(i) != CompletionStatus.SUCCESS) {
                throw new IllegalStateException("a READ failed with status " + ended.status(i));
            }
        }
        return Math.max(0, count);
    }

    /** Closes the devices, which also closes all objects created from them. */
    @Override
    public void close() {
        user.close();
        owner.close();
        arena.close();
    }
}
