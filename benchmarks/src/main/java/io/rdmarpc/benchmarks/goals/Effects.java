package io.rdmarpc.benchmarks.goals;

import static io.rdmarpc.benchmarks.goals.Goals.BYTES_128;
import static io.rdmarpc.benchmarks.goals.Goals.ORDER_1;
import static io.rdmarpc.benchmarks.goals.Goals.ORDER_128;
import static io.rdmarpc.benchmarks.goals.Metric.CPU;
import static io.rdmarpc.benchmarks.goals.Metric.P50;
import static io.rdmarpc.benchmarks.goals.Metric.RATE;
import static io.rdmarpc.benchmarks.load.Callers.ASYNC;
import static io.rdmarpc.benchmarks.load.Callers.PLATFORM;
import static io.rdmarpc.benchmarks.load.Callers.VIRTUAL;
import static io.rdmarpc.benchmarks.load.Payload.ORDER;
import static io.rdmarpc.benchmarks.peer.Peers.ENGINE_UDP;
import static io.rdmarpc.benchmarks.peer.Peers.ENGINE_UDP_SINGLE;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_BUSY;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_DEFAULTS;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_FEW_TURNS;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_INLINE;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_THROUGHPUT;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_TWO_SESSIONS;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_TWO_THREADS;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_VIRTUAL;
import static io.rdmarpc.benchmarks.peer.Peers.SPRING_WINDOW;

import io.rdmarpc.benchmarks.goals.Task.Circumstances;
import io.rdmarpc.benchmarks.load.Cell;
import java.util.List;

/** The settings of docs/tuning.md whose effect can be seen between two processes of one host. */
final class Effects {

    /** So few that adaptive polling threads sleep in between. */
    private static final int FEW_PER_SECOND = 100;

    private static final Task ORDER_16 = Task.of(ORDER, PLATFORM, 16);
    private static final Task ORDER_SELDOM = new Task(new Cell(ORDER, ASYNC, 1, FEW_PER_SECOND), Circumstances.QUIET);
    private static final String CALLER = "order, 1 blocking caller, p50";
    private static final String SELDOM = "order, " + FEW_PER_SECOND + " calls a second, ";

    private Effects() {}

    /** Those of a group are measured in the same rounds; what several compare with is measured once for all of them. */
    static List<List<Effect>> groups() {
        return List.of(many(), inline(), callers(), bundling(), threads(), idle());
    }

    private static List<Effect> many() {
        String pipeline = "order, 128 outstanding, rate";
        return List.of(
                Effect.of("`rdma.window=64`", pipeline, RATE, SPRING_DEFAULTS, SPRING_WINDOW, ORDER_128),
                Effect.of("`rdma.profile=throughput`", pipeline, RATE, SPRING_DEFAULTS, SPRING_THROUGHPUT, ORDER_128));
    }

    private static List<Effect> inline() {
        return List.of(
                Effect.of("`@RdmaMethod(execution = INLINE)`", CALLER, P50, SPRING_VIRTUAL, SPRING_INLINE, ORDER_1));
    }

    private static List<Effect> callers() {
        return List.of(
                onPlatformThreads(CALLER, P50, 1), onPlatformThreads("order, 16 blocking callers, rate", RATE, 16));
    }

    private static Effect onPlatformThreads(String text, Metric metric, int count) {
        return new Effect(
                "platform threads instead of virtual ones",
                text,
                Figure.of(metric, SPRING_VIRTUAL, Task.of(ORDER, VIRTUAL, count)),
                Figure.of(metric, SPRING_VIRTUAL, Task.of(ORDER, PLATFORM, count)));
    }

    private static List<Effect> bundling() {
        return List.of(Effect.of(
                "`rdma.ud.bundling=false`",
                "32 B by the engine over UDP, 128 outstanding, rate",
                RATE,
                ENGINE_UDP,
                ENGINE_UDP_SINGLE,
                BYTES_128));
    }

    private static List<Effect> threads() {
        return List.of(Effect.of(
                "`rdma.polling.threads=2`",
                "order, 16 blocking callers, two sessions, rate",
                RATE,
                SPRING_TWO_SESSIONS,
                SPRING_TWO_THREADS,
                ORDER_16));
    }

    private static List<Effect> idle() {
        String busy = "`rdma.polling.idle=busy`";
        String turns = "`rdma.polling.idle-turns=500`";
        // All of them call without a pause first: a hundred calls a second would keep nobody's compilers busy.
        return List.of(
                Effect.of(busy, CALLER, P50, SPRING_DEFAULTS, SPRING_BUSY, ORDER_1),
                Effect.of(busy, SELDOM + "p50", P50, SPRING_DEFAULTS, SPRING_BUSY, ORDER_SELDOM),
                Effect.of(turns, CALLER, P50, SPRING_DEFAULTS, SPRING_FEW_TURNS, ORDER_1),
                Effect.of(turns, SELDOM + "p50", P50, SPRING_DEFAULTS, SPRING_FEW_TURNS, ORDER_SELDOM),
                Effect.of(turns, SELDOM + CPU, CPU, SPRING_DEFAULTS, SPRING_FEW_TURNS, ORDER_SELDOM));
    }
}
