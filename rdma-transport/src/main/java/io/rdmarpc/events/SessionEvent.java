package io.rdmarpc.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** The begin or the end of a session. */
@Name("io.rdmarpc.Session")
@Label("Session")
@Category("RDMA RPC")
@Description("A session with a peer was opened or has ended")
@StackTrace(false)
public final class SessionEvent extends Event {

    @Label("Change")
    @Description("opened, or ended")
    String change = "";

    @Label("Session")
    @Description("Number of the session, unique in this process")
    long session;

    @Label("Target")
    @Description("The client's name of the server; empty at the server")
    String target = "";

    @Label("Peer")
    @Description("Control address of the peer")
    String peer = "";

    @Label("Reason")
    @Description("Why the session ended; null if it was opened")
    @Nullable
    String reason;

    private SessionEvent() {}

    /**
     * Records that a session carries calls from now on.
     *
     * @param session number of the session
     * @param target the client's name of the server, empty at the server
     * @param peer address of the peer
     */
    public static void opened(long session, String target, String peer) {
        record("opened", session, target, peer, null);
    }

    /**
     * Records the end of a session.
     *
     * @param session number of the session
     * @param target the client's name of the server, empty at the server
     * @param peer address of the peer
     * @param reason why it ended
     */
    public static void ended(long session, String target, String peer, String reason) {
        record("ended", session, target, peer, reason);
    }

    private static void record(String change, long session, String target, String peer, @Nullable String reason) {
        SessionEvent event = new SessionEvent();
        event.change = change;
        event.session = session;
        event.target = target;
        event.peer = peer;
        event.reason = reason;
        event.commit();
    }
}
