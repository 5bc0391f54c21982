package io.rdmarpc.benchmarks.sessions;

import io.rdmarpc.benchmarks.ChildProcess;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * A server process and several client processes, which open their shares of the sessions concurrently and then call
 * concurrently.
 *
 * @param clients number of client processes
 * @param mtuBytes path MTU of all processes
 * @param outstanding number of outstanding calls of all clients together
 * @param seconds duration of a measurement in seconds, after a warm-up of the same duration
 */
public record SessionsRun(int clients, int mtuBytes, int outstanding, double seconds) {

    private static final double MIB = 1 << 20;
    private static final List<String> FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Xms512m",
            "-Xmx512m",
            "-XX:MaxDirectMemorySize=1g",
            "--enable-native-access=ALL-UNNAMED");

    /**
     * Measures in new processes. Returns figures by the names of {@code sessions.csv}: calls and sessions per second,
     * bytes per session, MiB of all receive rings. Throws an exception with the process's standard error if a process
     * fails.
     */
    public Map<String, Double> measure(int sessions) throws IOException {
        List<ChildProcess> started = new ArrayList<>();
        try {
            ChildProcess server = start(started, "serve", sessions, mtuBytes);
            int port = (int) numbers(server)[0];
            for (int i = 0; i < clients; i++) {
                start(started, "call", share(sessions, i), mtuBytes, port, share(outstanding, i), seconds);
            }
            return measure(sessions, server, started.subList(1, started.size()));
        } finally {
            for (ChildProcess process : started.reversed()) {
                process.close();
            }
        }
    }

    private static ChildProcess start(List<ChildProcess> started, Object... words) throws IOException {
        List<String> arguments = Arrays.stream(words).map(String::valueOf).toList();
        started.add(ChildProcess.start(ChildProcess.jvm(FLAGS, SessionsProcess.class.getName(), arguments)));
        return started.getLast();
    }

    private static double[] numbers(ChildProcess process) throws IOException {
        return Arrays.stream(process.line().split(" ", -1))
                .mapToDouble(Double::parseDouble)
                .toArray();
    }

    /** Returns the share of one client of an even distribution. */
    int share(int all, int client) {
        return all / clients + (client < all % clients ? 1 : 0);
    }

    private Map<String, Double> measure(int sessions, ChildProcess server, List<ChildProcess> started)
            throws IOException {
        double longest = 0;
        double heap = 0;
        double registered = 0;
        double rings = 0;
        for (int i = 0; i < clients; i++) {
            double[] opened = numbers(started.get(i));
            longest = Math.max(longest, opened[0]);
            heap += opened[1] * share(sessions, i) / sessions;
            registered += opened[2] * share(sessions, i) / sessions;
            rings += opened[3];
        }
        double calls = calls(started);
        server.send("");
        double[] ofServer = numbers(server);
        if (ofServer[0] != sessions) {
            throw new IOException("the server has " + ofServer[0] + " sessions instead of " + sessions);
        }
        return Map.of(
                "calls",
                calls,
                "opened",
                sessions / longest,
                "server_heap",
                ofServer[1],
                "server_memory",
                ofServer[1] + ofServer[2],
                "client_heap",
                heap,
                "client_memory",
                heap + registered,
                "rings",
                (rings + ofServer[3]) / MIB);
    }

    private static double calls(List<ChildProcess> started) throws IOException {
        for (ChildProcess client : started) {
            client.send("");
        }
        double calls = 0;
        for (ChildProcess client : started) {
            calls += numbers(client)[0];
        }
        return calls;
    }
}
