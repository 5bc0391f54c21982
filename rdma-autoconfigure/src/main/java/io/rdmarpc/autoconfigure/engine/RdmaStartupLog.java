package io.rdmarpc.autoconfigure.engine;

import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.server.RdmaServer;
import io.rdmarpc.transport.NicContext;
import java.net.InetSocketAddress;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.ContextRefreshedEvent;
import org.springframework.util.unit.DataSize;

/** Logs one line about the device, the memory limit and the services of the application. */
public final class RdmaStartupLog implements ApplicationListener<ContextRefreshedEvent> {

    private static final Log LOG = LogFactory.getLog(RdmaStartupLog.class);

    private final ApplicationContext application;
    private final NicContext nic;
    private final RdmaRuntime runtime;
    private final ObjectProvider<RdmaServer> server;

    public RdmaStartupLog(
            ApplicationContext application, NicContext nic, RdmaRuntime runtime, ObjectProvider<RdmaServer> server) {
        this.application = application;
        this.nic = nic;
        this.runtime = runtime;
        this.server = server;
    }

    @Override
    public void onApplicationEvent(ContextRefreshedEvent event) {
        // This listener also receives the events of child contexts, such as the management server's.
        if (LOG.isInfoEnabled() && event.getApplicationContext().equals(application)) {
            LOG.info(line());
        }
    }

    public String line() {
        return "RDMA on " + nic.reason() + ", GID " + nic.gid().gid() + ", path MTU "
                + nic.pathMtu().bytes() + " bytes, registered memory up to "
                + DataSize.ofBytes(runtime.memoryLimitBytes()).toMegabytes() + " MB, " + services();
    }

    private String services() {
        RdmaServer offering = server.getIfAvailable();
        InetSocketAddress address = offering == null ? null : offering.address();
        return offering == null || address == null
                ? "no services"
                : "services at " + address.getAddress().getHostAddress() + ":" + address.getPort() + ": "
                        + String.join(", ", offering.services());
    }
}
