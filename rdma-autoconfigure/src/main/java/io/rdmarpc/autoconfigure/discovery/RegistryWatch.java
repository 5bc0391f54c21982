package io.rdmarpc.autoconfigure.discovery;

import io.rdmarpc.service.client.routing.RdmaInstance;
import io.rdmarpc.service.client.routing.RdmaTargetResolver;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.cloud.client.ServiceInstance;

/**
 * Queries the instances of one service periodically, on its own virtual thread. Most registries respond to queries
 * but do not report changes.
 */
final class RegistryWatch implements RdmaTargetResolver.Watch {

    private static final Log LOG = LogFactory.getLog(RegistryWatch.class);

    private final String service;
    private final Supplier<List<ServiceInstance>> registry;
    private final Duration refresh;
    private final Consumer<List<RdmaInstance>> listener;
    private final Thread thread;
    private volatile boolean closed;
    private @Nullable List<RdmaInstance> last;
    private boolean failing;

    RegistryWatch(
            String service,
            Supplier<List<ServiceInstance>> registry,
            Duration refresh,
            Consumer<List<RdmaInstance>> listener) {
        this.service = service;
        this.registry = registry;
        this.refresh = refresh;
        this.listener = listener;
        this.thread = Thread.ofVirtual().name("rdma-registry-" + service).unstarted(this::run);
    }

    RegistryWatch start() {
        thread.start();
        return this;
    }

    private void run() {
        while (!closed) {
            query();
            LockSupport.parkNanos(this, refresh.toNanos());
        }
    }

    /** Queries the registry. If the query fails, the last known instances remain in use. */
    private void query() {
        try {
            List<RdmaInstance> now = instances(registry.get());
            failing = false;
            if (!closed && !now.equals(last)) {
                last = now;
                listener.accept(now);
            }
        } catch (RuntimeException e) {
            if (!failing) {
                LOG.warn(
                        "the registry could not be queried for instances of " + service
                                + ": the last known ones remain in use",
                        e);
            }
            failing = true;
        }
    }

    /**
     * Returns the callable instances in a fixed order, so that equal sets are equal lists. Instances without a
     * control port are left out.
     */
    private List<RdmaInstance> instances(List<ServiceInstance> found) {
        List<RdmaInstance> offering = found.stream()
                .flatMap(RegistryWatch::instance)
                .collect(Collectors.toMap(RdmaInstance::id, each -> each, (first, _) -> first))
                .values()
                .stream()
                .sorted((one, other) -> one.id().compareTo(other.id()))
                .toList();
        if (offering.isEmpty() && !found.isEmpty() && last == null) {
            LOG.warn("none of the " + found.size() + " instances of " + service + " publishes "
                    + ControlPortMetadata.KEY + ", so none can be called");
        }
        return offering;
    }

    private static Stream<RdmaInstance> instance(ServiceInstance found) {
        Map<String, String> metadata = present(found.getMetadata());
        int port = ControlPortMetadata.read(metadata);
        if (port == 0) {
            return Stream.empty();
        }
        String host = Objects.requireNonNull(found.getHost());
        String id = Objects.requireNonNullElse(found.getInstanceId(), host + ":" + port);
        return Stream.of(new RdmaInstance(id, InetSocketAddress.createUnresolved(host, port), metadata));
    }

    private static Map<String, String> present(@Nullable Map<String, String> metadata) {
        if (metadata == null) {
            return Map.of();
        }
        return metadata.entrySet().stream()
                .filter(entry -> entry.getKey() != null && entry.getValue() != null)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    @Override
    public void refresh() {
        LockSupport.unpark(thread);
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
