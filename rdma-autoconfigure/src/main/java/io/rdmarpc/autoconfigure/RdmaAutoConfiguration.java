package io.rdmarpc.autoconfigure;

import io.rdmarpc.autoconfigure.engine.EngineConfigs;
import io.rdmarpc.autoconfigure.engine.RdmaRuntimeLifecycle;
import io.rdmarpc.autoconfigure.engine.RdmaStartupLog;
import io.rdmarpc.autoconfigure.engine.ShutdownTime;
import io.rdmarpc.autoconfigure.engine.SoftFallback;
import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.memory.MemoryConfig;
import io.rdmarpc.rpc.config.RpcConfig;
import io.rdmarpc.rpc.runtime.EngineConfig;
import io.rdmarpc.rpc.runtime.EngineScaling;
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
import org.springframework.beans.factory.BeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/**
 * Auto-configuration of the engine: a NIC, its transports, a polling thread, and the runtime that connects them. An
 * application replaces each one with a bean of the same type. With more than one polling thread, the runtime creates
 * the other threads and their transports.
 *
 * <p>Bean methods that run at every start have at most three parameters and look up further beans. This also applies to
 * clients, server and serialization. The reason is start-up time. Spring calls these methods by reflection, and for
 * each larger number of parameters the JVM generates about that many classes. Each class takes about 1 ms.
 */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "rdma.enabled", matchIfMissing = true)
@EnableConfigurationProperties(RdmaProperties.class)
@Import({RdmaConfigBeans.class, RdmaSerializationBeans.class})
public final class RdmaAutoConfiguration {

    /** Instantiated by Spring. */
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
                nic, config, properties.polling().threadName());
    }

    @Bean
    @ConditionalOnMissingBean
    RdmaRuntime rdmaRuntime(NicContext nic, BeanFactory beans) {
        FurtherEngines further = beans.getBean(FurtherEngines.class);
        return RdmaRuntime.create(
                nic,
                beans.getBean(UdTransport.class),
                beans.getBean(RcTransport.class),
                beans.getBean(PollingThread.class),
                further.engines(),
                beans.getBean(MemoryConfig.class),
                beans.getBean(RpcConfig.class),
                further.scaling(),
                beans.getBean(SoftFallback.class).openAlongside(nic));
    }

    @Bean
    SoftFallback rdmaSoftFallback(RdmaProperties properties, BeanFactory beans) {
        return new SoftFallback(
                beans.getBean(NicConfig.class),
                beans.getBean(UdConfig.class),
                beans.getBean(RcConfig.class),
                beans.getBean(PollingConfig.class),
                properties);
    }

    /** Configurations of engines in addition to the one whose parts are beans: those of the start, and later ones. */
    record FurtherEngines(List<EngineConfig> engines, EngineScaling scaling) {}

    @Bean
    FurtherEngines rdmaFurtherEngines(NicContext nic, RdmaProperties properties, BeanFactory beans) {
        UdConfig ud = beans.getBean(UdConfig.class);
        RcConfig rc = beans.getBean(RcConfig.class);
        PollingConfig polling = beans.getBean(PollingConfig.class);
        String name = EngineConfigs.threadName(nic, properties.polling().threadName());
        return new FurtherEngines(
                polling.threads(name).stream()
                        .skip(1)
                        .map(thread -> new EngineConfig(ud, rc, thread))
                        .toList(),
                EngineScaling.of(polling, name, ud, rc));
    }

    @Bean
    RdmaRuntimeLifecycle rdmaRuntimeLifecycle(
            RdmaRuntime runtime, RdmaProperties properties, ConfigurableApplicationContext application) {
        return new RdmaRuntimeLifecycle(
                runtime,
                ShutdownTime.of(
                        properties.server().shutdown(),
                        application.getBeanProvider(LifecycleProperties.class).getIfAvailable()),
                application);
    }

    @Bean
    RdmaStartupLog rdmaStartupLog(ApplicationContext application, NicContext nic, RdmaRuntime runtime) {
        return new RdmaStartupLog(application, nic, runtime, application.getBeanProvider(RdmaServer.class));
    }
}
