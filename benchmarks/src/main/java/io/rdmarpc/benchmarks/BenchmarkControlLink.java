package io.rdmarpc.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection by which both ends of a benchmark coordinate, one line per message. It carries no data during a run.
 */
public final class BenchmarkControlLink implements AutoCloseable {

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

    private final Socket socket;
    private final BufferedReader in;
    private final Writer out;

    private BenchmarkControlLink(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        out = new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.US_ASCII);
    }

    /**
     * Waits for a client to connect.
     *
     * @param options options with the address to listen on
     * @param listening receives the TCP port as soon as the client can connect
     * @return the connection, which the caller closes
     * @throws IOException if the port is in use
     */
    public static BenchmarkControlLink accept(PeerOptions options, IntConsumer listening) throws IOException {
        try (ServerSocket listener = options.listen(listening)) {
            return accept(listener);
        }
    }

    /**
     * Waits for a client to connect.
     *
     * @param listener the listening socket, which stays open
     * @return the connection, which the caller closes
     * @throws IOException if the listening socket was closed
     */
    public static BenchmarkControlLink accept(ServerSocket listener) throws IOException {
        return new BenchmarkControlLink(listener.accept());
    }

    /**
     * Connects to a server.
     *
     * @param host name or address of the server
     * @param port TCP port of the server
     * @return the connection, which the caller closes
     * @throws IOException if no connection succeeds within ten seconds
     */
    public static BenchmarkControlLink connect(String host, int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(host, port), (int) CONNECT_LIMIT.toMillis());
            return new BenchmarkControlLink(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /**
     * Sends a line to the peer.
     *
     * @param line the line without its line end
     * @throws IOException if the peer closed the connection
     */
    public void send(String line) throws IOException {
        out.write(line + "\n");
        out.flush();
    }

    /**
     * Waits for a line from the peer.
     *
     * @return the next line, or null if the peer closed the connection
     * @throws IOException if the connection failed
     */
    public @Nullable String receive() throws IOException {
        return in.readLine();
    }

    /**
     * Waits until {@link #receive} would return without blocking: the peer sent data or closed. Any thread may call it.
     */
    public void awaitLine() {
        try {
            in.mark(1);
            if (in.read() >= 0) {
                in.reset();
            }
        } catch (IOException e) {
            // The thread that reads the line gets the same exception.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
