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
 * Offers the services of an application. It opens the port at the end of the application's start, and only if there
 * is a service. On stop it rejects new calls, waits for calls in flight, and closes the sessions. It can be started
 * again.
 */
public final class RdmaServer implements SmartLifecycle {

    /**
     * Phase of the graceful shutdown of Spring Boot's web server,
     * {@code WebServerApplicationContext.GRACEFUL_SHUTDOWN_PHASE}.
     */
    public static final int PHASE = Integer.MAX_VALUE - 1024;

    /** Long enough to mean no limit. */
    private static final Duration ANY_TIME = Duration.ofDays(365);
    /** Time for clients to consume the last elements of streams. */
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
     * @param runtime runtime whose engines serve the calls
     * @param exporter exporter of beans as services
     * @param access access rules of the services
     * @param beans the bean factory of the services
     * @param events publisher of the events of start and stop
     * @param address address to listen on; port 0 uses any free port
     * @param gracePeriod how long calls in flight may take when it stops; unlimited if negative
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
     * Makes the server listen even if it offers no service, because clients use other functions of this process.
     *
     * @return this server, not started yet
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
     * Returns the address that clients connect to.
     *
     * @return the bound address, or null while the server does not listen
     */
    public @Nullable InetSocketAddress address() {
        RpcServer listening = server;
        return listening == null ? null : listening.address();
    }

    /**
     * Returns the names of the services.
     *
     * @return the names, empty before the first start
     */
    public List<String> services() {
        return contracts().stream().map(ServiceContract::name).toList();
    }

    /**
     * Returns the contracts of the services.
     *
     * @return the contract of each service, empty before the first start
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
            LOG.warn("RDMA server stops although " + left + " calls had no response within the grace period of "
                    + gracePeriod + ": raise rdma.server.shutdown.grace-period to give calls more time");
        }
        listening.close();
        server = null;
        keepAlive.stop();
        events.publishEvent(new RdmaServerStoppedEvent(this));
    }

    /**
     * Waits for calls first and then for streams. Clients have consumed the last elements when they close their
     * sessions.
     */
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
