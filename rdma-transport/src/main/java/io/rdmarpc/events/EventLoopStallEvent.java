package io.rdmarpc.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;

/**
 * A duty cycle that took long. Each event loop reuses one event, so that a recording allocates nothing in a cycle. Only
 * the thread that runs the loop uses it.
 */
@Name("io.rdmarpc.EventLoopStall")
@Label("Event Loop Stall")
@Category("RDMA RPC")
@Description("A duty cycle took long: code blocked the polling thread, or it had no processor")
@Threshold("10 ms")
@StackTrace(false)
public final class EventLoopStallEvent extends Event {

    @Label("Work")
    @Description("Number of packets, commands, timers and READs that the duty cycle handled")
    int work;

    /** Creates an event for the duty cycles of one event loop. */
    public EventLoopStallEvent() {}

    /**
     * Ends the event that {@link #begin} has begun, and records it if it was longer than the threshold.
     *
     * @param done amount of work of the duty cycle
     */
    public void end(int done) {
        end();
        if (shouldCommit()) {
            work = done;
            commit();
        }
    }
}
