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
 * Duty cycles of two engines that one thread runs, each with its own software RNIC in this process: what a call costs in
 * instructions, without any waiting and without a second CPU.
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
            engines.whileTurned(() -> channel.session(Duration.ofSeconds(20))).prepareCall(RpcCall.End.UNTOLD);

    /** Made by JMH. */
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
        MessageBuffer answer = served.response(length);
        MemorySegment.copy(served.memory(), served.offset(), answer.segment(), 0, length);
        answer.length(length);
        served.respond();
    }

    /** Says goodbye. */
    @TearDown
    public void close() {
        engines.close();
    }

    /**
     * A turn that finds nothing.
     *
     * @return 0
     */
    @Benchmark
    public int idleTurn() {
        return clientRuntime.doWork();
    }

    /**
     * A call of 32 bytes there and back, with the turns of both engines.
     *
     * @return the answer's length
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
