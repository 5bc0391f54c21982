package io.rdmarpc.benchmarks.micro;

import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.rpc.BytesHandler;
import io.rdmarpc.rpc.RpcCall;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.ServedCall;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
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

/**
 * Duty cycles of two engines in this process, each with its own software RNIC. One thread runs both, so that the result
 * is the CPU cost of a call, without waiting and without a second CPU.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class EngineEchoBenchmark {

    private static final int ECHO = 1;
    private static final int BYTES = 32;
    private static final long TIMEOUT = Duration.ofSeconds(20).toNanos();

    private final TwoEngines engines = new TwoEngines();
    private final RdmaRuntime serverRuntime = engines.server;
    private final RdmaRuntime clientRuntime = engines.client;
    private final RpcChannel channel = clientRuntime.channel("benchmark", serve());
    private final RpcCall call =
            engines.whileTurned(() -> channel.session(Duration.ofSeconds(20))).prepareCall(RpcCall.End.NONE);

    /** Called by JMH. */
    public EngineEchoBenchmark() {}

    private InetSocketAddress serve() {
        ServiceContract contract =
                new ServiceContract("benchmark", List.of(new ServiceContract.Method(ECHO, "echo")), List.of());
        serverRuntime.export(new ServiceExport(
                contract, List.of(new ServiceExport.Method(ECHO, (BytesHandler) EngineEchoBenchmark::echo, null))));
        return engines.listen();
    }

    private static void echo(ServedCall served) {
        int length = served.length();
        MessageBuffer response = served.response(length);
        MemorySegment.copy(served.memory(), served.offset(), response.segment(), 0, length);
        response.length(length);
        served.respond();
    }

    /** Closes both runtimes. */
    @TearDown
    public void close() {
        engines.close();
    }

    /**
     * Runs a duty cycle that finds nothing.
     *
     * @return 0
     */
    @Benchmark
    public int idleTurn() {
        return clientRuntime.doWork();
    }

    /**
     * Makes a call of 32 bytes, with the duty cycles of both engines.
     *
     * @return the length of the response in bytes
     */
    @Benchmark
    public int echo() {
        call.request(BYTES).length(BYTES);
        call.start(ECHO, TIMEOUT);
        while (!call.hasEnded()) {
            clientRuntime.doWork();
            serverRuntime.doWork();
        }
        return call.response().length();
    }
}
