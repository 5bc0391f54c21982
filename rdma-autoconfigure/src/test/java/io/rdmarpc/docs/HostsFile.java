package io.rdmarpc.docs;

import io.rdmarpc.service.client.routing.RdmaInstance;
import io.rdmarpc.service.client.routing.RdmaTargetResolver;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.springframework.stereotype.Component;

@Component
class HostsFile implements RdmaTargetResolver {

    @Override
    public boolean supports(String address) {
        return address.startsWith("hosts:");
    }

    @Override
    public Watch watch(String address, Consumer<List<RdmaInstance>> listener) {
        String host = address.substring("hosts:".length());
        listener.accept(List.of(new RdmaInstance(host, InetSocketAddress.createUnresolved(host, 7471), Map.of())));
        return () -> {};
    }
}
