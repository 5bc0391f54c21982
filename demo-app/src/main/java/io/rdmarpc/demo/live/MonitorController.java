package io.rdmarpc.demo.live;

import io.rdmarpc.demo.StageTimes;
import io.rdmarpc.demo.StageWatch;
import io.rdmarpc.demo.grpc.GrpcServer;
import io.rdmarpc.demo.live.side.HttpMonitor;
import io.rdmarpc.demo.live.side.ProcessReading;
import io.rdmarpc.demo.live.side.ServerStatus;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicContext;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.RestController;

/** The server's side of {@link HttpMonitor}. */
@RestController
@Profile("http & !compared")
class MonitorController implements HttpMonitor {

    private final RdmaRuntime runtime;
    private final NicContext nic;
    private final StageWatch watch;
    private final ObjectProvider<GrpcServer> grpc;

    MonitorController(RdmaRuntime runtime, NicContext nic, StageWatch watch, ObjectProvider<GrpcServer> grpc) {
        this.runtime = runtime;
        this.nic = nic;
        this.watch = watch;
        this.grpc = grpc;
    }

    @Override
    public ServerStatus status() {
        return new ServerStatus(ProcessReading.own(), nic.reason(), runtime.statistics(), grpcPort());
    }

    private @Nullable Integer grpcPort() {
        GrpcServer server = grpc.getIfAvailable();
        return server != null && server.isRunning() ? server.port() : null;
    }

    @Override
    public void watch(String orderId) {
        watch.watchFor(orderId);
    }

    @Override
    public Optional<StageTimes> stages(String orderId) {
        return Optional.ofNullable(watch.take(orderId));
    }
}
