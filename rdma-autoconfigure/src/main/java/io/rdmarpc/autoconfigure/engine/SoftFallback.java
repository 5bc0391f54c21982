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
 * The software RNIC beside an RDMA device, where the settings want one: opened with what the device was opened with, as far as
 * it is not about one device. Few peers come this way, so its thread sleeps and keeps no processor from the device's.
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

    /** Returns null when it is not wanted, not needed, or cannot be opened: the device works without it. */
    @Nullable
    public FallbackNic beside(NicContext first) {
        if (first.providerName().equals(SOFT) || !(called || served)) {
            return null;
        }
        try {
            return open();
        } catch (RdmaException e) {
            LOG.warn(
                    "no software RNIC beside " + first.deviceName() + ": peers that it does not reach are not reached",
                    e);
            return null;
        }
    }

    private FallbackNic open() {
        NicContext opened = NicContext.open(softNic());
        try {
            return on(opened);
        } catch (RuntimeException | Error e) {
            opened.close();
            throw e;
        }
    }

    /** Device, port and GID are the RDMA device's. */
    NicConfig softNic() {
        return new NicConfig(SOFT, NicConfig.AUTO, 1, NicConfig.AUTO_GID, nic.mtuBytes(), nic.options());
    }

    FallbackNic on(NicContext opened) {
        String name = threadName == null ? null : threadName + "-fallback";
        return new FallbackNic(
                opened, ud, rc, EngineConfigs.firstPollingThread(opened, patient(), name), called, served);
    }

    /** One thread that does not spin for nothing, and is not bound to the processor of the device's thread. */
    PollingConfig patient() {
        PollingConfig one = polling.withThreads(1).withCpus(List.of());
        return one.idle() == IdlePolicy.BUSY ? one.withIdle(IdlePolicy.ADAPTIVE) : one;
    }
}
