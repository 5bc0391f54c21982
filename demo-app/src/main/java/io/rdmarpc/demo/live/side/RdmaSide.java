package io.rdmarpc.demo.live.side;

import io.rdmarpc.demo.OrderService;
import io.rdmarpc.rpc.RpcChannel;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.rpc.stats.EngineStatistics;
import io.rdmarpc.rpc.stats.TrafficStatistics;
import io.rdmarpc.service.codec.MethodCodec;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.contract.ServiceDescription;
import io.rdmarpc.service.contract.ServiceMethod;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * The RDMA client, in its own application context. A NIC applies its settings, faults included, when it is opened. New
 * settings therefore need a new context.
 */
public final class RdmaSide implements AutoCloseable {

    static final String SOFTWARE_RNIC = "soft";

    private static final String METHOD = "place";

    private final ConfigurableApplicationContext context;
    private final RdmaRuntime runtime;
    private final NicContext nic;
    private final OrderService desk;
    private final RpcChannel tracing;
    private final double lossPercent;

    private RdmaSide(ConfigurableApplicationContext context, InetSocketAddress server, double lossPercent) {
        this.context = context;
        this.runtime = context.getBean(RdmaRuntime.class);
        this.nic = context.getBean(NicContext.class);
        this.desk = context.getBean(OrderService.class);
        this.tracing = runtime.channel("trace", server);
        this.lossPercent = lossPercent;
    }

    /**
     * Starts the RDMA client.
     *
     * @param arguments arguments of the command line, which apply to both processes
     * @param server control address of the server
     * @param lossPercent percentage of the sent packets that the software RNIC loses
     */
    public static RdmaSide start(List<String> arguments, InetSocketAddress server, double lossPercent) {
        List<String> all = new ArrayList<>(arguments);
        all.add("--rdma.enabled=true");
        all.add("--rdma.client.enabled=true");
        all.add("--rdma.server.enabled=false");
        all.add("--rdma.client.targets.default.address=" + server.getHostString() + ":" + server.getPort());
        all.add("--rdma.soft.faults.loss=" + lossPercent / 100);
        ConfigurableApplicationContext context = new SpringApplicationBuilder(RdmaWorker.class)
                .web(WebApplicationType.NONE)
                .registerShutdownHook(false)
                .logStartupInfo(false)
                .run(all.toArray(String[]::new));
        try {
            return new RdmaSide(context, server, lossPercent);
        } catch (RuntimeException e) {
            context.close();
            throw e;
        }
    }

    public OrderService desk() {
        return desk;
    }

    public boolean takesFaults() {
        return nic.providerName().equals(SOFTWARE_RNIC);
    }

    public double lossPercent() {
        return lossPercent;
    }

    public long bytes() {
        EngineStatistics engine = runtime.statistics();
        return engine.bytesSent() + engine.bytesReceived() + engine.readBytes();
    }

    public RdmaView view() {
        EngineStatistics engine = runtime.statistics();
        TrafficStatistics traffic = runtime.traffic();
        return new RdmaView(
                nic.providerName(),
                nic.deviceName(),
                nic.reason(),
                nic.gid().gid().toString(),
                link(),
                nic.pathMtu().bytes(),
                context.getEnvironment().getProperty("rdma.client.max-in-flight", Integer.class, 8),
                engine.clientSessions(),
                Math.max(0, engine.callsStarted() - engine.callsCompleted() - engine.callsFailed()),
                traffic.backlog(),
                traffic.windowStalls(),
                traffic.creditStalls(),
                engine.retransmissions(),
                engine.drops().values().stream().mapToLong(Long::longValue).sum(),
                engine.packetsSent(),
                engine.packetsReceived(),
                engine.bytesSent(),
                engine.bytesReceived(),
                engine.reads(),
                engine.readBytes(),
                runtime.registeredBytes(),
                traffic.utilization());
    }

    private String link() {
        return takesFaults() ? SoftLink.of(context.getBean(NicConfig.class).options()) : "RDMA network";
    }

    /** Returns the parts of a call, for callers that make it step by step. */
    public TracedMethod traced() {
        ServiceDescription service = ServiceDescription.of(OrderService.class);
        ServiceMethod place = service.methods().stream()
                .filter(method -> method.name().equals(METHOD))
                .findFirst()
                .orElseThrow();
        MethodCodec codec =
                context.getBean(ServiceCodecFactory.class).codecOf(service).method(place);
        return new TracedMethod(tracing, place.id(), codec);
    }

    /**
     * A remote method to be called step by step.
     *
     * @param channel channel to the server
     * @param id number of the method
     * @param codec encodes arguments and decodes results
     */
    public record TracedMethod(RpcChannel channel, int id, MethodCodec codec) {}

    @Override
    public void close() {
        tracing.close();
        context.close();
    }
}
