package io.rdmarpc.autoconfigure.discovery;

import io.rdmarpc.service.server.RdmaServer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.cloud.client.serviceregistry.Registration;
import org.springframework.cloud.client.serviceregistry.ServiceRegistry;
import org.springframework.context.SmartLifecycle;

/**
 * Publishes the control port in the registry when the server listens, because the port is known only then. It
 * deregisters the instance before the server rejects calls. If a web server has already registered the instance, it
 * is registered again with the port.
 */
final class ControlPortPublisher implements SmartLifecycle {

    /** Starts after the server and stops before it. */
    static final int PHASE = RdmaServer.PHASE + 1;

    private static final Log LOG = LogFactory.getLog(ControlPortPublisher.class);

    private final ObjectProvider<RdmaServer> server;
    private final ObjectProvider<Registration> registration;
    private final ObjectProvider<ServiceRegistry<?>> registry;
    private final Duration quietPeriod;
    private volatile boolean running;
    private boolean published;

    ControlPortPublisher(
            ObjectProvider<RdmaServer> server,
            ObjectProvider<Registration> registration,
            ObjectProvider<ServiceRegistry<?>> registry,
            Duration quietPeriod) {
        this.server = server;
        this.registration = registration;
        this.registry = registry;
        this.quietPeriod = quietPeriod;
    }

    @Override
    public synchronized void start() {
        running = true;
        RdmaServer offering = server.getIfUnique();
        Registration own = registration.getIfUnique();
        InetSocketAddress address = offering == null ? null : offering.address();
        if (own == null || address == null) {
            return;
        }
        try {
            Objects.requireNonNull(own.getMetadata(), "the registration has no metadata")
                    .put(ControlPortMetadata.KEY, String.valueOf(address.getPort()));
            withRegistry(each -> each.register(own));
            published = true;
        } catch (RuntimeException e) {
            LOG.warn(
                    "the RDMA control port " + address.getPort() + " could not be put into the registry: set "
                            + ControlPortMetadata.KEY + " in the metadata settings of the registry's client",
                    e);
        }
    }

    @Override
    public void stop(Runnable callback) {
        Thread.ofVirtual().name("rdma-registration-stop").start(() -> {
            try {
                stop();
            } finally {
                callback.run();
            }
        });
    }

    @Override
    public synchronized void stop() {
        running = false;
        Registration own = registration.getIfUnique();
        if (!published || own == null) {
            return;
        }
        published = false;
        try {
            withRegistry(each -> each.deregister(own));
            // Clients notice the deregistration during this time, while the server still accepts calls.
            Thread.sleep(quietPeriod);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.warn(
                    "this instance could not be deregistered: clients may call it until the registry notices that it"
                            + " has stopped",
                    e);
        }
    }

    /**
     * Runs an action with the registry. The cast is safe: a registry and its registrations are of one kind, which the
     * registry checks.
     */
    @SuppressWarnings("unchecked")
    private void withRegistry(Consumer<ServiceRegistry<Registration>> action) {
        registry.ifUnique(each -> action.accept((ServiceRegistry<Registration>) each));
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
