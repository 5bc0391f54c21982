package io.rdmarpc.autoconfigure.discovery;

import io.rdmarpc.service.client.routing.RdmaInstance;
import io.rdmarpc.service.client.routing.RdmaTargetResolver;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.springframework.cloud.client.ServiceInstance;
import org.springframework.cloud.client.discovery.event.HeartbeatEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.core.Ordered;

/**
 * Resolves addresses that consist of a prefix and a service name. Queries the registry again when it reports a
 * change.
 */
final class RegistryResolver implements RdmaTargetResolver, ApplicationListener<HeartbeatEvent>, Ordered {

    private final List<String> prefixes;
    private final Function<String, Supplier<List<ServiceInstance>>> registry;
    private final Duration refresh;
    private final int order;
    private final Set<RegistryWatch> watches = ConcurrentHashMap.newKeySet();

    RegistryResolver(
            List<String> prefixes,
            Function<String, Supplier<List<ServiceInstance>>> registry,
            Duration refresh,
            int order) {
        this.prefixes = prefixes;
        this.registry = registry;
        this.refresh = refresh;
        this.order = order;
    }

    @Override
    public boolean supports(String address) {
        return prefixes.stream().anyMatch(address::startsWith);
    }

    @Override
    public Watch watch(String address, Consumer<List<RdmaInstance>> listener) {
        String service = serviceOf(address);
        RegistryWatch watch = new RegistryWatch(service, registry.apply(service), refresh, listener);
        watches.add(watch);
        watch.start();
        return new Watch() {
            @Override
            public void refresh() {
                watch.refresh();
            }

            @Override
            public void close() {
                watches.remove(watch);
                watch.close();
            }
        };
    }

    private String serviceOf(String address) {
        return prefixes.stream()
                .filter(address::startsWith)
                .findFirst()
                .map(prefix -> address.substring(prefix.length()))
                .orElse(address);
    }

    @Override
    public void onApplicationEvent(HeartbeatEvent event) {
        watches.forEach(RegistryWatch::refresh);
    }

    @Override
    public int getOrder() {
        return order;
    }
}
