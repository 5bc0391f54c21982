package io.rdmarpc.benchmarks.micro;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.rdmarpc.benchmarks.micro.ProxyOverhead.Sums;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.routing.RdmaTarget;
import io.rdmarpc.service.codec.kryo.KryoRdmaSerializer;
import io.rdmarpc.service.observation.MicrometerCallObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One proxy with meters that all threads call, over sessions that respond at once. Each thread has its own memory, so the
 * threads share nothing but what a proxy shares. Run it with {@code -t 1} and {@code -t 2}: the ratio of the times is the
 * contention between the caller and the engine.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class SharedProxy {

    /** The argument of one thread. */
    @State(Scope.Thread)
    public static class Argument {

        private int number;

        /** Called by JMH. */
        public Argument() {}
    }

    private final EchoingChannel channel = EchoingChannel.withMemoryOfEachThread();

    /** Whether calls are recorded by timers of Micrometer. */
    @Param({"true", "false"})
    public boolean timers;

    private Sums sums = number -> number;

    /** Creates the proxy. */
    @Setup
    public void create() {
        sums = new RdmaServiceProxyFactory(
                        KryoRdmaSerializer.codecFactory(Sums.class.getClassLoader(), List.of()),
                        timers ? new MicrometerCallObserver(new SimpleMeterRegistry()) : CallObserver.NONE,
                        Runnable::run)
                .create(Sums.class, new RdmaTarget("benchmark", "here", channel, Duration.ofSeconds(3)));
    }

    /** Called by JMH. */
    public SharedProxy() {}

    /** Releases the memory. */
    @TearDown
    public void close() {
        channel.close();
    }

    /**
     * Calls the proxy.
     *
     * @param argument the argument of this thread
     * @return the result
     */
    @Benchmark
    public int call(Argument argument) {
        return sums.same(argument.number++);
    }
}
