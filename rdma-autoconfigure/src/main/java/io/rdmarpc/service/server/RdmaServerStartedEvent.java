package io.rdmarpc.service.server;

import java.net.InetSocketAddress;
import java.util.List;
import org.springframework.context.ApplicationEvent;

/** Published when the RDMA server listens and its services can be called. */
public class RdmaServerStartedEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1L;

    private final InetSocketAddress address;
    private final transient List<String> services;

    /**
     * Creates the event.
     *
     * @param source the server
     * @param address the address that clients connect to, with the actual port
     * @param services the names of its services
     */
    public RdmaServerStartedEvent(Object source, InetSocketAddress address, List<String> services) {
        super(source);
        this.address = address;
        this.services = List.copyOf(services);
    }

    /**
     * Returns the address that clients connect to.
     *
     * @return the bound address with its actual port
     */
    public InetSocketAddress getAddress() {
        return address;
    }

    /**
     * Returns the names of the services.
     *
     * @return the names
     */
    public List<String> getServices() {
        return services;
    }
}
