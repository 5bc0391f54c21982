package io.rdmarpc.benchmarks.table;

import io.rdmarpc.benchmarks.engine.EchoMeasure;
import java.io.IOException;
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
        try (BenchmarkProcess server = BenchmarkProcess.start(true, List.of("rpc", "echo-server", "--cpu", "0"));
                BenchmarkProcess client = BenchmarkProcess.start(true, client(server.line()))) {
            return OneCommand.number(client.lastLine(), 1);
        }
    }

    private List<String> client(String port) {
        return List.of(
                "rpc",
                "echo-client",
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
