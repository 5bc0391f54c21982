package io.rdmarpc.benchmarks.engine;

import io.rdmarpc.benchmarks.Cpus;
import io.rdmarpc.benchmarks.DeviceOptions;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The client process: measures one figure and prints it. */
@Command(name = "echo-client", description = "calls echo-server and prints one number", mixinStandardHelpOptions = true)
final class EchoClient implements Callable<Integer> {

    @Mixin
    private DeviceOptions device = new DeviceOptions();

    @Option(names = "--measure", required = true, description = "figure to measure: ${COMPLETION-CANDIDATES}")
    private EchoMeasure measure = EchoMeasure.LATENCY;

    @Option(names = "--port", required = true, description = "TCP port that the server printed")
    private int port;

    @Option(names = "--cpu", description = "pin the calling thread to the CPU of this rank, from 0 (default: none)")
    private int cpu = -1;

    @Option(names = "--seconds", description = "length of the measurement in seconds (default ${DEFAULT-VALUE})")
    private double seconds = 2;

    @Option(
            names = "--warm-up",
            description = "seconds of warm-up, which the JIT compilers need on two CPUs with two polling threads"
                    + " (default ${DEFAULT-VALUE})")
    private double warmUp = 8;

    @Option(
            names = "--on-demand",
            description = "prints the figure's name after the warm-up, then one number for each input line; ends at the"
                    + " end of its input")
    private boolean onDemand;

    @Override
    public Integer call() throws IOException {
        if (cpu >= 0) {
            Cpus.pin(cpu);
        }
        PollingConfig polling = measure.usesPollingThread() ? PollingConfig.DEFAULTS : PollingConfig.USER_DRIVEN;
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        try (RdmaRuntime runtime = EchoService.open(device.nic(), polling);
                RpcChannel channel = runtime.channel("first", address);
                RpcChannel second = runtime.channel("second", address)) {
            EchoRun run = new EchoRun(runtime, channel, second);
            measure.measure(run, duration(warmUp));
            if (onDemand) {
                measureOnDemand(run);
            } else {
                print(run);
            }
        }
        return 0;
    }

    private void measureOnDemand(EchoRun run) throws IOException {
        System.out.println(measure);
        System.out.flush();
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()));
        while (orders.readLine() != null) {
            print(run);
        }
    }

    private void print(EchoRun run) {
        System.out.printf(Locale.ROOT, "%.4f%n", measure.measure(run, duration(seconds)));
        System.out.flush();
    }

    private static Duration duration(double seconds) {
        return Duration.ofNanos((long) (seconds * 1e9));
    }
}
