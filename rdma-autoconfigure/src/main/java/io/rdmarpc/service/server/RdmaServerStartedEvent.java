package io.rdmarpc.service.server;

import java.net.InetSocketAddress;
import java.util.List;
import org.springframework.context.ApplicationEvent;

/** The RDMA server listens, and its services can be called. */
public class RdmaServerStartedEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1L;

    private final InetSocketAddress address;
    private final transient List<String> services;

    /**
     * Creates the event.
     *
     * @param source the server
     * @param address where clients connect, with the real port
     * @param services the names of its services
     */
    public RdmaServerStartedEvent(Object source, InetSocketAddress address, List<String> services) {
        super(source);
        this.address = address;
        this.services = List.copyOf(services);
    }

    /**
     * Returns where clients connect.
     *
     * @return the bound address with its real port
     */
    public InetSocketAddress getAddress() {
        return address;
    }

    /**
     * Returns what can be called.
     *
     * @return the names of the services
     */
    public List<String> getServices() {
        return services;
    }
}
