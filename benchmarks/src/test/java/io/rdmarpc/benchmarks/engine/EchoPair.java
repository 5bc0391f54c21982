package io.rdmarpc.benchmarks.engine;

import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicConfig;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Map;

/** Both ends of a measurement on software RNICs in this process. */
final class EchoPair implements AutoCloseable {

    private final EchoMeasure measure;
    private final RdmaRuntime server = open(PollingConfig.DEFAULTS);
    private final RdmaRuntime client;
    private final EchoRun run;

    EchoPair(EchoMeasure measure) {
        this.measure = measure;
        server.export(EchoService.export());
        // Closing the runtimes closes all objects that are opened below.
        RpcServer listening = server.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        client = open(measure.usesPollingThread() ? PollingConfig.DEFAULTS : PollingConfig.USER_DRIVEN);
        RpcChannel first = client.channel("first", listening.address());
        RpcChannel second = client.channel("second", listening.address());
        run = new EchoRun(client, first, second);
    }

    private static RdmaRuntime open(PollingConfig polling) {
        Map<String, String> options = Map.of("soft.addresses", "127.0.0.1", "soft.port", "0");
        return EchoService.open(NicConfig.DEFAULTS.withProvider("soft", options), polling);
    }

    double measure(Duration time) {
        return measure.measure(run, time);
    }

    @Override
    public void close() {
        client.close();
        server.close();
    }
}
