package io.rdmarpc.benchmarks.micro;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rdmarpc.annotation.RdmaMethod;
import io.rdmarpc.annotation.RdmaMethod.Execution;
import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.benchmarks.order.Order;
import io.rdmarpc.benchmarks.order.OrderDesk;
import io.rdmarpc.benchmarks.order.OrderRequest;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.observation.MicrometerCallObserver;
import io.rdmarpc.service.server.ServiceExporter;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/**
 * A typed call from a proxy to a bean and back, with timers on both sides. One thread runs both engines, so that the
 * result is the CPU cost of such a call, without waiting and without a second CPU.
 *
 * <p>Each thread has its own engines. Codecs, timers, the proxy's factory and the exported bean belong to the application,
 * which all threads share. Two threads ({@code -t 2}) compared with two processes of one thread each at the same time show
 * the contention for what an application shares.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class OrderCallBenchmark {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    /** The service as a Spring developer defines it. */
    @RdmaService(name = "benchmark.OrderCallBenchmark")
    public interface Orders {

        /**
         * Places an order.
         *
         * @param request the order request
         * @return the accepted order
         */
        @RdmaMethod(execution = Execution.INLINE)
        CompletableFuture<Order> place(OrderRequest request);
    }

    /** The bean that implements the service. */
    private record Desk() implements Orders {

        @Override
        public CompletableFuture<Order> place(OrderRequest request) {
            return CompletableFuture.completedFuture(OrderDesk.accept(request));
        }
    }

    /** What the threads of an application share. */
    @State(Scope.Benchmark)
    public static class Application {

        private final ServiceCodecFactory codecs =
                KryoRdmaSerializer.codecFactory(Orders.class.getClassLoader(), List.of());
        private final MicrometerCallObserver timers = new MicrometerCallObserver(new SimpleMeterRegistry());
        private final RdmaServiceProxyFactory proxies = new RdmaServiceProxyFactory(codecs, timers, Runnable::run);
        private final List<ServiceExport> services = export();

        /** Called by JMH. */
        public Application() {}

        private List<ServiceExport> export() {
            DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
            beans.registerSingleton("desk", new Desk());
            return new ServiceExporter(codecs, timers, Runnable::run, new LoadLimits(0, Duration.ZERO)).export(beans);
        }
    }

    private final TwoEngines engines = new TwoEngines();
    private final RdmaRuntime serverRuntime = engines.server;
    private final RdmaRuntime clientRuntime = engines.client;
    private Orders orders = request -> CompletableFuture.failedFuture(new IllegalStateException("not connected"));

    /** Called by JMH. */
    public OrderCallBenchmark() {}

    /**
     * Connects with the first call.
     *
     * @param application what the threads share
     */
    @Setup
    public void connect(Application application) {
        application.services.forEach(serverRuntime::export);
        orders = application.proxies.create(
                Orders.class,
                new RdmaTarget("benchmark", "here", clientRuntime.channel("benchmark", engines.listen()), TIMEOUT));
        Order _ = engines.whileTurned(() -> orders.place(OrderDesk.REQUEST).join());
    }

    private int doWork() {
        return clientRuntime.doWork() + serverRuntime.doWork();
    }

    /** Closes both runtimes. */
    @TearDown
    public void close() {
        engines.close();
    }

    /**
     * Makes a typed call.
     *
     * @return the accepted order
     */
    @Benchmark
    public Order place() {
        CompletableFuture<Order> response = orders.place(OrderDesk.REQUEST);
        while (!response.isDone()) {
            int _ = doWork();
        }
        return response.join();
    }
}
