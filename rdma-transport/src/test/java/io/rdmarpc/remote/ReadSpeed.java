package io.rdmarpc.remote;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.rpc.RpcConfig;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.verbs.AccessFlag;
import io.rdmarpc.verbs.CompletionQueue;
import io.rdmarpc.verbs.CompletionStatus;
import io.rdmarpc.verbs.ConnectionSettings;
import io.rdmarpc.verbs.MemoryRegion;
import io.rdmarpc.verbs.PortGids;
import io.rdmarpc.verbs.ProtectionDomain;
import io.rdmarpc.verbs.QueuePair;
import io.rdmarpc.verbs.QueuePairCapabilities;
import io.rdmarpc.verbs.QueuePairConfig;
import io.rdmarpc.verbs.QueuePairConnector;
import io.rdmarpc.verbs.QueuePairType;
import io.rdmarpc.verbs.RdmaContext;
import io.rdmarpc.verbs.SendFlags;
import io.rdmarpc.verbs.SendOpcode;
import io.rdmarpc.verbs.SendRequests;
import io.rdmarpc.verbs.VerbsProviders;
import io.rdmarpc.verbs.WorkCompletions;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * How fast READs of 1 MiB are, 16 at a time: of a region of remote memory, and of bare verbs on the same provider, in turns.
 * Not a test: what it prints depends on what else the machine does.
 *
 * <pre>
 *   -Dshm=false   by UDP instead of shared memory
 *   -Dcount=4000  READs of each kind and round
 * </pre>
 */
public final class ReadSpeed {

    private static final int BYTES = 1 << 20;
    private static final int AT_A_TIME = 16;
    private static final int ROUNDS = 5;
    private static final int COUNT = Integer.getInteger("count", 4000);
    private static final double PERCENT = 100;

    private ReadSpeed() {}

    /** Runs it. */
    public static void main(String[] args) {
        for (int round = 1; round <= ROUNDS; round++) {
            double bare = verbs();
            double remote = remoteMemory();
            System.out.printf(
                    Locale.ROOT,
                    "round %d: verbs %.2f GB/s, remote memory %.2f GB/s, %.0f %%%n",
                    round,
                    bare,
                    remote,
                    PERCENT * remote / bare);
        }
    }

    private static Map<String, String> options(String progress) {
        Map<String, String> options = new HashMap<>(Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"));
        options.put("soft.shared-memory.enabled", System.getProperty("shm", "true"));
        if (!progress.isEmpty()) {
            options.put("soft.progress", progress);
        }
        return options;
    }

    private static RdmaContext open(String progress) {
        return VerbsProviders.open("soft", VerbsProviders.AUTO, 1, options(progress))
                .context();
    }

    /** Bytes for each nanosecond, which is GB/s. */
    private static double verbs() {
        try (Arena arena = Arena.ofShared();
                RdmaContext owner = open("thread");
                RdmaContext user = open("owner");
                ProtectionDomain there = owner.allocateProtectionDomain();
                ProtectionDomain here = user.allocateProtectionDomain();
                CompletionQueue unused = owner.createCompletionQueue(1);
                CompletionQueue completions = user.createCompletionQueue(2 * AT_A_TIME);
                MemoryRegion from = there.registerMemory(
                        owner.allocateLendable(arena, (long) BYTES * AT_A_TIME),
                        Set.of(AccessFlag.REMOTE_READ, AccessFlag.LOCAL_WRITE));
                MemoryRegion into = here.registerMemory(
                        user.allocateLendable(arena, (long) BYTES * AT_A_TIME), Set.of(AccessFlag.LOCAL_WRITE));
                QueuePair answering = there.createQueuePair(config(unused));
                QueuePair asking = here.createQueuePair(config(completions))) {
            connect(owner, answering, user, asking);
            SendRequests request = SendRequests.allocate(arena, 1, 1);
            WorkCompletions ended = WorkCompletions.allocate(arena, AT_A_TIME);
            long start = System.nanoTime();
            for (int posted = 0, done = 0; done < COUNT; ) {
                for (; posted < COUNT && posted - done < AT_A_TIME; posted++) {
                    post(asking, request, posted, into, from);
                }
                done += checked(ended, completions.poll(ended, AT_A_TIME));
            }
            return (double) COUNT * BYTES / (System.nanoTime() - start);
        }
    }

    private static QueuePairConfig config(CompletionQueue completions) {
        QueuePairCapabilities capabilities = new QueuePairCapabilities(2 * AT_A_TIME, 1, 1, 1, 0);
        return new QueuePairConfig(QueuePairType.RC, completions, completions, capabilities, false).unchecked();
    }

    private static void connect(RdmaContext owner, QueuePair answering, RdmaContext user, QueuePair asking) {
        ConnectionSettings settings = ConnectionSettings.DEFAULTS.withAccess(AccessFlag.REMOTE_READ);
        QueuePairConnector one = QueuePairConnector.prepare(
                answering, owner, 1, PortGids.of(owner, 1).choose(PortGids.BY_TYPE), settings);
        QueuePairConnector other =
                QueuePairConnector.prepare(asking, user, 1, PortGids.of(user, 1).choose(PortGids.BY_TYPE), settings);
        one.complete(other.endpoint());
        other.complete(one.endpoint());
    }

    private static void post(QueuePair asking, SendRequests request, int number, MemoryRegion into, MemoryRegion from) {
        long at = (long) (number % AT_A_TIME) * BYTES;
        request.set(0, number, SendOpcode.RDMA_READ, SendFlags.SIGNALED, 1);
        request.setSge(0, 0, into.address() + at, BYTES, into.lkey());
        request.setRemote(0, from.address() + at, from.rkey());
        request.chain(0, 1);
        asking.postSend(request, 0);
    }

    private static int checked(WorkCompletions ended, int count) {
        for (int i = 0; i < count; i++) {
            if (ended.status(i) != CompletionStatus.SUCCESS) {
                throw new IllegalStateException("a READ ended with status " + ended.status(i));
            }
        }
        return Math.max(0, count);
    }

    private static double remoteMemory() {
        NicConfig nic = NicConfig.DEFAULTS.withProvider("soft", options(""));
        RemoteMemoryConfig config = RemoteMemoryConfig.DEFAULTS.withProvider("soft", options(""));
        try (RdmaRuntime owning = RdmaRuntime.open(nic, RpcConfig.DEFAULTS);
                RdmaRuntime using = RdmaRuntime.open(nic, RpcConfig.DEFAULTS);
                RpcServer server = Memories.listen(owning);
                RemoteMemory owner = RemoteMemory.open(owning, config);
                RemoteMemory user = RemoteMemory.open(using, config);
                RemotePeer peer = user.peer("owner", server.address());
                RemoteRegion region = peer.allocate((long) BYTES * AT_A_TIME, Duration.ofMinutes(5));
                LocalRegion local = user.allocateLocal((long) BYTES * AT_A_TIME)) {
            region.read(0, local.slice());
            CompletableFuture<?>[] last = new CompletableFuture<?>[AT_A_TIME];
            long start = System.nanoTime();
            for (int i = 0; i < COUNT; i++) {
                int place = i % AT_A_TIME;
                long at = (long) place * BYTES;
                if (last[place] != null) {
                    last[place].join();
                }
                last[place] = region.readAsync(at, local.slice(at, BYTES));
            }
            CompletableFuture.allOf(last).join();
            double speed = (double) COUNT * BYTES / (System.nanoTime() - start);
            if (owner.statistics().lending().regions() != 1) {
                throw new IllegalStateException("the owner lends something else");
            }
            return speed;
        }
    }
}
