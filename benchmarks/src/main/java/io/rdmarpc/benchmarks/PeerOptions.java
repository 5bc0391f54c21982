package io.rdmarpc.benchmarks;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which of the two ends this is, where they meet, and how often they do it. The options have the names of the C tools. */
public final class PeerOptions {

    @Parameters(index = "0", arity = "0..1", paramLabel = "<host>", description = "the server; without it: be one")
    private @Nullable String host;

    @Option(
            names = {"-p", "--port"},
            description = "TCP port on which the ends agree (default ${DEFAULT-VALUE})")
    private int tcpPort = 18515;

    @Option(
            names = {"-n", "--iters"},
            description = "messages each way, or operations, that are measured (default ${DEFAULT-VALUE})")
    private int iterations = 1000;

    /**
     * Returns where the server is.
     *
     * @return its name or address, null when this end is the server
     */
    public @Nullable String host() {
        return host;
    }

    /**
     * Returns the port to connect to.
     *
     * @return the server's TCP port
     */
    public int tcpPort() {
        return tcpPort;
    }

    /**
     * Returns how many rounds or operations count.
     *
     * @return the number
     */
    public int iterations() {
        return iterations;
    }

    /**
     * Begins to listen, as the server.
     *
     * @param listening told the port from which on a client can connect; one that the kernel chose when 0 was asked for
     * @return to be closed by the caller
     * @throws IOException when the port is taken
     */
    public ServerSocket listen(IntConsumer listening) throws IOException {
        ServerSocket listener = new ServerSocket(tcpPort);
        listening.accept(listener.getLocalPort());
        return listener;
    }
}
