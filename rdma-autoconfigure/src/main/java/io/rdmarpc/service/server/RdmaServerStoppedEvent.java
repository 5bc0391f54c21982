package io.rdmarpc.service.server;

import org.springframework.context.ApplicationEvent;

/** The RDMA server has stopped: calls in flight are answered or given up, and clients have been told. */
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
