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
 * The client's half of RDMA: an application context of its own, since a NIC takes its settings, faults among them, when it
 * is opened.
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
     * Starts it.
     *
     * @param arguments of the command line: settings for both processes
     * @param server its control address
     * @param lossPercent share of the packets sent that are lost
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
                traffic.utilisation());
    }

    private String link() {
        return takesFaults() ? SoftLink.of(context.getBean(NicConfig.class).options()) : "RDMA network";
    }

    /** What a call is made of, for those who make one by hand. */
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
     * A remote method by hand.
     *
     * @param channel the way to the server
     * @param id the number it is called by
     * @param codec writes arguments and reads results
     */
    public record TracedMethod(RpcChannel channel, int id, MethodCodec codec) {}

    @Override
    public void close() {
        tracing.close();
        context.close();
    }
}
