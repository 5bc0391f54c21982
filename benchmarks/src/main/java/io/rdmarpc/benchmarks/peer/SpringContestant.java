package io.rdmarpc.benchmarks.peer;

import io.rdmarpc.autoconfigure.client.RdmaClients;
import io.rdmarpc.benchmarks.load.CallMode;
import io.rdmarpc.benchmarks.load.Callers;
import io.rdmarpc.benchmarks.load.Contestant;
import io.rdmarpc.benchmarks.load.Payload;
import io.rdmarpc.benchmarks.load.Pipeline;
import io.rdmarpc.benchmarks.load.SentBytes;
import io.rdmarpc.benchmarks.order.Order;
import io.rdmarpc.benchmarks.order.OrderDesk;
import io.rdmarpc.benchmarks.order.OrderRequest;
import io.rdmarpc.rpc.runtime.EngineInvoker;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.kryo.KryoCustomizer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;

/**
 * {@code @RdmaService} with Spring: a proxy at the client, a bean at the server, Kryo, and timers on both sides as the
 * starter creates them. Unless the settings differ, each side has one adaptive polling thread, which is the default.
 *
 * @param link link between the two processes
 * @param dispatch thread that runs the methods
 * @param codec serializers of orders
 * @param ends thread that completes futures
 * @param sessions sessions of the client
 * @param settings additional properties of both sides
 */
record SpringContestant(
        BenchmarkLink link, Dispatch dispatch, OrderCodec codec, Ends ends, Sessions sessions, List<String> settings)
        implements Contestant {

    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** Properties for many concurrent calls. */
    private static final List<String> WIDE =
            List.of("rdma.client.max-in-flight=128", "rdma.server.max-concurrent-calls=1024");

    private static final String BUSY = "rdma.polling.idle-strategy=busy";

    /** The thread that runs the server's methods. */
    enum Dispatch {
        INLINE("inline on the polling thread"),
        VIRTUAL("virtual threads"),
        /** Platform threads of the starter's executor, as without {@code spring.threads.virtual.enabled}. */
        WORKER("worker threads");

        private final String text;

        Dispatch(String text) {
            this.text = text;
        }
    }

    /** The thread that completes futures. */
    enum Ends {
        /** Virtual threads, the starter's default. */
        VIRTUAL_THREADS,
        /** The client's polling thread, as with a direct executor. */
        POLLING_THREAD,
        /** The thread that makes the calls, which runs the event loop. */
        CALLER;

        boolean isDirect() {
            return this != VIRTUAL_THREADS;
        }
    }

    /**
     * The sessions of the client.
     *
     * @param targets number of targets, each with a session of its own
     * @param used number of targets that pipelines and callers use in turn
     * @param twoInstances whether the client knows the server by address and by name, as two instances of one target
     *     with a session each, which calls use alternately
     */
    record Sessions(int targets, int used, boolean twoInstances) {

        /** One session. */
        static final Sessions ONE = new Sessions(1, 1, false);

        /** Two sessions, used alternately. */
        static final Sessions TWO = new Sessions(1, 1, true);

        /** A hundred sessions, of which calls use one. */
        static final Sessions HUNDRED = new Sessions(100, 1, false);

        /** Creates sessions, one on each engine, of which each pipeline or caller uses one. */
        static Sessions each(int count) {
            return new Sessions(count, count, false);
        }

        static String name(int target) {
            return target == 0 ? "default" : "t" + target;
        }

        List<String> targets(String port) {
            String server = "127.0.0.1:" + port;
            if (twoInstances) {
                return List.of(
                        address("default", server + ",localhost:" + port),
                        "rdma.client.targets.default.policy=round-robin");
            }
            return IntStream.range(0, targets)
                    .mapToObj(target -> address(name(target), server))
                    .toList();
        }

        private static String address(String target, String value) {
            return "rdma.client.targets." + target + ".address=" + value;
        }
    }

    /** Creates a contestant with settings for many concurrent calls. */
    SpringContestant(BenchmarkLink link, Dispatch dispatch, OrderCodec codec, Ends ends, Sessions sessions) {
        this(link, dispatch, codec, ends, sessions, WIDE);
    }

    /** Creates a contestant with the starter's defaults, virtual threads enabled, except for these settings. */
    static SpringContestant set(Sessions sessions, String... settings) {
        return new SpringContestant(
                BenchmarkLink.SHARED_MEMORY,
                Dispatch.VIRTUAL,
                OrderCodec.GENERATED,
                Ends.VIRTUAL_THREADS,
                sessions,
                List.of(settings));
    }

    @Override
    public CallMode mode(Payload payload, Callers callers) {
        return new CallMode(
                payload.isOrder() ? "typed, Kryo with " + codec.text() + " serializers" : "byte[]",
                dispatch.text,
                "an adaptive polling thread on each side"
                        + otherwise()
                        + virtualThreadDriver(callers)
                        + switch (callers) {
                            case ASYNC ->
                                switch (ends) {
                                    case VIRTUAL_THREADS -> "";
                                    case POLLING_THREAD -> ", the client's completes futures";
                                    case CALLER -> ", at the client the calling thread instead, without a pause";
                                };
                            case PLATFORM -> ", at the client a waiting caller instead";
                            case VIRTUAL -> "";
                        });
    }

    private String virtualThreadDriver(Callers callers) {
        boolean virtual = dispatch == Dispatch.VIRTUAL || callers == Callers.VIRTUAL;
        return virtual && !settings.contains(BUSY)
                ? ", a virtual one instead while virtual threads call or respond"
                : "";
    }

    private String otherwise() {
        return settings.isEmpty() || settings.equals(WIDE) ? "" : ", but with " + String.join(", ", settings);
    }

    @Override
    public Server serve() {
        ConfigurableApplicationContext context = run(SpringServer.class, List.of());
        int port = context.getEnvironment().getRequiredProperty("local.rdma.server.port", Integer.class);
        return new Server() {
            @Override
            public String address() {
                return Integer.toString(port);
            }

            @Override
            public void close() {
                context.close();
            }
        };
    }

    @Override
    public Client connect(String address) {
        List<String> properties = new ArrayList<>(sessions.targets(address));
        properties.add("rdma.client.eager-connect=true");
        ConfigurableApplicationContext context = run(SpringClient.class, properties);
        List<Orders> proxies = sessions.used() == 1
                ? List.of(context.getBean(Orders.class))
                : IntStream.range(0, sessions.used())
                        .mapToObj(target -> proxy(context, Sessions.name(target)))
                        .toList();
        return new SpringClientOf(context, proxies, new AtomicInteger(), new AtomicInteger(), dispatch, ends);
    }

    /** Creates a proxy that uses one session. The channels of targets are on the engines in turn. */
    private static Orders proxy(ApplicationContext context, String name) {
        RdmaTarget target = context.getBean(RdmaClients.class).target(name);
        return context.getBean(RdmaServiceProxyFactory.class)
                .create(
                        Orders.class,
                        new RdmaTarget(
                                name, target.address(), new OneEngineChannel(target.channel()), target.timeout()));
    }

    private ConfigurableApplicationContext run(Class<?> application, List<String> properties) {
        List<String> all = new ArrayList<>(properties);
        all.addAll(settings);
        all.addAll(List.of(
                "rdma.provider=soft",
                "rdma.soft.addresses=127.0.0.1",
                "rdma.soft.port=0",
                "rdma.soft.shared-memory.enabled=" + link.sharesMemory(),
                "rdma.server.address=127.0.0.1",
                "rdma.server.port=0",
                "spring.threads.virtual.enabled=" + (dispatch != Dispatch.WORKER),
                "spring.main.banner-mode=off",
                "logging.level.root=warn",
                "benchmark.codec=" + codec,
                "benchmark.direct=" + ends.isDirect()));
        return new SpringApplicationBuilder(application)
                .web(WebApplicationType.NONE)
                .run(all.stream().map(each -> "--" + each).toArray(String[]::new));
    }

    /** The server application. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class SpringServer {

        @Bean
        Orders orders() {
            return new OrdersBean();
        }

        @Bean
        KryoCustomizer benchmarkKryo(@Value("${benchmark.codec}") OrderCodec codec) {
            return codec::customize;
        }
    }

    /** The client application. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class SpringClient {

        @Bean
        KryoCustomizer benchmarkKryo(@Value("${benchmark.codec}") OrderCodec codec) {
            return codec::customize;
        }

        /** The starter's client configuration, with another executor. */
        @Bean
        @ConditionalOnProperty("benchmark.direct")
        RdmaServiceProxyFactory directProxyFactory(ServiceCodecFactory codecs, ObjectProvider<CallObserver> observer) {
            return new RdmaServiceProxyFactory(codecs, observer.getIfAvailable(() -> CallObserver.NONE), Runnable::run);
        }
    }

    private static final class OrdersBean implements Orders {

        @Override
        public Order place(OrderRequest request) {
            return OrderDesk.accept(request);
        }

        @Override
        public Order placeInline(OrderRequest request) {
            return OrderDesk.accept(request);
        }

        @Override
        public CompletableFuture<Order> placeLater(OrderRequest request) {
            return CompletableFuture.completedFuture(OrderDesk.accept(request));
        }

        @Override
        public CompletableFuture<Order> placeLaterInline(OrderRequest request) {
            return CompletableFuture.completedFuture(OrderDesk.accept(request));
        }

        @Override
        public byte[] echo(byte[] bytes) {
            return bytes;
        }

        @Override
        public byte[] echoInline(byte[] bytes) {
            return bytes;
        }

        @Override
        public CompletableFuture<byte[]> echoLater(byte[] bytes) {
            return CompletableFuture.completedFuture(bytes);
        }

        @Override
        public CompletableFuture<byte[]> echoLaterInline(byte[] bytes) {
            return CompletableFuture.completedFuture(bytes);
        }
    }

    private record SpringClientOf(
            ConfigurableApplicationContext context,
            List<Orders> proxies,
            AtomicInteger next,
            AtomicInteger nextEngine,
            Dispatch dispatch,
            Ends ends)
            implements Client {

        private Orders orders() {
            return proxies.get(Math.floorMod(next.getAndIncrement(), proxies.size()));
        }

        @Override
        public Caller caller(Payload payload) {
            boolean inline = dispatch == Dispatch.INLINE;
            Orders orders = orders();
            if (payload.isOrder()) {
                return inline
                        ? () -> OrderDesk.check(orders.placeInline(OrderDesk.REQUEST))
                        : () -> OrderDesk.check(orders.place(OrderDesk.REQUEST));
            }
            SentBytes sent = new SentBytes(payload, 1);
            return inline
                    ? () -> sent.check(0, orders.echoInline(sent.next(0)))
                    : () -> sent.check(0, orders.echo(sent.next(0)));
        }

        /** Returns an invoker of all engines if there is one pipeline, otherwise of one for each. */
        private EngineInvoker openInvoker() {
            RdmaRuntime runtime = context.getBean(RdmaRuntime.class);
            int engines = runtime.scaling().open();
            return engines == 1
                    ? runtime.invoker(LIMIT)
                    : runtime.invoker(nextEngine.getAndIncrement() % engines, LIMIT);
        }

        @Override
        public Pipeline pipeline(Payload payload, int outstanding, Pipeline.Ends listener) {
            SentBytes sent = new SentBytes(payload, outstanding);
            Orders orders = orders();
            return new Pipeline() {
                // Opened by the thread that starts the calls.
                private @Nullable EngineInvoker invoker;
                private @Nullable Thread driver;

                // Ends on other threads. Until the session on the engine of this pipeline's thread is open, calls use
                // the session of another thread's engine.
                private final Queue<Runnable> foreignEnds = new ConcurrentLinkedQueue<>();

                @Override
                public void start(int slot) {
                    if (invoker == null && isCallerDriven()) {
                        invoker = openInvoker();
                        driver = Thread.currentThread();
                    }
                    if (payload.isOrder()) {
                        var _ = order().whenComplete(
                                        (order, failure) -> end(slot, failure, () -> OrderDesk.check(order)));
                    } else {
                        var _ = echo(sent.next(slot))
                                .whenComplete((echo, failure) -> end(slot, failure, () -> sent.check(slot, echo)));
                    }
                }

                private CompletableFuture<Order> order() {
                    return dispatch == Dispatch.INLINE
                            ? orders.placeLaterInline(OrderDesk.REQUEST)
                            : orders.placeLater(OrderDesk.REQUEST);
                }

                private CompletableFuture<byte[]> echo(byte[] bytes) {
                    return dispatch == Dispatch.INLINE ? orders.echoLaterInline(bytes) : orders.echoLater(bytes);
                }

                private void end(int slot, @Nullable Throwable failure, Runnable check) {
                    if (driver == null || Thread.currentThread().equals(driver)) {
                        endHere(slot, failure, check);
                    } else {
                        foreignEnds.add(() -> endHere(slot, failure, check));
                    }
                }

                private void endHere(int slot, @Nullable Throwable failure, Runnable check) {
                    if (failure != null) {
                        listener.failed(failure);
                        return;
                    }
                    check.run();
                    listener.ended(slot);
                }

                @Override
                public boolean isConcurrent() {
                    return !ends.isDirect();
                }

                @Override
                public boolean isCallerDriven() {
                    return ends == SpringContestant.Ends.CALLER;
                }

                @Override
                public void doWork() {
                    if (invoker != null && invoker.invoke() == 0) {
                        for (Runnable end = foreignEnds.poll(); end != null; end = foreignEnds.poll()) {
                            end.run();
                        }
                        Thread.onSpinWait();
                    }
                }

                @Override
                public void close() {
                    if (invoker != null) {
                        invoker.close();
                    }
                }
            };
        }

        @Override
        public void close() {
            context.close();
        }
    }
}
