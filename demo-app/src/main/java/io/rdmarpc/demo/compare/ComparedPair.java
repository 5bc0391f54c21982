package io.rdmarpc.demo.compare;

import io.rdmarpc.demo.MeasurementResult;
import io.rdmarpc.demo.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A server process and a client process of one transport. Not thread-safe. */
final class ComparedPair implements AutoCloseable {

    /** Time limit for the start of a process. The script of the demo uses the same variable. */
    private static final Duration LONGEST_START =
            Duration.ofSeconds(Long.parseLong(System.getenv().getOrDefault("DEMO_READY_SECONDS", "90")));

    /** Time beyond the requested duration in which a client must have responded. */
    private static final Duration GRACE = Duration.ofSeconds(60);

    private final Transport transport;
    private final ComparedProcess server;
    private final ComparedProcess client;
    private final String description;

    private ComparedPair(Transport transport, ComparedProcess server, ComparedProcess client, String description) {
        this.transport = transport;
        this.server = server;
        this.client = client;
        this.description = description;
    }

    /** Starts both processes and waits until the client can call. */
    static ComparedPair start(Transport transport, ComparisonSettings settings) {
        ComparedProcess server = ComparedProcess.start(
                "the " + transport.label() + " server", settings.command(serverArguments(transport)));
        try {
            int port = Integer.parseInt(server.response(LONGEST_START));
            ComparedProcess client = ComparedProcess.start(
                    "the " + transport.label() + " client", settings.command(clientArguments(transport, port)));
            try {
                return new ComparedPair(transport, server, client, client.response(LONGEST_START));
            } catch (RuntimeException e) {
                client.close();
                throw e;
            }
        } catch (RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private static List<String> serverArguments(Transport transport) {
        return switch (transport) {
            case RDMA -> List.of("--spring.profiles.active=compared,server", "--rdma.server.port=0");
            case GRPC -> List.of("--spring.profiles.active=compared,server,grpc", "--rdma.enabled=false");
            case HTTP ->
                List.of("--spring.profiles.active=compared,server,http", "--rdma.enabled=false", "--server.port=0");
        };
    }

    private static List<String> clientArguments(Transport transport, int port) {
        List<String> arguments = new ArrayList<>(List.of(
                "--spring.profiles.active=compared,compared-client",
                "--demo.transport=" + transport,
                "--demo.server-port=" + port));
        if (transport == Transport.RDMA) {
            arguments.add("--rdma.client.targets.default.address=127.0.0.1:" + port);
        } else {
            arguments.add("--rdma.enabled=false");
        }
        return arguments;
    }

    Transport transport() {
        return transport;
    }

    /** Returns what the client uses, for example its RDMA device. */
    String description() {
        return description;
    }

    WarmUp.Slice warmUp(Duration time) {
        return WarmUp.Slice.ofLine(client.request(ComparedClient.WARM_UP + " " + time.toMillis(), time.plus(GRACE)));
    }

    /** Makes calls for some time, and returns the result of all calls of this part so far. */
    MeasurementResult measure(Part part, Duration time) {
        return MeasurementResult.ofLine(
                client.request(ComparedClient.MEASURE + " " + time.toMillis() + " " + part, time.plus(GRACE)));
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
