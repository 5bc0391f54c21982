package io.rdmarpc.events;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Percentage;
import jdk.jfr.StackTrace;

/** A change of the number of active polling threads. */
@Name("io.rdmarpc.PollingThreads")
@Label("Polling Threads")
@Category("RDMA RPC")
@Description("The number of active polling threads, which new sessions use, grew or shrank")
@StackTrace(false)
public final class PollingThreadsEvent extends Event {

    @Label("Previous")
    @Description("Number of active polling threads before the change")
    int previous;

    @Label("Active")
    @Description("Number of active polling threads after the change")
    int active;

    @Label("Reason")
    @Description("Why the number has changed")
    String reason = "";

    @Label("Highest Utilization")
    @Description("Share of time in which the busiest polling thread had work before the change")
    @Percentage
    double utilization;

    private PollingThreadsEvent() {}

    /**
     * Records a change.
     *
     * @param previous number of active threads before
     * @param active number of active threads from now on
     * @param reason why the number has changed
     * @param utilization share of time in which the busiest thread had work, 0 to 1
     */
    public static void record(int previous, int active, String reason, double utilization) {
        PollingThreadsEvent event = new PollingThreadsEvent();
        event.previous = previous;
        event.active = active;
        event.reason = reason;
        event.utilization = utilization;
        event.commit();
    }
}
