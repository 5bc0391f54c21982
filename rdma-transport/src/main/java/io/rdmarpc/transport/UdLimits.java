package io.rdmarpc.transport;

import io.rdmarpc.verbs.attributes.DeviceAttributes;
import io.rdmarpc.verbs.error.RdmaConfigurationException;

/** Checks the sizes of a datagram transport against the device, before any resource is created. */
final class UdLimits {

    private static final int MIN_DEPTH = 16;
    private static final int MAX_BATCH = 256;

    private UdLimits() {}

    static void check(NicContext nic, UdConfig config) {
        DeviceAttributes limits = nic.context().attributes();
        int limit = Math.min(limits.maxQpWr(), limits.maxCqe());
        checkDepth(nic, "ud.send-depth", config.sendDepth(), limit);
        checkDepth(nic, "ud.receive-depth", config.receiveDepth(), limit);
        checkBatch("ud.poll-batch", config.pollBatch());
        checkBatch("ud.post-batch", config.postBatch());
    }

    private static void checkBatch(String setting, int batch) {
        if (batch < 1 || batch > MAX_BATCH) {
            throw new RdmaConfigurationException(
                    setting,
                    batch,
                    "it must be 1 to " + MAX_BATCH,
                    "Use a value in that range, or leave it out for 16");
        }
    }

    private static void checkDepth(NicContext nic, String setting, int depth, int limit) {
        if (depth < MIN_DEPTH || depth > limit) {
            throw new RdmaConfigurationException(
                    setting,
                    depth,
                    "device " + nic.deviceName() + " allows " + MIN_DEPTH + " to " + limit + " (max_qp_wr and max_cqe)",
                    "Use at most " + limit);
        }
    }
}
