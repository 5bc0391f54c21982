package io.rdmarpc.service.server;

import io.rdmarpc.rpc.RpcServer;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.server.security.ServiceAccess;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.SmartLifecycle;

/**
 * Offers the services of an application: opens the port last of all when the application starts, and only when there is a
 * service; on stopping, refuses new calls, waits for those in flight and then says goodbye. Can be started again.
 */
public final class RdmaServer implements SmartLifecycle {

    /** With the graceful shutdown of Boot's web server: {@code WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE}. */
    public static final int PHASE = Integer.MAX_VALUE - 1024;

    /** Long enough to stand for no limit. */
    private static final Duration ANY_TIME = Duration.ofDays(365);
    /** For clients to take the last elements of streams. */
    private static final Duration CLIENTS_LIMIT = Duration.ofSeconds(2);

    private static final Log LOG = LogFactory.getLog(RdmaServer.class);

    private final RdmaRuntime runtime;
    private final ServiceExporter exporter;
    private final ServiceAccess access;
    private final ConfigurableListableBeanFactory beans;
    private final ApplicationEventPublisher events;
    private final InetSocketAddress address;
    private final Duration gracePeriod;
    private final KeepAlive keepAlive = new KeepAlive();

    private volatile @Nullable List<ServiceContract> contracts;
    private volatile @Nullable RpcServer server;
    private volatile boolean running;
    private volatile boolean listensWithoutServices;

    /**
     * Creates a server that does not listen yet.
     *
     * @param runtime whose engine serves
     * @param exporter makes services of beans
     * @param access who may call them
     * @param beans where they are
     * @param events hears of start and stop
     * @param address where to listen, port 0 for any
     * @param gracePeriod how long calls in flight may take when it stops, for ever when negative
     */
    public RdmaServer(
            RdmaRuntime runtime,
            ServiceExporter exporter,
            ServiceAccess access,
            ConfigurableListableBeanFactory beans,
            ApplicationEventPublisher events,
            InetSocketAddress address,
            Duration gracePeriod) {
        this.runtime = runtime;
        this.exporter = exporter;
        this.access = access;
        this.beans = beans;
        this.events = events;
        this.address = address;
        this.gracePeriod = gracePeriod;
    }

    /**
     * Has it listen although no service is offered, since clients come for something else.
     *
     * @return this, not started yet
     */
    public RdmaServer listeningWithoutServices() {
        listensWithoutServices = true;
        return this;
    }

    @Override
    public synchronized void start() {
        if (running) {
            return;
        }
        List<String> names = exportOnce().stream().map(ServiceContract::name).toList();
        if (!names.isEmpty() || listensWithoutServices) {
            exporter.gate().open();
            RpcServer listening = runtime.listen(address);
            server = listening;
            keepAlive.start();
            events.publishEvent(new RdmaServerStartedEvent(this, listening.address(), names));
        }
        running = true;
    }

    private List<ServiceContract> exportOnce() {
        List<ServiceContract> known = contracts;
        if (known == null) {
            List<ServiceExport> exports = exporter.export(beans);
            known = exports.stream().map(ServiceExport::contract).toList();
            access.requireKnown(known.stream().map(ServiceContract::name).toList());
            exports.stream().map(access::guard).forEach(runtime::export);
            contracts = known;
        }
        return known;
    }

    /**
     * Returns where clients connect.
     *
     * @return the bound address, null while the server does not listen
     */
    public @Nullable InetSocketAddress address() {
        RpcServer listening = server;
        return listening == null ? null : listening.address();
    }

    /**
     * Returns what can be called.
     *
     * @return the names of the services, none before the first start
     */
    public List<String> services() {
        return contracts().stream().map(ServiceContract::name).toList();
    }

    /**
     * Returns what peers must agree on to call.
     *
     * @return the contract of each service, none before the first start
     */
    public List<ServiceContract> contracts() {
        List<ServiceContract> known = contracts;
        return known == null ? List.of() : known;
    }

    @Override
    public void stop(Runnable callback) {
        Thread.ofVirtual().name("rdma-server-stop").start(() -> {
            try {
                stop();
            } finally {
                callback.run();
            }
        });
    }

    @Override
    public synchronized void stop() {
        RpcServer listening = server;
        running = false;
        if (listening == null) {
            return;
        }
        if (!gracePeriod.isZero()) {
            drain(listening);
        }
        exporter.gate().close();
        int left = exporter.gate().inside();
        if (left > 0) {
            LOG.warn("RDMA server stops with " + left + " calls not answered within " + gracePeriod
                    + " (rdma.server.shutdown.grace-period)");
        }
        listening.close();
        server = null;
        keepAlive.stop();
        events.publishEvent(new RdmaServerStoppedEvent(this));
    }

    /** Calls end first, then streams, whose clients have their last elements when they close their sessions. */
    private void drain(RpcServer listening) {
        Duration grace = gracePeriod.isNegative() ? ANY_TIME : gracePeriod;
        long start = System.nanoTime();
        listening.drain(grace);
        boolean streamed = exporter.gate().inside() > 0;
        Duration left = grace.minusNanos(System.nanoTime() - start);
        if (streamed && !left.isNegative() && exporter.gate().awaitEmpty(left)) {
            listening.awaitClients(CLIENTS_LIMIT);
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
