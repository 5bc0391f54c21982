package io.rdmarpc.autoconfigure;

import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.RpcConfig;
import io.rdmarpc.rpc.runtime.EngineConfig;
import io.rdmarpc.rpc.runtime.PollingConfig;
import io.rdmarpc.rpc.runtime.PollingThread;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.server.RdmaServer;
import io.rdmarpc.transport.NicConfig;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcConfig;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdConfig;
import io.rdmarpc.transport.UdTransport;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration of the engine: a NIC, its transports, a polling thread, and the runtime that joins them. Each can be
 * replaced by a bean of the same type. Where there are more polling threads, the runtime makes them and their transports.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "rdma.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RdmaProperties.class)
@Import({RdmaConfigBeans.class, RdmaSerializationBeans.class})
public final class RdmaAutoConfiguration {

    /** Made by Spring. */
    RdmaAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    NicContext rdmaNicContext(NicConfig config) {
        return NicContext.open(config);
    }

    @Bean
    @ConditionalOnMissingBean
    UdTransport rdmaUdTransport(NicContext nic, UdConfig config) {
        return UdTransport.open(nic, config);
    }

    @Bean
    @ConditionalOnMissingBean
    RcTransport rdmaRcTransport(NicContext nic, RcConfig config) {
        return RcTransport.open(nic, config);
    }

    @Bean
    @ConditionalOnMissingBean
    PollingThread rdmaPollingThread(NicContext nic, PollingConfig config, RdmaProperties properties) {
        return EngineConfigs.firstPollingThread(
                nic, config, properties.getPolling().getThreadName());
    }

    @Bean
    @ConditionalOnMissingBean
    RdmaRuntime rdmaRuntime(
            NicContext nic,
            UdTransport ud,
            RcTransport rc,
            PollingThread thread,
            FurtherEngines further,
            MemoryConfig memory,
            RpcConfig config,
            SoftFallback fallback) {
        return RdmaRuntime.create(nic, ud, rc, thread, further.engines(), memory, config, fallback.beside(nic));
    }

    @Bean
    SoftFallback rdmaSoftFallback(
            NicConfig nic, UdConfig ud, RcConfig rc, PollingConfig polling, RdmaProperties properties) {
        return new SoftFallback(nic, ud, rc, polling, properties);
    }

    /** Engines besides the one whose parts are beans. */
    record FurtherEngines(List<EngineConfig> engines) {}

    @Bean
    FurtherEngines rdmaFurtherEngines(
            NicContext nic, PollingConfig polling, UdConfig ud, RcConfig rc, RdmaProperties properties) {
        return new FurtherEngines(
                EngineConfigs.pollingThreads(
                                nic, polling, properties.getPolling().getThreadName())
                        .stream()
                        .skip(1)
                        .map(thread -> new EngineConfig(ud, rc, thread))
                        .toList());
    }

    @Bean
    RdmaRuntimeLifecycle rdmaRuntimeLifecycle(
            RdmaRuntime runtime, RdmaProperties properties, ObjectProvider<LifecycleProperties> lifecycle) {
        return new RdmaRuntimeLifecycle(
                runtime, ShutdownTime.of(properties.getServer().getShutdown(), lifecycle.getIfAvailable()));
    }

    @Bean
    RdmaStartupLog rdmaStartupLog(
            ApplicationContext application, NicContext nic, RdmaRuntime runtime, ObjectProvider<RdmaServer> server) {
        return new RdmaStartupLog(application, nic, runtime, server);
    }
}
