package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.error.RdmaUnavailableException;
import io.rdmarpc.rpc.stats.FallbackStatistics;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdTransport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Peers whose first NIC does not reach the other side. That NIC is a software RNIC that loses every packet it sends.
 */
@Timeout(120)
@DisplayName("A fallback path to a peer")
class FallbackTest {

    private static final Map<String, String> GOOD = Map.of("soft.addresses", "127.0.0.1", "soft.port", "0");
    private static final Map<String, String> MUTE =
            Map.of("soft.addresses", "127.0.0.1", "soft.port", "0", "soft.faults.loss", "1");

    private final ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
    private final List<Node> nodes = new ArrayList<>();

    /** A runtime that does not own its first NIC, as in an application. */
    private static final class Node implements AutoCloseable {

        private final NicContext nic;
        private final UdTransport ud;
        private final RcTransport rc;
        private final RdmaRuntime runtime;

        Node(Map<String, String> first, RpcConfig config, @Nullable FallbackNic second) {
            nic = open(first);
            ud = UdTransport.open(nic, UdConfig.DEFAULTS);
            rc = RcTransport.open(nic, RcConfig.DEFAULTS);
            runtime = RdmaRuntime.create(
                    nic,
                    ud,
                    rc,
                    thread("rdma-poll-first"),
                    List.of(),
                    MemoryConfig.DEFAULTS,
                    config,
                    EngineScaling.NONE,
                    second);
            runtime.start();
        }

        static NicContext open(Map<String, String> options) {
            return NicContext.open(NicConfig.DEFAULTS.withProvider("soft", options));
        }

        static PollingThread thread(String name) {
            return PollingConfig.DEFAULTS.threads(name).getFirst();
        }

        @Override
        public void close() {
            runtime.close();
            assertThat(runtime.registeredBytes()).isZero();
            rc.close();
            ud.close();
            nic.close();
        }
    }

    private static FallbackNic second(boolean forClients, boolean forServer) {
        return second(GOOD, forClients, forServer);
    }

    private static FallbackNic second(Map<String, String> options, boolean forClients, boolean forServer) {
        return new FallbackNic(
                Node.open(options),
                UdConfig.DEFAULTS,
                RcConfig.DEFAULTS,
                Node.thread("rdma-poll-second"),
                forClients,
                forServer);
    }

    private Node node(Map<String, String> first, @Nullable FallbackNic second) {
        Node node = new Node(first, Runtimes.PATIENT, second);
        nodes.add(node);
        return node;
    }

    private RpcServer serve(Node node) {
        node.runtime.export(Echo.export(executor));
        return Runtimes.listen(node.runtime);
    }

    @AfterEach
    void close() {
        nodes.reversed().forEach(Node::close);
        executor.close();
        Runtimes.await("the threads to end", () -> Runtimes.threads().isEmpty());
    }

    private static void expectWork(RpcSession session) {
        Runtimes.echo(session, 10);
        Runtimes.echo(session, 300_000);
    }

    @Test
    void whenTheClientsNicReachesNoServerThenTheSecondOneIsUsed() {
        Node server = node(GOOD, second(false, true));
        RpcServer listening = serve(server);
        Node client = node(MUTE, second(true, false));
        RpcChannel channel = Runtimes.channel(client.runtime, listening);

        expectWork(channel.session(Runtimes.LONG));
        channel.verify(channel.session(Runtimes.LONG), Echo.CONTRACT);

        assertThat(client.runtime.fallbacks()).isEqualTo(new FallbackStatistics(1, 0));
        assertThat(server.runtime.fallbacks()).isEqualTo(new FallbackStatistics(0, 1));
    }

    @Test
    void whenTheSecondNicIsUsedThenItsMemoryForLargeMessagesIsCounted() {
        // With shared memory a large response needs no registered memory here.
        Map<String, String> udp =
                Map.of("soft.addresses", "127.0.0.1", "soft.port", "0", "soft.shared-memory.enabled", "false");
        RpcServer listening = serve(node(GOOD, second(udp, false, true)));
        RdmaRuntime client = node(MUTE, second(udp, true, false)).runtime;
        Runtimes.echo(Runtimes.channel(client, listening).session(Runtimes.LONG), 300_000);

        long packets = client.engines().stream()
                .mapToLong(engine -> engine.packetMemory().registeredBytes())
                .sum();
        assertThat(client.memory().registeredBytes()).isGreaterThan(packets);
    }

    @Test
    void whenTheServersNicReachesNoClientThenTheSecondOneIsUsed() {
        Node server = node(MUTE, second(false, true));
        RpcServer listening = serve(server);
        Node client = node(GOOD, second(true, false));

        expectWork(Runtimes.channel(client.runtime, listening).session(Runtimes.LONG));
        assertThat(client.runtime.fallbacks()).isEqualTo(new FallbackStatistics(1, 0));
    }

    @Test
    void whenTheFirstPathFailedThenTheNextSessionUsesTheFallbackAtOnce() {
        RpcServer listening = serve(node(GOOD, second(false, true)));
        Node client = node(MUTE, second(true, false));
        Runtimes.channel(client.runtime, listening).session(Runtimes.LONG);
        long sentBefore =
                client.runtime.engines().getFirst().loop().gauges().statistics().callsStarted();

        expectWork(Runtimes.channel(client.runtime, listening).session(Runtimes.LONG));

        assertThat(client.runtime.fallbacks()).isEqualTo(new FallbackStatistics(2, 0));
        assertThat(client.runtime
                        .engines()
                        .getFirst()
                        .loop()
                        .gauges()
                        .statistics()
                        .callsStarted())
                .as("no packet was sent over the first NIC")
                .isEqualTo(sentBefore);
    }

    @Test
    void whenTheFirstNicWorksThenTheSecondOneIsUnused() {
        Node server = node(GOOD, second(false, true));
        RpcServer listening = serve(server);
        Node client = node(GOOD, second(true, false));

        expectWork(Runtimes.channel(client.runtime, listening).session(Runtimes.LONG));

        assertThat(client.runtime.fallbacks()).isEqualTo(new FallbackStatistics(0, 0));
        assertThat(server.runtime.fallbacks()).isEqualTo(new FallbackStatistics(0, 0));
    }

    @Test
    void whenTheServerIsASoftwareRnicThenThatIsUsed() {
        Node server = node(GOOD, null);
        RpcServer listening = serve(server);
        Node client = node(MUTE, second(true, false));

        expectWork(Runtimes.channel(client.runtime, listening).session(Runtimes.LONG));
        assertThat(client.runtime.fallbacks()).isEqualTo(new FallbackStatistics(1, 0));
    }

    @Test
    void whenTheSecondNicReachesNoServerEitherThenTheReasonIsReportedInTime() {
        Node server = node(MUTE, null);
        RpcServer listening = serve(server);
        Node client = node(MUTE, second(true, false));

        assertThatExceptionOfType(RdmaUnavailableException.class)
                .isThrownBy(() -> Runtimes.channel(client.runtime, listening).session(Duration.ofSeconds(2)))
                .withMessageContaining("no response over RDMA within");
        assertThat(client.runtime.fallbacks()).isEqualTo(new FallbackStatistics(0, 0));
    }

    @Test
    void whenAClientHasNoFallbackThenTheServersIsNotUsed() {
        Node server = node(GOOD, second(false, true));
        RpcServer listening = serve(server);
        Node client = node(GOOD, null);

        expectWork(Runtimes.channel(client.runtime, listening).session(Runtimes.LONG));
        assertThat(server.runtime.fallbacks()).isEqualTo(new FallbackStatistics(0, 0));
    }

    @Test
    void whenTheRuntimeIsStoppedAndStartedThenBothPathsWorkAgain() {
        RpcServer listening = serve(node(GOOD, second(false, true)));
        Node client = node(MUTE, second(true, false));
        RpcChannel channel = Runtimes.channel(client.runtime, listening);
        expectWork(channel.session(Runtimes.LONG));
        client.runtime.stop(Duration.ZERO);
        client.runtime.start();
        expectWork(channel.session(Runtimes.LONG));
    }
}
