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

/**
 * A server and a client, between which a misbehaving peer uses the control connection. They and others must continue.
 */
@Timeout(120)
abstract class HandshakeFixture {

    private static final Duration CONNECT_TIMEOUT = Duration.ofMillis(400);

    /** More than the sessions that fit a receive ring, so that a test notices an entry that is not released. */
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

    /** After every test, a well-behaved client must be unaffected, and no session of others is left. */
    @AfterEach
    void shouldNotHaveDisturbedOthers() {
        Runtimes.echo(bystander, 100);
        Runtimes.echo(bystander, 100_000);
        awaitTheBystanderAlone("the sessions of misbehaving peers to end");
        Runtimes.await(
                "sessions with misbehaving peers to end",
                () -> calling.statistics().clientSessions() == 1);
        RpcChannel fresh = Runtimes.channel(calling, server);
        Runtimes.echo(fresh.session(LONG), 10);
        fresh.close();
        awaitTheBystanderAlone("the fresh session to end, which the next test would count");
    }

    private static void awaitTheBystanderAlone(String what) {
        Runtimes.await(what, () -> serving.statistics().serverSessions() == 1);
    }
}
