package io.rdmarpc.autoconfigure;

import io.rdmarpc.rpc.runtime.FallbackNic;
import io.rdmarpc.rpc.runtime.FallbackPolicy;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.verbs.RdmaException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/** The software RNIC beside an RDMA device, where the settings want one. */
final class SoftFallback {

    private static final Log LOG = LogFactory.getLog(SoftFallback.class);
    private static final String SOFT = "soft";

    private SoftFallback() {}

    /** Returns null when it is not wanted, not needed, or cannot be opened: the device works without it. */
    static @Nullable FallbackNic of(NicContext first, RdmaProperties properties) {
        boolean called = properties.client().fallback() == FallbackPolicy.SOFT;
        boolean served = properties.server().enabled() && properties.server().softFallback();
        if (first.providerName().equals(SOFT) || !(called || served)) {
            return null;
        }
        try {
            return open(properties, called, served);
        } catch (RdmaException e) {
            LOG.warn(
                    "no software RNIC beside " + first.deviceName() + ": peers that it does not reach are not reached",
                    e);
            return null;
        }
    }

    private static FallbackNic open(RdmaProperties properties, boolean called, boolean served) {
        NicConfig wanted = EngineConfigs.nic(properties);
        NicContext nic = NicContext.open(
                new NicConfig(SOFT, NicConfig.AUTO, 1, NicConfig.AUTO_GID, wanted.mtuBytes(), wanted.options()));
        try {
            return on(nic, properties, called, served);
        } catch (RuntimeException e) {
            nic.close();
            throw e;
        }
    }

    private static FallbackNic on(NicContext nic, RdmaProperties properties, boolean called, boolean served) {
        return new FallbackNic(
                nic,
                EngineConfigs.ud(properties.ud()),
                EngineConfigs.rc(properties.rc()),
                EngineConfigs.pollingThreads(
                                nic,
                                EngineConfigs.polling(properties.polling()),
                                properties.polling().threadName())
                        .getFirst(),
                called,
                served);
    }
}
