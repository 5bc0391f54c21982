package io.rdmarpc.autoconfigure.engine;

import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.rpc.runtime.FallbackNic;
import io.rdmarpc.rpc.runtime.FallbackPolicy;
import io.rdmarpc.rpc.runtime.IdlePolicy;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.verbs.error.RdmaException;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The software RNIC alongside an RDMA device, if the settings enable it. It has the device's configuration, except for
 * the settings that select a device. Few peers use this path, so its thread sleeps when idle and leaves the processors
 * to the device's thread.
 */
public final class SoftFallback {

    private static final Log LOG = LogFactory.getLog(SoftFallback.class);
    private static final String SOFT = "soft";

    private final NicConfig nic;
    private final UdConfig ud;
    private final RcConfig rc;
    private final PollingConfig polling;
    private final @Nullable String threadName;
    private final boolean called;
    private final boolean served;

    public SoftFallback(NicConfig nic, UdConfig ud, RcConfig rc, PollingConfig polling, RdmaProperties properties) {
        this.nic = nic;
        this.ud = ud;
        this.rc = rc;
        this.polling = polling;
        this.threadName = properties.polling().threadName();
        this.called = properties.client().fallback() == FallbackPolicy.SOFT;
        this.served = properties.server().enabled() && properties.server().softFallback();
    }

    /**
     * Opens the software RNIC. Returns null if it is not enabled, not needed, or cannot be opened, because the device
     * works without it.
     */
    @Nullable
    public FallbackNic openAlongside(NicContext first) {
        if (first.providerName().equals(SOFT) || !(called || served)) {
            return null;
        }
        try {
            return open();
        } catch (RdmaException e) {
            LOG.warn(
                    "the software RNIC could not be opened alongside " + first.deviceName()
                            + ": peers that the device does not reach are unreachable",
                    e);
            return null;
        }
    }

    private FallbackNic open() {
        NicContext opened = NicContext.open(softNic());
        try {
            return fallbackOn(opened);
        } catch (RuntimeException | Error e) {
            opened.close();
            throw e;
        }
    }

    /** Returns the configuration without device, port and GID, which are those of the RDMA device. */
    NicConfig softNic() {
        return new NicConfig(SOFT, NicConfig.AUTO, 1, NicConfig.AUTO_GID, nic.mtuBytes(), nic.options());
    }

    FallbackNic fallbackOn(NicContext opened) {
        String name = threadName == null ? null : threadName + "-fallback";
        return new FallbackNic(
                opened, ud, rc, EngineConfigs.firstPollingThread(opened, pollingConfig(), name), called, served);
    }

    /** Returns one thread that sleeps when idle and is not bound to the processor of the device's thread. */
    PollingConfig pollingConfig() {
        PollingConfig one = polling.withThreads(1).withCpus(List.of());
        return one.idleStrategy() == IdlePolicy.BUSY ? one.withIdleStrategy(IdlePolicy.ADAPTIVE) : one;
    }
}
