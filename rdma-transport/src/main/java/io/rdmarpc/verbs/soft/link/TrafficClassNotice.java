package io.rdmarpc.verbs.soft.link;

import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/** Logs once that packets are sent without the requested traffic class. */
final class TrafficClassNotice {

    private static final System.Logger LOG = System.getLogger(TrafficClassNotice.class.getName());
    private static final AtomicBoolean LOGGED = new AtomicBoolean();

    private TrafficClassNotice() {}

    static void check(InetAddress from, int trafficClass, Exception reason) {
        if (LOGGED.compareAndSet(false, true)) {
            LOG.log(System.Logger.Level.WARNING, text(from, trafficClass, reason));
        }
    }

    static String text(InetAddress from, int trafficClass, Exception reason) {
        return "packets from " + from.getHostAddress() + " are sent without traffic class " + trafficClass
                + ": cannot open a socket for it (" + reason.getMessage()
                + "). They arrive, but without priority in the network. Allow the process more descriptors, or"
                + " configure no traffic class";
    }
}
