package io.rdmarpc.benchmarks;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Role of this end, address of the server, and number of operations. The options have the names of the C tools'
 * options.
 */
public final class PeerOptions {

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "<host>",
            description = "address of the server; without it this program is the server")
    private @Nullable String host;

    @Option(
            names = {"-p", "--port"},
            description = "TCP port by which both ends coordinate (default ${DEFAULT-VALUE})")
    private int tcpPort = 18515;

    @Option(
            names = {"-n", "--iters"},
            description = "measured messages in each direction, or measured operations (default ${DEFAULT-VALUE})")
    private int iterations = 1000;

    /**
     * Returns the host of the server.
     *
     * @return its name or address, or null if this end is the server
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
     * Returns how many rounds or operations are measured.
     *
     * @return the number
     */
    public int iterations() {
        return iterations;
    }

    /**
     * Starts to listen as the server.
     *
     * @param listening receives the TCP port as soon as a client can connect; the kernel selects one for port 0
     * @return the listening socket, which the caller closes
     * @throws IOException if the port is in use
     */
    public ServerSocket listen(IntConsumer listening) throws IOException {
        ServerSocket listener = new ServerSocket(tcpPort);
        listening.accept(listener.getLocalPort());
        return listener;
    }
}
