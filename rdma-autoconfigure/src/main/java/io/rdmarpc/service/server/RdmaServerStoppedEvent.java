package io.rdmarpc.service.server;

import org.springframework.context.ApplicationEvent;

/**
 * Published when the RDMA server has stopped. Calls in flight have completed or were cancelled, and the sessions are
 * closed.
 */
public class RdmaServerStoppedEvent extends ApplicationEvent {

    private static final long serialVersionUID = 1L;

    /**
     * Creates the event.
     *
     * @param source the server
     */
    public RdmaServerStoppedEvent(Object source) {
        super(source);
    }
}
