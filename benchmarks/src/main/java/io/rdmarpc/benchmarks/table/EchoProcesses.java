package io.rdmarpc.benchmarks.table;

import io.rdmarpc.benchmarks.engine.EchoMeasure;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A server and a client of the engine, each on a CPU of its own. The server's thread polls without a pause, so nothing else could
 * be measured beside it: both are started for each number, and end.
 *
 * @param echo what the client measures
 * @param warmUp how long it does so before, in seconds
 * @param seconds how long it measures
 */
record EchoProcesses(EchoMeasure echo, double warmUp, double seconds) implements Meter {

    @Override
    public double measure() throws IOException {
        try (BenchmarkProcess server = start("echo-server", List.of("--cpu", "0"));
                BenchmarkProcess client = start("echo-client", client(server.line()))) {
            return OneCommand.number(client.lastLine(), 1);
        }
    }

    private static BenchmarkProcess start(String command, List<String> options) throws IOException {
        List<String> words = new ArrayList<>(List.of("rpc", command));
        words.addAll(BenchmarkProcess.ON_SOFTWARE_RNIC);
        words.addAll(options);
        return BenchmarkProcess.start(true, words);
    }

    private List<String> client(String port) {
        return List.of(
                "--cpu",
                "1",
                "--port",
                port,
                "--measure",
                echo.name(),
                "--warm-up",
                Double.toString(warmUp),
                "--seconds",
                Double.toString(seconds));
    }

    /** Nothing runs between two numbers. */
    @Override
    public void close() {}
}
