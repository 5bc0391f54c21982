package io.rdmarpc.service.events;

import io.rdmarpc.rpc.error.RpcStatus;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** A call of a service of this process, from its complete request to its response. */
@Name("io.rdmarpc.ServerCall")
@Label("Server Call")
@Category("RDMA RPC")
@Description("A call of a service of this process, from its complete request to its response")
@Threshold("10 ms")
@StackTrace(false)
public final class ServerCallEvent extends Event {

    private static final ServerCallEvent PROBE = new ServerCallEvent();

    @Label("Service")
    @Description("Name of the service")
    String service = "";

    @Label("Method")
    @Description("Name of the method")
    String method = "";

    @Label("Peer")
    @Description("Control address of the client")
    String peer = "";

    @Label("Status")
    @Description("OK, or the status of the failure")
    String status = "";

    @Label("Queued")
    @Description("How long the complete request waited for a thread")
    @Timespan(Timespan.NANOSECONDS)
    long queued;

    private ServerCallEvent() {}

    /** Begins an event, or returns null without an allocation if no recording has enabled it. */
    public static @Nullable ServerCallEvent begun() {
        if (!PROBE.isEnabled()) {
            return null;
        }
        ServerCallEvent event = new ServerCallEvent();
        event.begin();
        return event;
    }

    /** Sets how long the request waited for a thread. */
    public void queued(long nanos) {
        queued = nanos;
    }

    /** Ends the event. Returns whether it was longer than the threshold, so that {@link #record} has to follow. */
    public boolean ended() {
        end();
        return shouldCommit();
    }

    /** Records the call. */
    public void record(String service, String method, String peer, RpcStatus status) {
        this.service = service;
        this.method = method;
        this.peer = peer;
        this.status = status.name();
        commit();
    }
}
