package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.TestSeed;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcRequest;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Calls over a network that loses, duplicates, reorders and corrupts packets: every response is right, every method
 * runs once.
 */
@Timeout(600)
class LossTest {

    private static final String SERVICE = "test.Counted";
    private static final int CALLERS = 16;
    private static final int CALLS = 2_000;
    /** Each hundred calls take seconds of waiting. */
    private static final int UNLUCKY_CALLS = Integer.getInteger("rdma.test.unlucky-calls", 160);

    private static final ServiceContract.Method ON_EXECUTOR = method("byte[] onExecutor(byte[])");
    private static final ServiceContract.Method ON_ENGINE = method("byte[] onEngine(byte[])");

    /** How often each call was run; the first 8 bytes of a call are its number. */
    private final Map<Long, Integer> runs = new ConcurrentHashMap<>();

    private static ServiceContract.Method method(String signature) {
        return new ServiceContract.Method(ServiceContract.methodId(SERVICE, signature), signature);
    }

    private void countAndEcho(RpcRequest request) {
        MemorySegment payload = request.message().payload();
        runs.merge(payload.get(ValueLayout.JAVA_LONG_UNALIGNED, 0), 1, Integer::sum);
        MessageBuffer reply = request.allocate(request.message().length());
        MemorySegment.copy(payload, 0, reply.segment(), 0, payload.byteSize());
        reply.length(request.message().length());
        request.respond(reply);
    }

    @ParameterizedTest(name = "shared memory {0}, loss {1}, duplicates {2}, reordered {3}, corrupted {4}")
    @CsvSource({
        "true, 0.01, 0, 0, 0",
        "true, 0.1, 0.1, 0.1, 0",
        "true, 0.02, 0.3, 0.3, 0.02",
        "false, 0.1, 0.1, 0.1, 0",
        "false, 0.02, 0.3, 0.3, 0.02"
    })
    @DisplayName("LO-01 LO-02 LO-03 LO-04 LO-08 2000 calls, small and large, over a faulty network")
    void whenTheNetworkIsFaultyThenEveryResponseIsRightAndEveryCallRunsOnce(
            boolean sharedMemory, String loss, String duplicate, String reorder, String corrupt) {
        callAll(CALLS, sharedMemory, loss, duplicate, reorder, corrupt, LossTest::anySize);
    }

    /** Small calls only: the seven retries of a reliable connection are not enough for so faulty a network. */
    @ParameterizedTest(name = "shared memory {0}")
    @ValueSource(booleans = {true, false})
    @DisplayName(
            "LO-01 LO-02 LO-08 small calls (rdma.test.unlucky-calls) over a network that loses 30 % of the packets")
    void whenThreePacketsOfTenAreLostThenEveryResponseIsRightAndEveryCallRunsOnce(boolean sharedMemory) {
        callAll(UNLUCKY_CALLS, sharedMemory, "0.3", "0.1", "0.1", "0", LossTest::smallSize);
    }

    private static int anySize(SplittableRandom random) {
        return random.nextInt(20) == 0 ? 5_000 + random.nextInt(100_000) : smallSize(random);
    }

    private static int smallSize(SplittableRandom random) {
        return 8 + random.nextInt(3_000);
    }

    private void callAll(
            int calls,
            boolean sharedMemory,
            String loss,
            String duplicate,
            String reorder,
            String corrupt,
            ToIntFunction<SplittableRandom> sizes) {
        long seed = TestSeed.next();
        String[] faults = {
            "soft.shared-memory.enabled=" + sharedMemory,
            "soft.faults.loss=" + loss,
            "soft.faults.duplicate=" + duplicate,
            "soft.faults.reorder=" + reorder,
            "soft.faults.corrupt=" + corrupt,
            "soft.faults.seed=" + seed
        };
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
                RdmaRuntime serving = Runtimes.open(faults);
                RdmaRuntime calling = Runtimes.open(faults)) {
            serving.export(new ServiceExport(
                    new ServiceContract(SERVICE, List.of(ON_EXECUTOR, ON_ENGINE), List.of()),
                    List.of(
                            new ServiceExport.Method(ON_EXECUTOR.id(), this::countAndEcho, executor),
                            new ServiceExport.Method(ON_ENGINE.id(), this::countAndEcho, null))));
            RpcServer server = Runtimes.listen(serving);
            List<RpcChannel> channels = List.of(Runtimes.channel(calling, server), Runtimes.channel(calling, server));

            Runtimes.inParallel(CALLERS, number -> {
                SplittableRandom random = new SplittableRandom(seed + number);
                RpcSession session = channels.get(number % channels.size()).session(LONG);
                for (int i = 0; i < calls / CALLERS; i++) {
                    call(session, random, sizes.applyAsInt(random), number * 1_000_000L + i, seed);
                }
            });

            assertThat(runs.values())
                    .as("seed %d: executions per call", seed)
                    .hasSize(calls)
                    .allMatch(n -> n == 1);
            assertThat(channels).as("seed %d: no session was lost", seed).allMatch(RpcChannel::isConnected);
            assertThat(calling.statistics().clientSessions())
                    .as("seed %d", seed)
                    .isEqualTo(2);
        }
    }

    private static void call(RpcSession session, SplittableRandom random, int size, long number, long seed) {
        int method = random.nextBoolean() ? ON_EXECUTOR.id() : ON_ENGINE.id();
        byte[] payload = Echo.payload(size, random.nextLong());
        MemorySegment.ofArray(payload).set(ValueLayout.JAVA_LONG_UNALIGNED, 0, number);
        String difference;
        try {
            difference = Echo.difference(payload, Runtimes.get(Echo.call(session, method, payload, LONG)));
        } catch (RuntimeException e) {
            throw new AssertionError("seed " + seed + ", call " + number, e);
        }
        assertThat(difference).as("seed %d, call %d", seed, number).isNull();
    }
}
