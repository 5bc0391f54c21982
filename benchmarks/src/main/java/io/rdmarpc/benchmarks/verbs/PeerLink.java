package io.rdmarpc.benchmarks.verbs;

import io.rdmarpc.benchmarks.PeerOptions;
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
final class PeerLink implements AutoCloseable {

    private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);

    private final Socket socket;
    private final BufferedReader in;
    private final Writer out;

    private PeerLink(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
        out = new OutputStreamWriter(socket.getOutputStream(), StandardCharsets.US_ASCII);
    }

    /** Waits for the client; tells the TCP port when it can connect. */
    static PeerLink accept(PeerOptions options, IntConsumer listening) throws IOException {
        try (ServerSocket listener = options.listen(listening)) {
            return accept(listener);
        }
    }

    /** Waits for a client. */
    static PeerLink accept(ServerSocket listener) throws IOException {
        return new PeerLink(listener.accept());
    }

    static PeerLink connect(String host, int port) throws IOException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(host, port), (int) CONNECT_LIMIT.toMillis());
            return new PeerLink(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    void send(String line) throws IOException {
        out.write(line + "\n");
        out.flush();
    }

    /** The peer's next line, null when it has hung up. */
    @Nullable
    String receive() throws IOException {
        return in.readLine();
    }

    /** Returns when {@link #receive} would not wait: the peer has said something, or hung up. Any thread. */
    void awaitLine() {
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
