package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many sessions of two clients with one server. {@link ManySessions} measures larger numbers. */
@Timeout(300)
class ManySessionsTest {

    private static final int SESSIONS_OF_A_CLIENT = 200;

    /** Column of {@code /proc/net/tcp}. */
    private static final int INODE = 9;

    private static NicContext nic() {
        return NicContext.open(
                NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0")));
    }

    /**
     * Counts the TCP sockets of this process. Peers on the same host also have Unix sockets, over which they wake each
     * other.
     */
    private static int sockets() throws IOException {
        Set<String> tcp = new HashSet<>();
        for (String table : List.of("/proc/self/net/tcp", "/proc/self/net/tcp6")) {
            for (String line : Files.readAllLines(Path.of(table))) {
                tcp.add("socket:[" + line.strip().split("\\s+", -1)[INODE] + "]");
            }
        }
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return (int)
                    files.map(ManySessionsTest::target).filter(tcp::contains).count();
        }
    }

    private static String target(Path file) {
        try {
            return Files.readSymbolicLink(file).toString();
        } catch (IOException e) {
            return "";
        }
    }

    @Test
    @DisplayName("CP-04 SM-04 many sessions of few clients: each responds, a pair of processes has one connection, no"
            + " additional thread")
    void whenThereAreManySessionsThenConnectionsAndThreadsAreFew() throws IOException {
        ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
        try (NicContext nic = nic();
                UdTransport ud = UdTransport.open(nic, new UdConfig(256, 512, UdConfig.AUTO_INLINE));
                RcTransport rc = RcTransport.open(nic, RcConfig.DEFAULTS);
                RdmaRuntime serving = ManySessions.open(nic, ud, rc);
                RdmaRuntime first = Runtimes.open();
                RdmaRuntime second = Runtimes.open()) {
            serving.export(Echo.export(executor));
            RpcServer server = Runtimes.listen(serving);
            int port = server.address().getPort();
            RdmaRuntime[] clients = {first, second};
            Runtimes.channel(first, port).session(Runtimes.LONG);
            Runtimes.channel(second, port).session(Runtimes.LONG);
            int sockets = sockets();
            int threads = Runtimes.threads().size();

            for (RdmaRuntime client : clients) {
                for (RpcSession session : ManySessions.connect(client, port, SESSIONS_OF_A_CLIENT)) {
                    Runtimes.echo(session, 32);
                }
            }

            assertThat(serving.statistics().serverSessions()).isEqualTo(2 + 2 * SESSIONS_OF_A_CLIENT);
            assertThat(sockets()).isEqualTo(sockets);
            assertThat(Runtimes.threads()).hasSize(threads);
        } finally {
            executor.close();
        }
    }
}
