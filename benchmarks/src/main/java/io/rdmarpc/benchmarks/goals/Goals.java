package io.rdmarpc.benchmarks.goals;

import static io.rdmarpc.benchmarks.goals.Metric.CLIENT_BYTES;
import static io.rdmarpc.benchmarks.goals.Metric.CPU;
import static io.rdmarpc.benchmarks.goals.Metric.IDLE_CLIENT;
import static io.rdmarpc.benchmarks.goals.Metric.IDLE_SERVER;
import static io.rdmarpc.benchmarks.goals.Metric.P50;
import static io.rdmarpc.benchmarks.goals.Metric.P99;
import static io.rdmarpc.benchmarks.goals.Metric.P99_9;
import static io.rdmarpc.benchmarks.goals.Metric.RATE;
import static io.rdmarpc.benchmarks.goals.Metric.SERVER_BYTES;
import static io.rdmarpc.benchmarks.load.Callers.ASYNC;
import static io.rdmarpc.benchmarks.load.Callers.PLATFORM;
import static io.rdmarpc.benchmarks.load.Callers.VIRTUAL;
import static io.rdmarpc.benchmarks.load.Payload.B32;
import static io.rdmarpc.benchmarks.load.Payload.KIB64;
import static io.rdmarpc.benchmarks.load.Payload.MIB1;
import static io.rdmarpc.benchmarks.load.Payload.ORDER;
import static io.rdmarpc.benchmarks.peer.Peers.AERON_IPC;
import static io.rdmarpc.benchmarks.peer.Peers.AERON_IPC_BY_HAND;
import static io.rdmarpc.benchmarks.peer.Peers.AERON_UDP;
import static io.rdmarpc.benchmarks.peer.Peers.AERON_UDP_8K;
import static io.rdmarpc.benchmarks.peer.Peers.AERON_UDP_BY_HAND;
import static io.rdmarpc.benchmarks.peer.Peers.ENGINE_ARRAYS;
import static io.rdmarpc.benchmarks.peer.Peers.ENGINE_BUFFERS;
import static io.rdmarpc.benchmarks.peer.Peers.ENGINE_UDP;
import static io.rdmarpc.benchmarks.peer.Peers.ENGINE_UDP_SINGLE;
import static io.rdmarpc.benchmarks.peer.Peers.GRPC_ASYNC;
import static io.rdmarpc.benchmarks.peer.Peers.GRPC_BLOCKING;
import static io.rdmarpc.benchmarks.peer.Peers.KRYO_TCP;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_100_SESSIONS;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_ALONE;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_BY_HAND;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_INLINE;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_STOCK;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_TURNED;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_UDP;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_VIRTUAL;

import io.rdmarpc.benchmarks.goals.Task.Circumstances;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.peer.OrderCosts;
import io.rdmarpc.benchmarks.peer.Peers;
import io.rdmarpc.benchmarks.probe.Probes;
import io.rdmarpc.benchmarks.table.EngineTable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The scored table: every goal, what it compares, and the bound. What has to be measured follows from the rows. */
final class Goals {

    static final Task ORDER_1 = Task.of(ORDER, PLATFORM, 1);
    private static final Task ORDER_16 = Task.of(ORDER, ASYNC, 16);
    static final Task ORDER_128 = Task.of(ORDER, ASYNC, 128);
    private static final Task PACED = ORDER_128.when(Circumstances.PACED);
    private static final Task BUSY = ORDER_16.when(Circumstances.BESIDE_A_BUSY_PROCESS);
    private static final Task IDLE = ORDER_1.when(Circumstances.AFTER_IDLE);
    private static final Task BYTES_1 = Task.of(B32, PLATFORM, 1);
    static final Task BYTES_128 = Task.of(B32, ASYNC, 128);
    private static final Task LARGE_1 = Task.of(MIB1, PLATFORM, 1);
    private static final Task MIDDLE_16 = Task.of(KIB64, ASYNC, 16);

    /** Whose rate the paced runs take half of. */
    static final Need.Calls PACE = new Need.Calls(SPRING_INLINE, ORDER_128);

    private static final Figure FLAG = probeOfTwo("flag-ping-pong, a round trip", "us", 2, "flag-ping-pong");
    private static final Figure BARE_UDP = probeOfTwo("mmsg-echo, 32 B in batches of 16", "/s", 1e6, "mmsg-echo");
    private static final Figure DATAGRAM =
            probeOfTwo("datagram-ping-pong, a round trip", "us", 2, "datagram-ping-pong");
    private static final Figure COPY = probeOfOne("memcpy over 256 MiB", "MiB/s", 1, "memcpy");
    private static final Figure COPY_IN_CACHE = probeOfOne("memcpy in the caches", "MiB/s", 1, "memcpy", "--span", "1");
    private static final Figure CODEC =
            Figure.of("its codec", "in process", "us", 1, Need.Program.of(OrderCosts.class, "codec"));
    private static final Figure OWN_OBJECTS =
            Figure.of("the user's own objects", "in process", "B", 1, Need.Program.of(OrderCosts.class, "objects"));

    /** By the threads that call and poll, of both processes together: the least of twenty passes. */
    private static final Figure ENGINE_BYTES = Figure.of(
            "engine, message buffers",
            "message buffers; inline on the polling thread; busy polling thread at the server, the waiting caller at the client",
            "B",
            1,
            new Need.Program(
                    EngineTable.class.getName(),
                    List.of("--only", "bytes allocated", "--runs", "1"),
                    "bytes allocated \\| (\\d+\\.\\d+)",
                    true));

    /** Starts with the starter and without it take turns; the medians of so many are compared. */
    private static final List<String> STARTS = List.of("11");

    private static final String APPLICATION =
            "no calls; web, actuator, validation, meters; adaptive polling thread, asleep";
    private static final Figure START_UP = Figure.of(
            "the starter, median of 11",
            APPLICATION,
            "ms",
            1,
            new Need.Program("benchmarks/start-up", STARTS, "start of [^\\n]* (-?\\d+) ms more", true));
    private static final Figure MEMORY = Figure.of(
            "the starter, median of 11",
            APPLICATION,
            "MiB",
            1.0 / 1024,
            new Need.Program("benchmarks/start-up", STARTS, "memory of [^\\n]* (-?\\d+) KiB more", true));

    private Goals() {}

    /** Of two processes, which are kept busy before for as long as those of everybody: a host may move CPUs apart then. */
    private static Figure probeOfTwo(String label, String unit, double factor, String name) {
        return probe(label, unit, factor, name, "--runs", "9", "--warm-up", Need.Program.WARM_UP);
    }

    private static Figure probeOfOne(String label, String unit, double factor, String... words) {
        List<String> all = new ArrayList<>(List.of(words));
        all.addAll(List.of("--runs", "1"));
        return probe(label, unit, factor, all.toArray(String[]::new));
    }

    private static Figure probe(String label, String unit, double factor, String... words) {
        return Figure.of(
                label, "nothing but this; busy threads, pinned", unit, factor, Need.Program.of(Probes.class, words));
    }

    /** What the machine allows, whoever uses it: listed in every report. */
    static List<Figure> machine() {
        return List.of(FLAG, DATAGRAM, BARE_UDP, COPY, COPY_IN_CACHE);
    }

    static List<Goal> all() {
        return Stream.of(orders(), bytes(), datagrams(), idle())
                .flatMap(List::stream)
                .toList();
    }

    private static List<Goal> orders() {
        Figure bestByHand =
                Figure.of(RATE, AERON_IPC_BY_HAND, ORDER_128).orMore(Figure.of(RATE, AERON_UDP_BY_HAND, ORDER_128));
        Figure bestStock = Figure.of(RATE, AERON_IPC, ORDER_128).orMore(Figure.of(RATE, AERON_UDP, ORDER_128));
        String caller = "order, 1 blocking caller, p50";
        String pipeline = "order, 128 outstanding, rate";
        return List.of(
                most("P1", "orders", caller, P50, SPRING_INLINE, AERON_IPC, ORDER_1, 0.8),
                most("P1", "orders", caller, P50, SPRING_INLINE, GRPC_BLOCKING, ORDER_1, 1.0 / 20),
                most("P1", "orders", caller, P50, SPRING_VIRTUAL, GRPC_BLOCKING, ORDER_1, 1.0 / 6),
                new Goal(
                        "P1",
                        "orders",
                        caller,
                        Figure.of(P50, SPRING_INLINE, ORDER_1).minus(CODEC),
                        null,
                        2.5,
                        true),
                least("P2", "orders", pipeline, RATE, SPRING_INLINE, GRPC_ASYNC, ORDER_128, 10),
                against("P2", pipeline + ", the same serializers", SPRING_BY_HAND, bestByHand, 1),
                against("P2", pipeline + ", the same serializers", SPRING_STOCK, bestStock, 1),
                against("P2", pipeline + ", ours against stock Kryo", SPRING_INLINE, bestStock, 1.5),
                callers(VIRTUAL, 16, 10),
                callers(VIRTUAL, 128, 10),
                callers(PLATFORM, 16, 5),
                callers(PLATFORM, 128, 5),
                tail("P9", "order, 128 virtual callers", Task.of(ORDER, VIRTUAL, 128), 5),
                tail("P9", "order, 128 platform callers", Task.of(ORDER, PLATFORM, 128), 5),
                most(
                        "P10",
                        "orders",
                        "order, 128 outstanding, CPU of both",
                        CPU,
                        SPRING_INLINE,
                        GRPC_ASYNC,
                        ORDER_128,
                        0.125),
                beyondOwn(CLIENT_BYTES, "client"),
                beyondOwn(SERVER_BYTES, "server"),
                tail("P14", "order, paced at half of P2's rate", PACED, 4),
                most(
                        "P14",
                        "orders",
                        "order, paced at half of P2's rate, p99.9",
                        P99_9,
                        SPRING_TURNED,
                        AERON_IPC,
                        PACED,
                        1),
                least(
                        "P15",
                        "orders",
                        "order, 16 outstanding beside a busy process, rate",
                        RATE,
                        SPRING_INLINE,
                        KRYO_TCP,
                        BUSY,
                        1),
                new Goal(
                        "P15",
                        "orders",
                        "order, 16 outstanding beside a busy process, p99.9",
                        Figure.of(P99_9, SPRING_INLINE, BUSY),
                        null,
                        2_000,
                        true));
    }

    private static Goal callers(Callers callers, int count, double bound) {
        Task task = Task.of(ORDER, callers, count);
        String text = "order, " + count + " blocking callers on " + callers + ", rate";
        return least("P9", "orders", text, RATE, SPRING_VIRTUAL, GRPC_BLOCKING, task, bound);
    }

    private static Goal tail(String id, String text, Task task, double bound) {
        Peers peer = id.equals("P9") ? SPRING_VIRTUAL : SPRING_TURNED;
        return new Goal(
                id,
                "orders",
                text + ", p99 beside its own p50",
                Figure.of(P99, peer, task),
                Figure.of(P50, peer, task),
                bound,
                true);
    }

    private static Goal against(String id, String text, Peers ours, Figure theirs, double bound) {
        return new Goal(id, "orders", text, Figure.of(RATE, ours, ORDER_128), theirs, bound, false);
    }

    private static Goal beyondOwn(Metric metric, String side) {
        return new Goal(
                "P12",
                "orders",
                "order, 1 blocking caller, allocated by all threads of the " + side + " beyond the user's own objects",
                Figure.of(metric, SPRING_INLINE, ORDER_1).minus(OWN_OBJECTS),
                null,
                256,
                true);
    }

    private static List<Goal> bytes() {
        String caller = "32 B, 1 blocking caller, p50";
        String large = "1 MiB, 1 blocking caller, p50";
        String middle = "64 KiB, 16 outstanding, rate";
        return List.of(
                new Goal("P3", "bytes", caller, Figure.of(P50, ENGINE_BUFFERS, BYTES_1), FLAG, 4, true),
                most("P3", "bytes", caller, P50, ENGINE_BUFFERS, AERON_IPC, BYTES_1, 1.5),
                new Goal(
                        "P4",
                        "bytes",
                        "32 B, 128 outstanding, rate",
                        Figure.of(RATE, ENGINE_BUFFERS, BYTES_128),
                        null,
                        2e6,
                        false),
                least("P4", "bytes", "32 B, 128 outstanding, rate", RATE, ENGINE_BUFFERS, AERON_IPC, BYTES_128, 1.5),
                most("P5", "bytes", large, P50, ENGINE_BUFFERS, AERON_IPC, LARGE_1, 0.5),
                most("P5", "bytes", large, P50, ENGINE_BUFFERS, GRPC_ASYNC, LARGE_1, 0.125),
                most("P5", "bytes", large, P50, ENGINE_ARRAYS, AERON_IPC, LARGE_1, 0.9),
                least("P6", "bytes", middle, RATE, ENGINE_BUFFERS, AERON_IPC, MIDDLE_16, 3),
                least("P6", "bytes", middle, RATE, ENGINE_ARRAYS, AERON_IPC, MIDDLE_16, 1.5),
                new Goal(
                        "P12",
                        "bytes",
                        "32 B, 1 blocking caller, allocated by the threads that call and poll, both sides together",
                        ENGINE_BYTES,
                        null,
                        0,
                        true),
                nothing(Metric.CLIENT_WHOLE_BYTES, "client"),
                nothing(Metric.SERVER_WHOLE_BYTES, "server"));
    }

    private static Goal nothing(Metric metric, String side) {
        return new Goal(
                "P12",
                "bytes",
                "32 B, 128 outstanding, allocated by all threads of the " + side + ", in whole bytes",
                Figure.of(metric, ENGINE_BUFFERS, BYTES_128),
                null,
                0,
                true);
    }

    private static List<Goal> datagrams() {
        return List.of(
                most("P7", "UDP", "32 B, 1 caller, p50", P50, ENGINE_UDP, AERON_UDP, BYTES_1, 1.2),
                least("P7", "UDP", "32 B, 128 outstanding, rate", RATE, ENGINE_UDP, AERON_UDP, BYTES_128, 1),
                new Goal(
                        "P7",
                        "UDP",
                        "32 B, 128 outstanding, one message a packet, rate",
                        Figure.of(RATE, ENGINE_UDP_SINGLE, BYTES_128),
                        BARE_UDP,
                        0.8,
                        false),
                most("P8", "UDP", "order, 1 blocking caller, p50", P50, SPRING_UDP, AERON_UDP, ORDER_1, 1.2),
                most("P8", "UDP", "1 MiB, 1 caller, p50", P50, ENGINE_UDP, AERON_UDP_8K, LARGE_1, 0.75));
    }

    private static List<Goal> idle() {
        return List.of(
                idleWith(IDLE_CLIENT, "client"),
                idleWith(IDLE_SERVER, "server"),
                new Goal(
                        "P11",
                        "idle",
                        "order, 1 blocking caller, the first call after 10 s, p50",
                        Figure.of(P50, SPRING_100_SESSIONS, IDLE),
                        null,
                        100,
                        true),
                new Goal(
                        "P13", "idle", "start of a Boot application, more with the starter", START_UP, null, 200, true),
                new Goal(
                        "P13",
                        "idle",
                        "resident memory of the same when idle, more with the starter",
                        MEMORY,
                        null,
                        64,
                        true));
    }

    private static Goal idleWith(Metric metric, String side) {
        return new Goal(
                "P11",
                "idle",
                "100 sessions that do nothing, CPU of the " + side + " above the application without the starter",
                Figure.of(metric, SPRING_100_SESSIONS, IDLE).minus(Figure.of(metric, SPRING_ALONE, IDLE)),
                null,
                1,
                true);
    }

    private static Goal most(
            String id, String group, String text, Metric metric, Peers ours, Peers theirs, Task task, double bound) {
        return new Goal(id, group, text, Figure.of(metric, ours, task), Figure.of(metric, theirs, task), bound, true);
    }

    private static Goal least(
            String id, String group, String text, Metric metric, Peers ours, Peers theirs, Task task, double bound) {
        return new Goal(id, group, text, Figure.of(metric, ours, task), Figure.of(metric, theirs, task), bound, false);
    }
}
