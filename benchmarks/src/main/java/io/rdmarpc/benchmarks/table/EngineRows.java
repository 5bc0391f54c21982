package io.rdmarpc.benchmarks.table;

import io.rdmarpc.benchmarks.engine.EchoMeasure;
import java.util.List;

/**
 * The rows of the engine on bytes, over shared memory.
 *
 * @param share all times are divided by it: 1 to measure, more to see whether it runs at all
 */
record EngineRows(int share) {

    /** Beside two threads that poll, the compilers need so long on two CPUs. */
    private static final double WARM_UP_SECONDS = 8;

    private static final double SECONDS = 2;
    private static final int PING_PONGS = 1_000_000;
    private static final int COPIES = 20_000;

    List<Row> all() {
        return List.of(
                new Row(
                        "32 B echo, one outstanding, half a round trip",
                        "us",
                        Goal.ratioAtMost(4),
                        () -> echo(EchoMeasure.LATENCY),
                        () -> OneCommand.probe("flag-ping-pong", count(PING_PONGS)),
                        "flag-ping-pong"),
                Row.alone(
                        "32 B echo, 128 outstanding, one thread",
                        "M/s",
                        Goal.atLeast(2, "M/s"),
                        () -> echo(EchoMeasure.RATE)),
                new Row(
                        "1 MiB echo, both ways together",
                        "MiB/s",
                        Goal.ratioAtLeast(0.4),
                        () -> echo(EchoMeasure.BANDWIDTH),
                        () -> OneCommand.probe("memcpy", count(COPIES), "--span", "1"),
                        "memcpy"),
                Row.once("32 B echo, bytes allocated", "B", Goal.zero(), () -> echo(EchoMeasure.ALLOCATION)));
    }

    private Meter echo(EchoMeasure measure) {
        return new EchoProcesses(measure, WARM_UP_SECONDS / share, SECONDS / share);
    }

    private int count(int whole) {
        return Math.max(1, whole / share);
    }
}
