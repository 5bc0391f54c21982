package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rdmarpc.concurrent.LoopOwnership;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.message.MessageView;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@DisplayName("The engines of a runtime")
@Timeout(120)
class EnginesTest {

    private static RdmaRuntime open(PollingConfig polling) {
        NicConfig nic =
                NicConfig.DEFAULTS.withProvider("soft", Map.of("soft.addresses", "127.0.0.1", "soft.port", "0"));
        return RdmaRuntime.open(nic, Runtimes.PATIENT, polling);
    }

    private static void echoOnEach(RdmaRuntime client, RpcServer listening, int channels, int... lengths) {
        List<RpcChannel> open = new ArrayList<>();
        for (int i = 0; i < channels; i++) {
            RpcChannel channel = Runtimes.channel(client, listening);
            open.add(channel);
            RpcSession session = channel.session(Runtimes.LONG);
            for (int length : lengths) {
                Runtimes.echo(session, length);
            }
        }
        open.forEach(RpcChannel::close);
    }

    @Test
    @DisplayName("share the sessions, and large messages work on each")
    void whenThereAreSeveralThenSessionsAreSpread() {
        try (RdmaRuntime server = open(PollingConfig.DEFAULTS.withThreads(2));
                RdmaRuntime client = open(PollingConfig.DEFAULTS.withThreads(2))) {
            server.export(Echo.export(Executors.newVirtualThreadPerTaskExecutor()));
            try (RpcServer listening = Runtimes.listen(server)) {
                echoOnEach(client, listening, 4, 32, 100_000);
            }
            Set<Thread> polling = new HashSet<>(Thread.getAllStackTraces().keySet());

            assertThat(polling.stream().filter(thread -> thread.getName().startsWith("rdma-poll-")))
                    .hasSize(4);
            assertThat(server.statistics().requestsReceived()).as("summed").isEqualTo(8);
            assertThat(client.statistics().callsCompleted()).as("summed").isEqualTo(8);
        }
        Runtimes.await("the threads to end", () -> Runtimes.threads().isEmpty());
    }

    @Test
    @DisplayName("have a channel each to the same target")
    void whenAChannelIsPerEngineThenEachEngineMakesItsCalls() {
        try (RdmaRuntime server = open(PollingConfig.DEFAULTS);
                RdmaRuntime client = open(PollingConfig.DEFAULTS.withThreads(3))) {
            server.export(Echo.export(Executors.newVirtualThreadPerTaskExecutor()));
            try (RpcServer listening = Runtimes.listen(server)) {
                RpcChannel channel = Runtimes.channel(client, listening);
                channel.session(Runtimes.LONG);
                List<RpcChannel> perEngine = channel.perEngine();
                for (int engine = 0; engine < perEngine.size(); engine++) {
                    RpcSession session = perEngine.get(engine).session(Runtimes.LONG);
                    for (int i = 0; i <= engine; i++) {
                        Runtimes.echo(session, 32);
                    }
                }

                assertThat(perEngine).hasSize(3).contains(channel);
                assertThat(client.engineSnapshots())
                        .extracting(each -> each.engine().callsCompleted())
                        .containsExactly(1L, 2L, 3L);
            }
        }
    }

    @Test
    @DisplayName("call the same server of a target with several addresses")
    void whenATargetHasSeveralAddressesThenAllEnginesUseOneServer() {
        try (RdmaRuntime first = open(PollingConfig.DEFAULTS);
                RdmaRuntime second = open(PollingConfig.DEFAULTS);
                RdmaRuntime client = open(PollingConfig.DEFAULTS.withThreads(3))) {
            RpcServer listening = Runtimes.listen(first);
            try (RpcServer other = Runtimes.listen(second)) {
                RpcChannel channel = client.channel("pair", List.of(listening.address(), other.address()));
                channel.session(Runtimes.LONG);
                channel.perEngine().forEach(each -> each.session(Runtimes.LONG));
                assertThat(first.sessions()).hasSize(3);
                assertThat(second.sessions()).isEmpty();

                listening.close();
                Runtimes.await("the channel to move", () -> second.sessions().size() == 1);
                channel.session(Runtimes.LONG);
                channel.perEngine().forEach(each -> each.session(Runtimes.LONG));

                assertThat(second.sessions()).hasSize(3);
            }
        }
    }

    @Test
    @DisplayName("end their sessions when the channel to the target is closed")
    void whenTheChannelIsClosedThenThoseOfAllEnginesAre() {
        try (RdmaRuntime server = open(PollingConfig.DEFAULTS);
                RdmaRuntime client = open(PollingConfig.DEFAULTS.withThreads(2))) {
            server.export(Echo.export(Executors.newVirtualThreadPerTaskExecutor()));
            try (RpcServer listening = Runtimes.listen(server)) {
                RpcChannel channel = Runtimes.channel(client, listening);
                channel.session(Runtimes.LONG);
                List<RpcChannel> perEngine = channel.perEngine();
                perEngine.forEach(each -> each.session(Runtimes.LONG));
                assertThat(perEngine).allMatch(RpcChannel::isConnected);

                channel.close();

                Runtimes.await("the sessions to end", () -> perEngine.stream().noneMatch(RpcChannel::isConnected));
                Runtimes.await("the server to know", () -> server.sessions().isEmpty());
            }
        }
    }

    @Test
    @DisplayName("are known to their polling threads, and to no other thread")
    void shouldKnowTheEngineOfAPollingThread() throws Exception {
        List<Integer> known = new ArrayList<>();
        for (PollingThread thread : PollingConfig.DEFAULTS.withThreads(2).threads("rdma-poll-number")) {
            CompletableFuture<Integer> engine = new CompletableFuture<>();
            thread.start(
                    () -> {
                        engine.complete(PollingThread.currentEngine());
                        return 0;
                    },
                    () -> false,
                    new LoopOwnership());
            known.add(engine.get(30, TimeUnit.SECONDS));
            assertThat(thread.stop(Runtimes.LONG)).isTrue();
        }

        assertThat(known).containsExactly(0, 1);
        assertThat(PollingThread.currentEngine()).isEqualTo(-1);
    }

    @ParameterizedTest
    @EnumSource(IdlePolicy.class)
    @DisplayName("respond with every idle policy of their threads")
    void whenIdleThenCallsGetResponses(IdlePolicy policy) throws InterruptedException {
        try (RdmaRuntime server = open(PollingConfig.DEFAULTS.withIdleStrategy(policy));
                RdmaRuntime client = open(PollingConfig.DEFAULTS.withIdleStrategy(policy))) {
            server.export(Echo.export(Executors.newVirtualThreadPerTaskExecutor()));
            try (RpcServer listening = Runtimes.listen(server)) {
                RpcSession session = Runtimes.channel(client, listening).session(Runtimes.LONG);
                for (int i = 0; i < 5; i++) {
                    Runtimes.echo(session, 32);
                    Thread.sleep(20);
                }
                Runtimes.echo(session, 1_000_000);
                try (RpcCall call = session.prepareCall(RpcCall.End.NONE)) {
                    MessageBuffer request = call.request(32);
                    request.length(32);
                    assertThat(call.call(Echo.INLINE_ECHO.id(), Runtimes.LONG.toNanos())
                                    .length())
                            .isEqualTo(32);
                }
            }
        }
    }

    @Test
    @DisplayName("without a thread are run by the application, and by callers that wait")
    void whenThereIsNoThreadThenTheApplicationRunsThem() throws InterruptedException {
        AtomicBoolean done = new AtomicBoolean();
        try (RdmaRuntime server = open(PollingConfig.USER_DRIVEN);
                RdmaRuntime client = open(PollingConfig.USER_DRIVEN)) {
            server.export(Echo.export(Executors.newVirtualThreadPerTaskExecutor()));
            Thread turning = Thread.ofPlatform().daemon().start(() -> {
                while (!done.get()) {
                    if (server.doWork() == 0) {
                        Thread.onSpinWait();
                    }
                }
            });
            try (RpcServer listening = Runtimes.listen(server);
                    RpcCall call = Runtimes.channel(client, listening)
                            .session(Runtimes.LONG)
                            .prepareCall(RpcCall.End.NONE)) {
                MessageBuffer request = call.request(4);
                request.segment().set(ValueLayout.JAVA_INT, 0, 7);
                request.length(4);
                call.start(Echo.INLINE_ECHO.id(), Runtimes.LONG.toNanos());
                while (!call.hasEnded()) {
                    client.doWork();
                }
                MessageView response = call.response();
                assertThat(response.memory().get(ValueLayout.JAVA_INT, response.offset()))
                        .isEqualTo(7);

                call.request(4).length(4);
                assertThat(call.call(Echo.INLINE_ECHO.id(), Runtimes.LONG.toNanos())
                                .length())
                        .isEqualTo(4);
                assertThat(Runtimes.threads()).noneMatch(name -> name.startsWith("rdma-poll-"));
            } finally {
                client.stop(Duration.ZERO);
                server.stop(Duration.ZERO);
                done.set(true);
                turning.join();
            }
        }
        Runtimes.await("the threads to end", () -> Runtimes.threads().isEmpty());
    }

    @Test
    @DisplayName("cannot be more than one NIC can keep busy")
    void whenThereAreTooManyThenTheyAreRejected() {
        assertThatExceptionOfType(RdmaConfigurationException.class)
                .isThrownBy(() -> PollingConfig.DEFAULTS.withThreads(PollingConfig.MAX_THREADS + 1))
                .withMessageContaining("polling.threads");
    }
}
