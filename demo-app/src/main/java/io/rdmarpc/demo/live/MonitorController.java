package io.rdmarpc.demo.live;

import io.rdmarpc.demo.StageTimes;
import io.rdmarpc.demo.StageWatch;
import io.rdmarpc.demo.live.side.HttpMonitor;
import io.rdmarpc.demo.live.side.ProcessReading;
import io.rdmarpc.demo.live.side.ServerStatus;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.transport.NicContext;
import java.util.Optional;
import org.springframework.context.annotation.Profile;
import org.springframework.web.bind.annotation.RestController;

/** The server's side of {@link HttpMonitor}. */
@RestController
@Profile("http & !compared")
class MonitorController implements HttpMonitor {

    private final RdmaRuntime runtime;
    private final NicContext nic;
    private final StageWatch watch;

    MonitorController(RdmaRuntime runtime, NicContext nic, StageWatch watch) {
        this.runtime = runtime;
        this.nic = nic;
        this.watch = watch;
    }

    @Override
    public ServerStatus status() {
        return new ServerStatus(ProcessReading.own(), nic.reason(), runtime.statistics());
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
