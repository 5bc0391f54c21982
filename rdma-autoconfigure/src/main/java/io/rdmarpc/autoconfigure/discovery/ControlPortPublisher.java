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
 * Puts the control port into the registry once the server listens, since only then it is known, and takes the instance out
 * before the server refuses calls. Registers again what a web server may have registered before, with the port.
 */
final class ControlPortPublisher implements SmartLifecycle {

    /** After the server on starting, before it on stopping. */
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
            Objects.requireNonNull(own.getMetadata(), "the registration takes no metadata")
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
            // Clients hear of it meanwhile, and the server still answers.
            Thread.sleep(quietPeriod);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            LOG.warn("the instance could not be taken out of the registry", e);
        }
    }

    /** A registry and its registrations are of one kind, which it checks itself. */
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
