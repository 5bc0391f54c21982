package io.rdmarpc.rpc.runtime;

import static io.rdmarpc.rpc.runtime.Runtimes.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;

/** A server and a client between whom a stranger may do what he likes on the control channel: they and others go on. */
@Timeout(120)
abstract class HandshakeFixture {

    private static final Duration CONNECT_TIMEOUT = Duration.ofMillis(400);

    /** More than the sessions that fit into a receive ring: what is not given back is missed. */
    static final int MANY = 1100;

    private static ExecutorService executor;
    static RdmaRuntime serving;
    static RdmaRuntime calling;
    static RpcServer server;
    private static RpcSession bystander;

    @BeforeAll
    static void open() {
        executor = Executors.newVirtualThreadPerTaskExecutor();
        serving = Runtimes.open(Runtimes.config(LONG, CONNECT_TIMEOUT));
        calling = Runtimes.open(Runtimes.config(LONG, CONNECT_TIMEOUT));
        serving.export(Echo.export(executor));
        server = Runtimes.listen(serving);
        bystander = Runtimes.channel(calling, server).session(LONG);
    }

    @AfterAll
    static void close() {
        calling.close();
        serving.close();
        executor.close();
        assertThat(serving.registeredBytes()).isZero();
        assertThat(calling.registeredBytes()).isZero();
    }

    /** Whatever happened, a client that behaves did not notice, and no session of the others is left. */
    @AfterEach
    void shouldNotHaveDisturbedOthers() {
        Runtimes.echo(bystander, 100);
        Runtimes.echo(bystander, 100_000);
        awaitTheBystanderAlone("strangers' sessions to end");
        Runtimes.await(
                "sessions with strangers to end", () -> calling.statistics().clientSessions() == 1);
        RpcChannel fresh = Runtimes.channel(calling, server);
        Runtimes.echo(fresh.session(LONG), 10);
        fresh.close();
        awaitTheBystanderAlone("the fresh session to end, which the next test would count");
    }

    private static void awaitTheBystanderAlone(String what) {
        Runtimes.await(what, () -> serving.statistics().serverSessions() == 1);
    }
}
