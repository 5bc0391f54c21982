package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcServer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several client processes at one server; {@code rdma.test.processes} sets the number. */
@Timeout(600)
@Tag("processes")
class ManyProcessesTest {

    private static final int PROCESSES = Integer.getInteger("rdma.test.processes", 4);
    private static final String CALLS = "1000";

    @ParameterizedTest
    @EnumSource
    @DisplayName("SM-12 several client processes at one server: messages of all sizes are echoed correctly in each")
    void whenProcessesAreManyThenEachIsServed(SoftLink link) throws Exception {
        List<JavaProcess> clients = new ArrayList<>();
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor();
                RdmaRuntime serving = Runtimes.open(link.options())) {
            serving.export(Echo.export(executor));
            RpcServer server = Runtimes.listen(serving);
            String port = String.valueOf(server.address().getPort());
            String[] arguments = link.options("soft.addresses=127.0.0.1", "soft.port=0", "patience=30", "hold=true");
            for (int i = 0; i < PROCESSES; i++) {
                clients.add(
                        JavaProcess.start(EchoProcess.class, with(arguments, "client", "soft", "auto", port, CALLS)));
            }
            for (JavaProcess client : clients) {
                client.await("HOLDING");
            }
            assertThat(serving.statistics().serverSessions()).isEqualTo(PROCESSES);
            for (JavaProcess client : clients) {
                client.endInput();
                assertThat(client.exitStatus())
                        .as("0: all responses were right")
                        .isZero();
            }
            Runtimes.await("the sessions to end", () -> serving.statistics().serverSessions() == 0);
        } finally {
            clients.forEach(JavaProcess::close);
        }
    }

    private static String[] with(String[] options, String... first) {
        List<String> all = new ArrayList<>(List.of(first));
        all.addAll(List.of(options));
        return all.toArray(String[]::new);
    }
}
