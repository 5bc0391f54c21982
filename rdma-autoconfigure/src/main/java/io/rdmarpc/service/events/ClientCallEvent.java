package io.rdmarpc.service.events;

import io.rdmarpc.rpc.error.RpcStatus;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** A call of a proxy, from its arguments to its end. */
@Name("io.rdmarpc.ClientCall")
@Label("Client Call")
@Category("RDMA RPC")
@Description("A call of a remote service, from the proxy to its end, with all attempts")
@Threshold("10 ms")
@StackTrace(false)
public final class ClientCallEvent extends Event {

    private static final ClientCallEvent PROBE = new ClientCallEvent();

    @Label("Service")
    @Description("Name of the service")
    String service = "";

    @Label("Method")
    @Description("Name of the method")
    String method = "";

    @Label("Target")
    @Description("Name of the target")
    String target = "";

    @Label("Peer")
    @Description("Control address of the server of the last attempt; empty without a session")
    String peer = "";

    @Label("Status")
    @Description("OK, or the status of the failure")
    String status = "";

    @Label("Attempts")
    @Description("Number of attempts, resends included; 0 if the call failed before the first one")
    int attempts;

    private ClientCallEvent() {}

    /** Begins an event, or returns null without an allocation if no recording has enabled it. */
    public static @Nullable ClientCallEvent begun() {
        if (!PROBE.isEnabled()) {
            return null;
        }
        ClientCallEvent event = new ClientCallEvent();
        event.begin();
        return event;
    }

    /** Ends the event. Returns whether it was longer than the threshold, so that {@link #record} has to follow. */
    public boolean ended() {
        end();
        return shouldCommit();
    }

    /** Records the call. */
    public void record(String service, String method, String target, String peer, RpcStatus status, int attempts) {
        this.service = service;
        this.method = method;
        this.target = target;
        this.peer = peer;
        this.status = status.name();
        this.attempts = attempts;
        commit();
    }
}
