package io.rdmarpc.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.verbs.attributes.AccessFlag;
import io.rdmarpc.verbs.attributes.AddressHandleAttributes;
import io.rdmarpc.verbs.attributes.GidEntry;
import io.rdmarpc.verbs.attributes.GidType;
import io.rdmarpc.verbs.attributes.QueuePairAttributes;
import io.rdmarpc.verbs.attributes.QueuePairCapabilities;
import io.rdmarpc.verbs.attributes.QueuePairState;
import io.rdmarpc.verbs.attributes.QueuePairType;
import io.rdmarpc.verbs.error.Errno;
import io.rdmarpc.verbs.error.RdmaVerbsException;
import io.rdmarpc.verbs.error.RdmaWorkRequestException;
import io.rdmarpc.verbs.mr.MemoryRegion;
import io.rdmarpc.verbs.wr.ReceiveRequests;
import io.rdmarpc.verbs.wr.SendRequests;
import io.rdmarpc.verbs.wr.WorkCompletions;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** LT-11: one object of each kind. One or two threads close them in an order that a seed determines. */
public final class ClosingOrder {

    private static final int PORT = 1;
    private static final long PATIENCE_SECONDS = 60;

    private final RdmaContext context;
    private final Map<String, AutoCloseable> objects = new LinkedHashMap<>();

    private ClosingOrder(RdmaContext context) {
        this.context = context;
    }

    /** Creates all objects that the provider supports, with outstanding work. */
    public static ClosingOrder of(RdmaContext context, Arena arena) {
        ClosingOrder order = new ClosingOrder(context);
        order.create(arena);
        return order;
    }

    private void create(Arena arena) {
        objects.put("context", context);
        ProtectionDomain domain = put("domain", context.allocateProtectionDomain());
        put("other domain", context.allocateProtectionDomain());
        CompletionQueue sends = put("send queue", createQueueWithChannel());
        CompletionQueue receives = put("receive queue", context.createCompletionQueue(16));
        MemoryRegion memory =
                put("memory", domain.registerMemory(arena.allocate(4096, 4096), EnumSet.of(AccessFlag.LOCAL_WRITE)));
        QueuePair datagrams = put("datagrams", domain.createQueuePair(config(QueuePairType.UD, sends, receives)));
        put("connection", domain.createQueuePair(config(QueuePairType.RC, receives, sends)));
        put("connection with one queue", domain.createQueuePair(config(QueuePairType.RC, sends, sends)));
        put("handle", domain.createAddressHandle(self()));
        optional(() -> put("window", domain.allocateMemoryWindow()));
        optional(() -> put("shared receives", domain.createSharedReceiveQueue(4, 1)));
        postReceive(datagrams, memory, arena);
    }

    private CompletionQueue createQueueWithChannel() {
        List<CompletionQueue> made = new ArrayList<>();
        optional(() -> {
            CompletionChannel channel = put("channel", context.createCompletionChannel());
            made.add(context.createCompletionQueue(16, channel));
        });
        return made.isEmpty() ? context.createCompletionQueue(16) : made.getFirst();
    }

    private <T extends AutoCloseable> T put(String name, T object) {
        objects.put(name, object);
        return object;
    }

    /** Skips objects that the provider does not support. */
    private static void optional(Runnable create) {
        try {
            create.run();
        } catch (RdmaVerbsException e) {
            assertThat(e.errno()).isEqualTo(Errno.EOPNOTSUPP);
        }
    }

    private static QueuePairConfig config(QueuePairType type, CompletionQueue sends, CompletionQueue receives) {
        return new QueuePairConfig(type, sends, receives, new QueuePairCapabilities(4, 4, 1, 1, 0), false);
    }

    private AddressHandleAttributes self() {
        GidEntry gid = context.gidTable(PORT).stream()
                .filter(entry -> entry.type() == GidType.ROCE_V2 && entry.gid().isIpv4Mapped())
                .findFirst()
                .orElseThrow();
        return AddressHandleAttributes.to(gid.gid(), context.queryPort(PORT).lid(), gid.index(), PORT);
    }

    private static void postReceive(QueuePair datagrams, MemoryRegion memory, Arena arena) {
        datagrams.modify(new QueuePairAttributes()
                .state(QueuePairState.INIT)
                .pkeyIndex(0)
                .portNumber(PORT)
                .qkey(1));
        ReceiveRequests requests = ReceiveRequests.allocate(arena, 1);
        MemorySegment into = memory.segment();
        requests.set(0, 1, into.address(), (int) into.byteSize(), memory.lkey());
        requests.chain(0, 1);
        assertThat(datagrams.postReceive(requests, 0)).isZero();
    }

    private List<String> shuffled(long seed) {
        List<String> names = new ArrayList<>(objects.keySet());
        Collections.shuffle(names, new Random(seed));
        return names;
    }

    /** Closes each object twice, in an order that the seed determines. */
    public void close(long seed) {
        List<String> order = shuffled(seed);
        for (String name : order) {
            closeTwice(name, seed, order);
        }
        checkThatAllIsClosed();
    }

    /** Two threads close all objects, each in its own order. */
    public void closeByTwoThreads(long seed) throws InterruptedException, ExecutionException, TimeoutException {
        FutureTask<Void> other =
                new FutureTask<>(() -> shuffled(~seed).forEach(name -> closeTwice(name, ~seed, List.of())), null);
        Thread.ofPlatform().daemon().start(other);
        shuffled(seed).forEach(name -> closeTwice(name, seed, List.of()));
        other.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        checkThatAllIsClosed();
    }

    private void closeTwice(String name, long seed, List<String> order) {
        try {
            objects.get(name).close();
            objects.get(name).close();
        } catch (Exception e) {
            throw new AssertionError("closing " + name + ", seed " + seed + ", order " + order, e);
        }
    }

    private void checkThatAllIsClosed() {
        assertThatExceptionOfType(RdmaVerbsException.class).isThrownBy(context::allocateProtectionDomain);
        QueuePair datagrams = (QueuePair) objects.get("datagrams");
        assertThatExceptionOfType(RdmaWorkRequestException.class)
                .isThrownBy(() -> datagrams.postSend(SendRequests.allocate(Arena.ofAuto(), 1, 1), 0))
                .withMessageContaining("closed");
        assertThat(((CompletionQueue) objects.get("receive queue"))
                        .poll(WorkCompletions.allocate(Arena.ofAuto(), 1), 1))
                .isEqualTo(-Errno.EINVAL);
    }
}
