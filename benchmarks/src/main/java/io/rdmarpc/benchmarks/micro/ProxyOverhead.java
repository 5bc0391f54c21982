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

/** A proxy's call on a session that responds at once: the cost between the caller and the engine. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ProxyOverhead {

    /** A service with numbers, whose serialization costs almost nothing. */
    @RdmaService(name = "benchmark.Sums")
    public interface Sums {

        /**
         * Returns its argument.
         *
         * @param number any number
         * @return the same number
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

    /** Called by JMH. */
    public ProxyOverhead() {}

    /** Releases the memory. */
    @TearDown
    public void close() {
        channel.close();
    }

    /**
     * Calls the proxy.
     *
     * @return the result
     */
    @Benchmark
    public int call() {
        return sums.same(number++);
    }
}
