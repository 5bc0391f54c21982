package io.rdmarpc.events;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** The transfer of a large message, which the receiver READs from the memory of its sender. */
@Name("io.rdmarpc.Read")
@Label("RDMA READ")
@Category("RDMA RPC")
@Description("A large message was fetched by RDMA READ, including waits for memory and the NIC")
@Threshold("10 ms")
@StackTrace(false)
public final class ReadEvent extends Event {

    private static final ReadEvent PROBE = new ReadEvent();

    @Label("Peer")
    @Description("Control address of the peer that sent the message")
    String peer = "";

    @Label("Size")
    @Description("Length of the message")
    @DataAmount
    long size;

    @Label("Failure")
    @Description("Why the message was not fetched; null if it was")
    @Nullable
    String failure;

    private ReadEvent() {}

    /** Begins an event, or returns null without an allocation if no recording has enabled it. */
    public static @Nullable ReadEvent begun() {
        if (!PROBE.isEnabled()) {
            return null;
        }
        ReadEvent event = new ReadEvent();
        event.begin();
        return event;
    }

    /**
     * Ends the event, and records it if it was longer than the threshold.
     *
     * @param source address of the peer
     * @param bytes length of the message
     * @param reason why the message was not fetched; null if it was
     */
    public void end(String source, long bytes, @Nullable String reason) {
        end();
        if (shouldCommit()) {
            peer = source;
            size = bytes;
            failure = reason;
            commit();
        }
    }
}
