package io.rdmarpc.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** A retransmission of a request or of a stream's element. */
@Name("io.rdmarpc.Retransmission")
@Label("Retransmission")
@Category("RDMA RPC")
@Description("A request or stream element was retransmitted, because no response came in time")
@StackTrace(false)
public final class RetransmissionEvent extends Event {

    @Label("Peer")
    @Description("Control address of the peer")
    String peer = "";

    @Label("Message")
    @Description("request, or stream element")
    String message = "";

    @Label("Sends")
    @Description("How often it was sent before")
    int sends;

    @Label("Since First Send")
    @Description("Time since it was sent first")
    @Timespan(Timespan.NANOSECONDS)
    long sinceFirstSend;

    @Label("Timeout")
    @Description("The timeout that has passed; it follows the round-trip time, and doubles with each retransmission")
    @Timespan(Timespan.NANOSECONDS)
    long timeout;

    private RetransmissionEvent() {}

    /**
     * Records the retransmission of a request.
     *
     * @param peer address of the server
     * @param sends how often the request was sent before
     * @param waitedNanos time since the first send
     * @param timeoutNanos the timeout that has passed
     */
    public static void ofRequest(String peer, int sends, long waitedNanos, long timeoutNanos) {
        record("request", peer, sends, waitedNanos, timeoutNanos);
    }

    /**
     * Records the retransmission of an element of a stream.
     *
     * @param peer address of the receiver
     * @param sends how often the element was sent before
     * @param waitedNanos time since the first send
     * @param timeoutNanos the timeout that has passed
     */
    public static void ofElement(String peer, int sends, long waitedNanos, long timeoutNanos) {
        record("stream element", peer, sends, waitedNanos, timeoutNanos);
    }

    private static void record(String message, String peer, int sends, long waitedNanos, long timeoutNanos) {
        RetransmissionEvent event = new RetransmissionEvent();
        event.message = message;
        event.peer = peer;
        event.sends = sends;
        event.sinceFirstSend = waitedNanos;
        event.timeout = timeoutNanos;
        event.commit();
    }
}
