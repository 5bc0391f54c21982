package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.benchmarks.ChildProcess;
import io.rdmarpc.benchmarks.load.Contestant.Server;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A JVM that runs the server of one peer after another, which is faster than a JVM for each peer. */
final class PeersServer implements AutoCloseable {

    private static final List<String> FLAGS = List.of(
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED",
            "-Djava.net.preferIPv4Stack=true");

    private static final String ADDRESS = "> ";

    private final ChildProcess process;

    PeersServer() throws IOException {
        process = ChildProcess.start(ChildProcess.jvm(FLAGS, PeersServer.class.getName(), List.of()));
    }

    /** Ends the current server, starts the server of a peer, and returns its address. */
    String serve(Peers peer) throws IOException {
        process.send(peer.name());
        return process.line(ADDRESS);
    }

    @Override
    public void close() throws IOException {
        process.close();
    }

    /** Reads names of peers until the end of its input. */
    public static void main(String... arguments) throws Exception {
        BufferedReader names = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        int status = 0;
        try {
            String name = names.readLine();
            while (name != null) {
                try (Server server = Peers.valueOf(name).contestant().serve()) {
                    System.out.println(ADDRESS + server.address());
                    name = names.readLine();
                }
            }
        } catch (Exception e) {
            e.printStackTrace();
            status = 1;
        }
        // Halts, because threads of libraries may still run.
        Runtime.getRuntime().halt(status);
    }
}
