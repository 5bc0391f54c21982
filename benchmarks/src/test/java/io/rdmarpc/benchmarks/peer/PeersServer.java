package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.benchmarks.ChildJvm;
import io.rdmarpc.benchmarks.load.Contestant.Server;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Another JVM that serves with one peer after another, which takes less time than a JVM for each. */
final class PeersServer implements AutoCloseable {

    private static final List<String> FLAGS = List.of(
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "--sun-misc-unsafe-memory-access=allow",
            "--enable-native-access=ALL-UNNAMED",
            "-Djava.net.preferIPv4Stack=true");

    private static final String ADDRESS = "> ";
    private static final long END_SECONDS = 20;

    private final Process process;
    private final BufferedReader out;
    private final Writer in;

    PeersServer() throws IOException {
        process = ChildJvm.of(FLAGS, PeersServer.class.getName(), List.of())
                .redirectError(Redirect.INHERIT)
                .start();
        out = process.inputReader(StandardCharsets.UTF_8);
        in = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** Ends the server there is, starts that of a peer, and returns its address. */
    String serve(Peers peer) throws IOException {
        in.write(peer.name() + "\n");
        in.flush();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith(ADDRESS)) {
                return line.substring(ADDRESS.length());
            }
        }
        throw new IOException("the server of " + peer + " did not start, its output is above");
    }

    @Override
    public void close() throws IOException {
        ChildJvm.end(process, END_SECONDS);
    }

    /** Reads names of peers until its input ends. */
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
        // Threads of libraries may be left.
        Runtime.getRuntime().halt(status);
    }
}
