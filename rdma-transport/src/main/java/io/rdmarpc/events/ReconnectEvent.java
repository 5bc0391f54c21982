package io.rdmarpc.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** The attempts of a client to replace a session that has ended. */
@Name("io.rdmarpc.Reconnect")
@Label("Reconnect")
@Category("RDMA RPC")
@Description("A client tried to replace an ended session, including pauses and failed attempts")
@StackTrace(false)
public final class ReconnectEvent extends Event {

    @Label("Target")
    @Description("Name of the target")
    String target = "";

    @Label("Reason")
    @Description("Why the session ended")
    String reason = "";

    @Label("Failure")
    @Description("Why no session was opened; null if one was")
    @Nullable
    String failure;

    private ReconnectEvent() {}

    /** Begins an event. */
    public static ReconnectEvent begun() {
        ReconnectEvent event = new ReconnectEvent();
        event.begin();
        return event;
    }

    /**
     * Ends the event and records it.
     *
     * @param name name of the target
     * @param why why the session ended
     * @param problem why no session was opened; null if one was
     */
    public void end(String name, String why, @Nullable String problem) {
        target = name;
        reason = why;
        failure = problem;
        commit();
    }
}
