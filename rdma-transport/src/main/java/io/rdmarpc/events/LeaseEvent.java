package io.rdmarpc.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The begin, the renewal or the end of a lease of memory of this process. */
@Name("io.rdmarpc.Lease")
@Label("Lease")
@Category("RDMA RPC")
@Description("A lease of memory of this process began, was renewed, or ended")
@StackTrace(false)
public final class LeaseEvent extends Event {

    private static final LeaseEvent PROBE = new LeaseEvent();

    @Label("Change")
    @Description("allocated, opened, renewed, freed, expired, revoked, reclaimed, or stuck")
    String change = "";

    @Label("Region")
    @Description("Number of the region; 0 for a grant that was never opened")
    long region;

    @Label("Size")
    @Description("Length of the region")
    @DataAmount
    long size;

    @Label("Peer")
    @Description("Host of the lease's holder; empty for a grant that was never opened")
    String peer = "";

    private LeaseEvent() {}

    /** Returns whether a recording has enabled the event, so that its values are needed. */
    public static boolean isOn() {
        return PROBE.isEnabled();
    }

    /**
     * Records a change of a lease.
     *
     * @param change the change, in lower case
     * @param region number of the region, 0 without one
     * @param bytes length of the region
     * @param peer host of the holder, empty without one
     */
    public static void record(String change, long region, long bytes, String peer) {
        LeaseEvent event = new LeaseEvent();
        event.change = change;
        event.region = region;
        event.size = bytes;
        event.peer = peer;
        event.commit();
    }
}
