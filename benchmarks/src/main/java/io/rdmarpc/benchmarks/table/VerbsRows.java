package io.rdmarpc.benchmarks.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The rows of the software RNIC.
 *
 * @param share all counts are divided by it: 1 to measure, more to see whether it runs at all
 */
record VerbsRows(int share) {

    /** The rows of 1 MiB became faster for so long. */
    private static final long WARM_UP_NANOS = 4_000_000_000L;

    private static final int LATENCY_COLUMN = 5;
    private static final int RATE_COLUMN = 4;
    private static final int WAKE_UP_COLUMN = 3;
    private static final int PROBE_COLUMN = 2;
    private static final int ALLOCATION_COLUMN = 6;
    private static final String SHARED_MEMORY = "soft.shared-memory.enabled=true";
    private static final String UDP = "soft.shared-memory.enabled=false";

    List<Row> all() {
        List<Row> rows = new ArrayList<>();
        rows.addAll(messages());
        rows.addAll(largeTransfers());
        rows.addAll(sleep());
        rows.addAll(costs());
        return rows;
    }

    private List<Row> messages() {
        return List.of(
                new Row(
                        "UD 32 B ping-pong, shared memory",
                        "us",
                        Goal.ratioAtMost(3),
                        () -> latency(SHARED_MEMORY, 200_000),
                        () -> probe("flag-ping-pong", 1_000_000),
                        "flag-ping-pong"),
                new Row(
                        "UD 32 B ping-pong, UDP",
                        "us",
                        Goal.ratioAtMost(1.3),
                        () -> latency(UDP, 30_000),
                        () -> probe("datagram-ping-pong", 30_000),
                        "datagram-ping-pong"),
                new Row(
                        "UD 32 B one way by 16, shared memory",
                        "M/s",
                        Goal.atLeast(8, "M/s"),
                        () -> rate(SHARED_MEMORY, 5_000_000),
                        () -> probe("ring", 10_000_000),
                        "ring"),
                new Row(
                        "UD 32 B one way by 16, UDP",
                        "M/s",
                        Goal.NONE,
                        () -> rate(UDP, 400_000),
                        () -> probe("mmsg-echo", 400_000),
                        "mmsg-echo"));
    }

    private List<Row> largeTransfers() {
        return List.of(
                new Row(
                        "RC READ 1 MiB, mapped",
                        "MiB/s",
                        Goal.ratioAtLeast(0.85),
                        () -> large("read-bw", true, SHARED_MEMORY, 3_000, "--lendable", "--span", "256"),
                        () -> probe("memcpy", 2_000),
                        "memcpy"),
                new Row(
                        "RC READ 1 MiB, packets through shared memory",
                        "MiB/s",
                        Goal.ratioAtLeast(0.25),
                        () -> large("read-bw", true, SHARED_MEMORY, 1_500, "--span", "256"),
                        () -> probe("memcpy", 2_000),
                        "memcpy"),
                new Row(
                        "RC WRITE 1 MiB, packets through shared memory",
                        "MiB/s",
                        Goal.NONE,
                        () -> large("write-bw", true, SHARED_MEMORY, 1_500, "--span", "256"),
                        () -> probe("memcpy", 2_000),
                        "memcpy"),
                new Row(
                        "RC WRITE 1 MiB, UDP by sendmmsg and GSO",
                        "MiB/s",
                        Goal.ratioAbove(1),
                        () -> large("write-bw", true, UDP, 500),
                        () -> probe("datagram-stream", 100_000),
                        "datagram-stream"),
                new Row(
                        "RC WRITE 1 MiB, UDP by DatagramChannel",
                        "MiB/s",
                        Goal.ratioAtLeast(0.9),
                        () -> large("write-bw", false, UDP, 300),
                        () -> probe("datagram-stream", 100_000),
                        "datagram-stream"),
                new Row(
                        "RC READ 1 MiB, UDP by sendmmsg and GSO",
                        "MiB/s",
                        Goal.NONE,
                        () -> large("read-bw", true, UDP, 500),
                        () -> probe("datagram-stream", 100_000),
                        "datagram-stream"));
    }

    private List<Row> sleep() {
        return List.of(
                new Row(
                        "wake-up by another thread",
                        "us",
                        Goal.ratioAtMost(1.5),
                        this::channelWakeUp,
                        this::bareWakeUp,
                        "eventfd-wake-up"),
                new Row(
                        "wake-up by a UD message, shared memory",
                        "us",
                        Goal.ratioAtMost(1.5),
                        () -> messageWakeUp(SHARED_MEMORY),
                        this::bareWakeUp,
                        "eventfd-wake-up"),
                new Row(
                        "wake-up by a UD message, UDP",
                        "us",
                        Goal.NONE,
                        () -> messageWakeUp(UDP),
                        this::bareWakeUp,
                        "eventfd-wake-up"));
    }

    private List<Row> costs() {
        return List.of(
                Row.once("CPU of an idle process with an RPC server", "% of a CPU", Goal.below(1, "%"), this::idle),
                Row.once(
                        "heap allocated by 400 000 operations, shared memory",
                        "B",
                        Goal.zero(),
                        () -> allocation(SHARED_MEMORY)),
                Row.once("heap allocated by 400 000 operations, UDP", "B", Goal.zero(), () -> allocation(UDP)));
    }

    // ---- meters ----

    private String count(int whole) {
        return Integer.toString(share(whole));
    }

    private int share(int whole) {
        return Math.max(1, whole / share);
    }

    private Meter probe(String name, int iterations) throws IOException {
        return OneCommand.probe(name, share(iterations));
    }

    private Meter bareWakeUp() throws IOException {
        return probe("eventfd-wake-up", 1_500);
    }

    private Meter latency(String link, int iterations) throws IOException {
        List<String> words = List.of("send-lat", "-c", "UD", "-s", "32", "-O", link);
        return pair(true, LATENCY_COLUMN, timed(words, iterations, iterations / 10));
    }

    private Meter rate(String link, int iterations) throws IOException {
        List<String> words = List.of("send-rate", "-s", "32", "-b", "16", "-O", link);
        return pair(true, RATE_COLUMN, timed(words, iterations, iterations / 10));
    }

    private Meter large(String command, boolean nativeAccess, String link, int iterations, String... more)
            throws IOException {
        List<String> words = new ArrayList<>(List.of(command, "-s", "1048576", "-t", "16", "-O", link));
        words.addAll(List.of(more));
        return pair(nativeAccess, RATE_COLUMN, timed(words, iterations, iterations / 10));
    }

    private Meter messageWakeUp(String link) throws IOException {
        List<String> words = List.of("wake-up", "-s", "32", "-O", link);
        return pair(true, WAKE_UP_COLUMN, timed(words, 1_500, 100));
    }

    private Meter pair(boolean nativeAccess, int column, List<String> words) throws IOException {
        return new TwoCommands(nativeAccess, column, words).warmUp(WARM_UP_NANOS / share);
    }

    private List<String> timed(List<String> words, int iterations, int warmUp) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of("-n", count(iterations), "--warm-up", count(warmUp)));
        return all;
    }

    private Meter channelWakeUp() throws IOException {
        List<String> words = List.of("channel-wake-up", "-n", count(1_500));
        return new OneCommand(PROBE_COLUMN, onSoft(words, SHARED_MEMORY));
    }

    private Meter idle() throws IOException {
        List<String> words = List.of("idle", "--seconds", count(10));
        return new Once(PROBE_COLUMN, onOptions(words, SHARED_MEMORY));
    }

    private Meter allocation(String link) throws IOException {
        List<String> words = List.of("allocation", "-n", count(100_000), "--warm-up", count(50_000));
        return new Once(ALLOCATION_COLUMN, onSoft(words, link));
    }

    private static List<String> onSoft(List<String> words, String link) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of("--provider", "soft"));
        return onOptions(all, link);
    }

    private static List<String> onOptions(List<String> words, String link) {
        List<String> all = new ArrayList<>(words);
        all.addAll(List.of("-O", "soft.addresses=127.0.0.1", "-O", "soft.port=0", "-O", link));
        return all;
    }
}
