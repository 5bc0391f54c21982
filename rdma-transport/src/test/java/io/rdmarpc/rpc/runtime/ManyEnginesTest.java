package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class ManyEnginesTest {

    @Test
    @DisplayName("CP-01 CP-13 sixteen engines created, used and closed in sixteen threads, each calling itself")
    void whenEnginesAreMadeInManyThreadsThenEachWorks() {
        try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
            Runtimes.inParallel(16, number -> {
                try (RdmaRuntime runtime = Runtimes.open()) {
                    runtime.export(Echo.export(executor));
                    RpcServer server = Runtimes.listen(runtime);
                    RpcSession session = Runtimes.channel(runtime, server).session(Runtimes.LONG);
                    Runtimes.echo(session, 100 + number);
                    Runtimes.echo(session, 20_000 + number);
                }
            });
        }
        Runtimes.await("the threads to end", () -> Runtimes.threads().isEmpty());
        assertThat(Runtimes.threads()).isEmpty();
    }
}
