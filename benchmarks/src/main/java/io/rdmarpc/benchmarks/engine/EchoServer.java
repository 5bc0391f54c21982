package io.rdmarpc.benchmarks.engine;

import io.rdmarpc.benchmarks.DeviceOptions;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.IdlePolicy;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The server process. It prints its TCP port and ends when its standard input ends. */
@Command(
        name = "echo-server",
        description = "serves echo-client; prints its TCP port and ends at the end of its standard input",
        mixinStandardHelpOptions = true)
final class EchoServer implements Callable<Integer> {

    @Mixin
    private DeviceOptions device = new DeviceOptions();

    @Option(names = "--cpu", description = "CPU to which the polling thread is pinned (default: none)")
    private int cpu = -1;

    @Override
    public Integer call() throws IOException {
        PollingConfig polling =
                PollingConfig.DEFAULTS.withIdleStrategy(IdlePolicy.BUSY).withCpus(cpu < 0 ? List.of() : List.of(cpu));
        try (RdmaRuntime runtime = EchoService.open(device.nic(), polling)) {
            runtime.export(EchoService.export());
            try (RpcServer server = runtime.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
                System.out.println(server.address().getPort());
                System.out.flush();
                int next = System.in.read();
                while (next >= 0) {
                    next = System.in.read();
                }
            }
        }
        return 0;
    }
}
