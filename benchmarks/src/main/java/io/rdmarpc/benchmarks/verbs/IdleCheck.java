package io.rdmarpc.benchmarks.verbs;

import com.sun.management.OperatingSystemMXBean;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures the CPU time of a process that has an RPC server on the software RNIC and receives no calls. */
@Command(
        name = "idle",
        description = "measures the share of one CPU that a process with an RPC server uses without calls",
        mixinStandardHelpOptions = true)
final class IdleCheck implements Callable<Integer> {

    /** Pause before the measurement, in which the JIT compilers finish. */
    private static final Duration SETTLE = Duration.ofSeconds(2);

    private static final OperatingSystemMXBean PROCESS =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);

    @Option(names = "--seconds", description = "length of the measurement in seconds (default ${DEFAULT-VALUE})")
    private int seconds = 10;

    @Option(
            names = {"-O", "--option"},
            paramLabel = "<name>=<value>",
            description = "option of the software RNIC, such as soft.addresses=127.0.0.1")
    private Map<String, String> options = new LinkedHashMap<>();

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws IOException, InterruptedException {
        try (RdmaRuntime server =
                RdmaRuntime.open(NicConfig.DEFAULTS.withProvider("soft", options), RpcConfig.DEFAULTS)) {
            server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            Thread.sleep(SETTLE);
            long start = System.nanoTime();
            long before = PROCESS.getProcessCpuTime();
            Thread.sleep(Duration.ofSeconds(seconds));
            long used = PROCESS.getProcessCpuTime() - before;
            PrintWriter out = spec.commandLine().getOut();
            out.printf(Locale.ROOT, " %-14d %14.3f %%%n", seconds, 100.0 * used / (System.nanoTime() - start));
            out.flush();
            return 0;
        }
    }
}
