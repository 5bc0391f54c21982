package io.rdmarpc.verbs.soft.link;

import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/** Says once that packets go without the traffic class that was asked for. */
final class TrafficClassNotice {

    private static final System.Logger LOG = System.getLogger(TrafficClassNotice.class.getName());
    private static final AtomicBoolean SAID = new AtomicBoolean();

    private TrafficClassNotice() {}

    static void check(InetAddress from, int trafficClass, Exception reason) {
        if (SAID.compareAndSet(false, true)) {
            LOG.log(System.Logger.Level.WARNING, text(from, trafficClass, reason));
        }
    }

    static String text(InetAddress from, int trafficClass, Exception reason) {
        return "packets from " + from.getHostAddress() + " go without traffic class " + trafficClass
                + ": no socket can be made for it (" + reason.getMessage()
                + "). They arrive, but the network does not prefer them. Allow the process more descriptors, or ask"
                + " for no traffic class";
    }
}
