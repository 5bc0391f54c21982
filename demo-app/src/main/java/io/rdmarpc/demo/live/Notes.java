package io.rdmarpc.demo.live;

import io.rdmarpc.demo.live.load.LoadSettings;
import io.rdmarpc.demo.live.side.RdmaView;
import io.rdmarpc.demo.live.side.SoftLink;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a reader must know about the setup before comparing the figures. */
final class Notes {

    private Notes() {}

    /**
     * Describes the setup in a few words.
     *
     * @param rdma the client's engine, null while it starts
     * @param oneHost whether client and server are on one host
     * @param cpus number of CPUs of this host
     */
    static String setup(@Nullable RdmaView rdma, boolean oneHost, int cpus) {
        return String.join(
                ", ", device(rdma), oneHost ? "one host" : "two hosts", cpus == 1 ? "1 CPU" : cpus + " CPUs");
    }

    private static String device(@Nullable RdmaView rdma) {
        if (rdma == null) {
            return "RDMA not connected";
        }
        return rdma.isSoftware()
                ? "software RNIC " + rdma.device() + " over "
                        + (rdma.link().equals(SoftLink.UDP) ? "UDP" : "shared memory")
                : "RDMA device " + rdma.device();
    }

    /**
     * Returns one or two sentences for each condition that limits what the figures say.
     *
     * @param rdma the client's engine, null while it starts
     * @param oneHost whether client and server are on one host
     * @param unfinishedWarmUp seconds after which the warm-up ended although calls still got faster, or null
     */
    static List<String> of(
            @Nullable RdmaView rdma,
            boolean oneHost,
            LoadSettings settings,
            HostLoad load,
            @Nullable Long unfinishedWarmUp) {
        List<String> notes = new ArrayList<>();
        if (rdma != null && rdma.isSoftware() && oneHost) {
            notes.add("Software RNIC on one host: no network is measured.");
        }
        if (settings.lossPercent() > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "Injected loss of %s %% affects RDMA only. gRPC and HTTP lose no packets.",
                    percent(settings.lossPercent())));
        }
        if (load.isSaturated()) {
            notes.add(String.format(
                    Locale.ROOT,
                    "All %d CPUs are busy, other programs use %.0f %% of them. Latencies include waiting for a CPU.",
                    load.cpus(),
                    100 * load.others()));
        } else if (load.hasBusyOthers()) {
            notes.add(String.format(
                    Locale.ROOT,
                    "Other programs use %.0f %% of the %d CPUs, which distorts the comparison.",
                    100 * load.others(),
                    load.cpus()));
        }
        if (unfinishedWarmUp != null) {
            notes.add("The warm-up ended at its limit of " + unfinishedWarmUp
                    + " s: calls still became faster, or the JIT compiler was busy.");
        }
        return notes;
    }

    private static String percent(double percent) {
        return percent == Math.rint(percent) ? Long.toString((long) percent) : Double.toString(percent);
    }
}
