package io.rdmarpc.benchmarks.micro;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A call of a proxy on a session that answers at once: what stands between the caller and the engine. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ProxyOverhead {

    /** Numbers cost next to nothing to serialize. */
    @RdmaService(name = "benchmark.Sums")
    public interface Sums {

        /**
         * What is called.
         *
         * @param number anything
         * @return the same
         */
        int same(int number);
    }

    private final EchoingChannel channel = new EchoingChannel();
    private final Sums sums = new RdmaServiceProxyFactory(
                    KryoRdmaSerializer.codecFactory(Sums.class.getClassLoader(), List.of()),
                    CallObserver.NONE,
                    Runnable::run)
            .create(Sums.class, new RdmaTarget("benchmark", "here", channel, Duration.ofSeconds(3)));
    private int number;

    /** Made by JMH. */
    public ProxyOverhead() {}

    /** Gives the memory back. */
    @TearDown
    public void close() {
        channel.close();
    }

    /**
     * Calls the proxy.
     *
     * @return what came back
     */
    @Benchmark
    public int call() {
        return sums.same(number++);
    }
}
