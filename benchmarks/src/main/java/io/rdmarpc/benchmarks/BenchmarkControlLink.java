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

/** A TCP connection on which the two ends of a benchmark agree, line by line. Nothing goes over it during a run. */
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
     * Waits for the client.
     *
     * @param options where to listen
     * @param listening told the TCP port when the client can connect
     * @return to be closed by the caller
     * @throws IOException when the port is taken
     */
    public static BenchmarkControlLink accept(PeerOptions options, IntConsumer listening) throws IOException {
        try (ServerSocket listener = options.listen(listening)) {
            return accept(listener);
        }
    }

    /**
     * Waits for a client.
     *
     * @param listener stays open
     * @return to be closed by the caller
     * @throws IOException when the listener was closed
     */
    public static BenchmarkControlLink accept(ServerSocket listener) throws IOException {
        return new BenchmarkControlLink(listener.accept());
    }

    /**
     * Connects to a server.
     *
     * @param host its name or address
     * @param port its TCP port
     * @return to be closed by the caller
     * @throws IOException when there is none within ten seconds
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
     * Says something to the peer.
     *
     * @param line without its end
     * @throws IOException when the peer has hung up
     */
    public void send(String line) throws IOException {
        out.write(line + "\n");
        out.flush();
    }

    /**
     * Waits for what the peer says.
     *
     * @return its next line, null when it has hung up
     * @throws IOException when the connection broke
     */
    public @Nullable String receive() throws IOException {
        return in.readLine();
    }

    /** Returns when {@link #receive} would not wait: the peer has said something, or hung up. Any thread. */
    public void awaitLine() {
        try {
            in.mark(1);
            if (in.read() >= 0) {
                in.reset();
            }
        } catch (IOException e) {
            // The reader of the line will hear of it too.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
