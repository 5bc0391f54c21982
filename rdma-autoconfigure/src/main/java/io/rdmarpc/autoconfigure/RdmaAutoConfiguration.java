package io.rdmarpc.autoconfigure;

import io.rdmarpc.rpc.runtime.PollingThread;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.server.RdmaServer;
import io.rdmarpc.transport.NicContext;
import io.rdmarpc.transport.RcTransport;
import io.rdmarpc.transport.UdTransport;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.ssl.SslBundles;
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
@Import(RdmaSerializationBeans.class)
public final class RdmaAutoConfiguration {

    /** Made by Spring. */
    RdmaAutoConfiguration() {}

    @Bean
    @ConditionalOnMissingBean
    NicContext rdmaNicContext(RdmaProperties properties) {
        return NicContext.open(EngineConfigs.nic(properties));
    }

    @Bean
    @ConditionalOnMissingBean
    UdTransport rdmaUdTransport(NicContext nic, RdmaProperties properties) {
        return UdTransport.open(nic, EngineConfigs.ud(properties.ud()));
    }

    @Bean
    @ConditionalOnMissingBean
    RcTransport rdmaRcTransport(NicContext nic, RdmaProperties properties) {
        return RcTransport.open(nic, EngineConfigs.rc(properties.rc()));
    }

    @Bean
    @ConditionalOnMissingBean
    PollingThread rdmaPollingThread(NicContext nic, RdmaProperties properties) {
        return EngineConfigs.pollingThreads(nic, properties).getFirst();
    }

    @Bean
    @ConditionalOnMissingBean
    RdmaRuntime rdmaRuntime(
            NicContext nic,
            UdTransport ud,
            RcTransport rc,
            PollingThread thread,
            RdmaProperties properties,
            ObjectProvider<SslBundles> bundles) {
        return RdmaRuntime.create(
                nic,
                ud,
                rc,
                thread,
                EngineConfigs.furtherEngines(nic, properties),
                EngineConfigs.memory(properties.memory()),
                EngineConfigs.rpc(properties, bundles.getIfAvailable()));
    }

    @Bean
    RdmaRuntimeLifecycle rdmaRuntimeLifecycle(RdmaRuntime runtime, RdmaProperties properties) {
        return new RdmaRuntimeLifecycle(runtime, properties.server().shutdown().gracePeriod());
    }

    @Bean
    RdmaStartupLog rdmaStartupLog(
            ApplicationContext application,
            NicContext nic,
            RdmaProperties properties,
            ObjectProvider<RdmaServer> server) {
        return new RdmaStartupLog(application, nic, properties, server);
    }
}
