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

    /** Names of all figures. */
    public static final List<String> FIGURES = List.of(
            "calls",
            "opened",
            "server_heap",
            "server_native",
            "server_memory",
            "client_heap",
            "client_native",
            "client_memory",
            "rings");

    private static final double MIB = 1 << 20;
    private static final List<String> FLAGS = List.of(
            "-XX:+UseSerialGC",
            "-XX:-UsePerfData",
            "-Xms512m",
            "-Xmx512m",
            "-XX:MaxDirectMemorySize=1g",
            "--enable-native-access=ALL-UNNAMED");

    /**
     * Measures in new processes. Returns figures by the names of {@link #FIGURES}: calls and sessions per second, bytes
     * per session, MiB of all receive rings. Native memory is registered memory without the rings. Throws an exception
     * with the process's standard error if a process fails.
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
        for (ChildProcess client : started) {
            longest = Math.max(longest, numbers(client)[0]);
        }
        for (ChildProcess client : started) {
            client.send("");
        }
        double calls = 0;
        double heap = 0;
        double registered = 0;
        double rings = 0;
        for (int i = 0; i < clients; i++) {
            double[] ofClient = numbers(started.get(i));
            calls += ofClient[0];
            heap += ofClient[1] * share(sessions, i) / sessions;
            registered += ofClient[2] * share(sessions, i) / sessions;
            rings += ofClient[3];
        }
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
                "server_native",
                ofServer[2],
                "server_memory",
                ofServer[1] + ofServer[2],
                "client_heap",
                heap,
                "client_native",
                registered,
                "client_memory",
                heap + registered,
                "rings",
                (rings + ofServer[3]) / MIB);
    }
}
