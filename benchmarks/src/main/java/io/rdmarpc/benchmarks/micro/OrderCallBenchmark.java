package io.rdmarpc.benchmarks.micro;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaMethod.Execution;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.benchmarks.order.Order;
import io.rdmarpc.benchmarks.order.OrderDesk;
import io.rdmarpc.benchmarks.order.OrderRequest;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.observation.MicrometerCallObserver;
import io.rdmarpc.service.server.ServiceExporter;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/**
 * The typed order, from a proxy to a bean and back, by one thread that turns both engines: what such a call costs in
 * instructions, with timers on both sides, without any waiting and without a second CPU.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class OrderCallBenchmark {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** As a Spring developer writes it. */
    @RdmaService(name = "benchmark.OrderCallBenchmark")
    public interface Orders {

        /**
         * Takes an order.
         *
         * @param request what is ordered
         * @return what it costs
         */
        @RdmaMethod(execution = Execution.INLINE)
        CompletableFuture<Order> place(OrderRequest request);
    }

    /** The bean. */
    private record Desk() implements Orders {

        @Override
        public CompletableFuture<Order> place(OrderRequest request) {
            return CompletableFuture.completedFuture(OrderDesk.accept(request));
        }
    }

    private final ServiceCodecFactory codecs =
            KryoRdmaSerializer.codecFactory(Orders.class.getClassLoader(), List.of());
    private final MicrometerCallObserver timers = new MicrometerCallObserver(new SimpleMeterRegistry());
    private final TwoEngines engines = new TwoEngines();
    private final RdmaRuntime serverRuntime = engines.server;
    private final RdmaRuntime clientRuntime = engines.client;
    private final Orders orders = new RdmaServiceProxyFactory(codecs, timers, Runnable::run)
            .create(
                    Orders.class,
                    new RdmaTarget("benchmark", "here", clientRuntime.channel("benchmark", serve()), TIMEOUT));

    /** Made by JMH. The first call connects. */
    public OrderCallBenchmark() {
        Order _ = engines.whileTurned(() -> orders.place(OrderDesk.REQUEST).join());
    }

    private InetSocketAddress serve() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("desk", new Desk());
        new ServiceExporter(codecs, timers, Runnable::run, new LoadLimits(0, Duration.ZERO))
                .export(beans)
                .forEach(serverRuntime::export);
        return engines.listen();
    }

    private int doWork() {
        return clientRuntime.doWork() + serverRuntime.doWork();
    }

    /** Says goodbye. */
    @TearDown
    public void close() {
        engines.close();
    }

    /**
     * An order there and its answer back.
     *
     * @return the answer
     */
    @Benchmark
    public Order place() {
        CompletableFuture<Order> answer = orders.place(OrderDesk.REQUEST);
        while (!answer.isDone()) {
            int _ = doWork();
        }
        return answer.join();
    }
}
