package io.rdmarpc.rpc.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.ResponseHandler;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.RpcSession;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.error.RdmaRpcException;
import io.rdmarpc.rpc.message.InboundMessage;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A runtime whose number of engines follows the load")
@Timeout(180)
class EngineScalerTest {

    private static final int ENGINES = 4;
    private static final int IN_FLIGHT = 10_000;
    private static final int CALLS = 60_000;
    private static final PollingConfig AUTO = PollingConfig.DEFAULTS.withMaxThreads(ENGINES);

    private static RdmaRuntime open(PollingConfig polling) {
        RpcConfig config = Runtimes.PATIENT.toBuilder().maxQueued(2 * IN_FLIGHT).build();
        return RdmaRuntime.open(Runtimes.nic(), config, polling);
    }

    /** Calls on the channels of all engines, and keeps a number of calls in flight. */
    private static final class Load {

        private final RpcChannel channel;
        private final Random random;
        private final CountDownLatch ended = new CountDownLatch(CALLS);
        private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();

        Load(RpcChannel channel, long seed) {
            this.channel = channel;
            this.random = new Random(seed);
        }

        /** Returns a session as a proxy does. The number of engines may become smaller at any time. */
        private RpcSession session() {
            List<RpcChannel> channels = channel.perEngine();
            return channels.get(random.nextInt(channels.size())).session(Runtimes.LONG);
        }

        void call(int number) {
            RpcSession session = session();
            MessageBuffer request = session.allocate(Integer.BYTES);
            request.segment().set(ValueLayout.JAVA_INT, 0, number);
            request.length(Integer.BYTES);
            int method = number % 4 == 0 ? Echo.ECHO.id() : Echo.INLINE_ECHO.id();
            session.call(method, request, Runtimes.LONG.toNanos(), new ResponseHandler() {

                @Override
                public void onResponse(InboundMessage response) {
                    try (response) {
                        int echoed = response.payload().get(ValueLayout.JAVA_INT, 0);
                        if (echoed != number) {
                            failures.add("call " + number + " got the response of " + echoed);
                        }
                    }
                    ended.countDown();
                }

                @Override
                public void onFailure(RdmaRpcException failure) {
                    failures.add("call " + number + ": " + failure);
                    ended.countDown();
                }
            });
        }

        private void run(Random sizes, RdmaRuntime client, RdmaRuntime server) {
            for (int i = 0; i < CALLS; i++) {
                int number = i;
                Runtimes.await(
                        "calls to end", () -> number - (CALLS - ended.getCount()) < IN_FLIGHT || !failures.isEmpty());
                call(i);
                if (i % 1_000 == 0) {
                    client.scaler().resize(1 + sizes.nextInt(ENGINES));
                    server.scaler().resize(1 + sizes.nextInt(ENGINES));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    @DisplayName("loses no call of 10,000 in flight while engines are added and leave on both sides")
    void whenEnginesComeAndGoThenNoCallIsLost(long seed) throws Exception {
        try (RdmaRuntime server = open(AUTO);
                RdmaRuntime client = open(AUTO)) {
            server.export(Echo.export(Executors.newVirtualThreadPerTaskExecutor()));
            try (RpcServer listening = Runtimes.listen(server)) {
                RpcChannel channel = Runtimes.channel(client, listening);
                channel.session(Runtimes.LONG);
                Load load = new Load(channel, seed);
                load.run(new Random(seed), client, server);

                assertThat(load.ended.await(60, TimeUnit.SECONDS))
                        .as("seed %d: all calls ended", seed)
                        .isTrue();
                assertThat(load.failures).as("seed %d", seed).isEmpty();
                assertThat(client.scaling().open()).isGreaterThan(1);
                assertThat(server.scaling().open()).isGreaterThan(1);
            }
        }
        Runtimes.await("the threads to end", () -> Runtimes.threads().isEmpty());
    }

    @Test
    @DisplayName("adds an engine when a server is saturated, and its clients move sessions there")
    void whenAServerIsSaturatedThenItsClientsUseTheNewEngine() throws Exception {
        AtomicBoolean done = new AtomicBoolean();
        try (RdmaRuntime server = open(PollingConfig.DEFAULTS.withMaxThreads(2));
                RdmaRuntime client = open(PollingConfig.DEFAULTS.withThreads(ENGINES))) {
            server.scaler().idleProcessors(() -> ENGINES);
            server.export(sleeping());
            try (RpcServer listening = Runtimes.listen(server)) {
                RpcChannel channel = Runtimes.channel(client, listening);
                channel.session(Runtimes.LONG);
                List<Thread> callers = new ArrayList<>();
                for (RpcChannel each : channel.perEngine()) {
                    callers.add(Thread.ofPlatform().daemon().start(() -> {
                        while (!done.get()) {
                            Runtimes.echo(each.session(Runtimes.LONG), Echo.INLINE_ECHO.id(), 32, 1);
                        }
                    }));
                }
                Runtimes.await("a second engine", () -> server.scaling().active() == 2);
                Runtimes.await(
                        "calls on the second engine",
                        () -> server.engineSnapshots().getLast().engine().requestsReceived() > 100);
                done.set(true);
                for (Thread caller : callers) {
                    caller.join();
                }
                assertThat(server.scaling().lastChange()).contains("2 active").contains("saturated");
                assertThat(client.statistics().callsFailed()).isZero();
            }
        }
    }

    /** A service whose inline method occupies its engine and no processor. */
    private static ServiceExport sleeping() {
        return new ServiceExport(
                new ServiceContract(Echo.SERVICE, List.of(Echo.INLINE_ECHO), List.of()),
                List.of(new ServiceExport.Method(
                        Echo.INLINE_ECHO.id(),
                        request -> {
                            Thread.sleep(1);
                            int length = request.message().length();
                            MessageBuffer reply = request.allocate(length);
                            reply.segment().copyFrom(request.message().payload());
                            reply.length(length);
                            request.respond(reply);
                        },
                        null)));
    }

    @Test
    @DisplayName("keeps one engine while it has little work")
    void whenThereIsLittleWorkThenItKeepsOneEngine() throws Exception {
        try (RdmaRuntime server = open(AUTO);
                RdmaRuntime client = open(AUTO)) {
            server.export(Echo.export(Executors.newVirtualThreadPerTaskExecutor()));
            try (RpcServer listening = Runtimes.listen(server)) {
                RpcSession session = Runtimes.channel(client, listening).session(Runtimes.LONG);
                for (int i = 0; i < 10; i++) {
                    Runtimes.echo(session, 32);
                    Thread.sleep(50);
                }
            }

            assertThat(server.scaling().open()).isOne();
            assertThat(client.scaling().open()).isOne();
            assertThat(client.scaling().max()).isEqualTo(ENGINES);
        }
    }

    @Test
    @DisplayName("ends the sessions of an engine that is not active any more when they are not used")
    void whenAnEngineBecomesInactiveThenItsSessionsEnd() {
        try (RdmaRuntime server = open(PollingConfig.DEFAULTS);
                RdmaRuntime client = open(AUTO)) {
            server.export(Echo.export(Executors.newVirtualThreadPerTaskExecutor()));
            try (RpcServer listening = Runtimes.listen(server)) {
                RpcChannel channel = Runtimes.channel(client, listening);
                RpcSession first = channel.session(Runtimes.LONG);
                client.scaler().resize(2);
                Runtimes.await("a second engine", () -> channel.perEngine().size() == 2);
                RpcSession second = channel.perEngine().get(1).session(Runtimes.LONG);
                assertThat(second.takesCalls()).isTrue();

                client.scaler().resize(1);
                Runtimes.await("the second session not to be chosen", () -> !second.takesCalls());

                Runtimes.echo(second, 32);
                Runtimes.await("the second session to end", () -> !second.isOpen());
                assertThat(first.takesCalls()).isTrue();
                assertThat(client.scaling().open()).as("kept for later").isEqualTo(2);
            }
        }
    }

    @Test
    @DisplayName("keeps its engines through a stop and a start")
    void whenItIsRestartedThenAllEnginesWork() {
        try (RdmaRuntime server = open(PollingConfig.DEFAULTS);
                RdmaRuntime client = open(AUTO)) {
            server.export(Echo.export(Executors.newVirtualThreadPerTaskExecutor()));
            try (RpcServer listening = Runtimes.listen(server)) {
                RpcChannel channel = Runtimes.channel(client, listening);
                client.scaler().resize(2);
                Runtimes.await("a second engine", () -> client.scaling().active() == 2);
                client.stop(Duration.ZERO);
                client.start();

                channel.session(Runtimes.LONG);
                for (RpcChannel each : channel.perEngine()) {
                    Runtimes.echo(each.session(Runtimes.LONG), 32);
                }

                assertThat(client.scaling().active()).isEqualTo(2);
            }
        }
        Runtimes.await("the threads to end", () -> Runtimes.threads().isEmpty());
    }
}
