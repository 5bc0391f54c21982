package io.rdmarpc.autoconfigure.server;

import io.rdmarpc.autoconfigure.RdmaAutoConfiguration;
import io.rdmarpc.autoconfigure.engine.ShutdownTime;
import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.autoconfigure.properties.RdmaRemoteMemoryProperties;
import io.rdmarpc.autoconfigure.properties.RdmaServerProperties;
import io.rdmarpc.rpc.config.LoadLimits;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.RdmaExceptionMapper;
import io.rdmarpc.service.RdmaServerInterceptor;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import io.rdmarpc.service.server.RdmaServer;
import io.rdmarpc.service.server.RdmaServerStartedEvent;
import io.rdmarpc.service.server.ServiceExporter;
import io.rdmarpc.service.server.security.RdmaAuthorization;
import io.rdmarpc.service.server.security.ServiceAccess;
import java.net.InetSocketAddress;
import java.util.concurrent.Executor;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnThreading;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.task.VirtualThreadTaskExecutor;
import org.springframework.scheduling.concurrent.ThreadPoolTaskExecutor;

/** Auto-configuration of the server, which offers every bean that implements a service. */
@AutoConfiguration(after = RdmaAutoConfiguration.class)
@ConditionalOnBooleanProperty(
        name = {"rdma.enabled", "rdma.server.enabled"},
        matchIfMissing = true)
public final class RdmaServerAutoConfiguration {

    /** Instantiated by Spring. */
    RdmaServerAutoConfiguration() {}

    /** Name of the executor that runs service methods, unless the application has a bean of this name. */
    static final String EXECUTOR = "rdmaServerExecutor";

    private static final int CORE_THREADS = 8;

    /** Not a default candidate: it must not replace an executor of the application or Spring Boot's own. */
    @Bean(name = EXECUTOR, defaultCandidate = false)
    @ConditionalOnMissingBean(name = EXECUTOR)
    @ConditionalOnThreading(Threading.VIRTUAL)
    VirtualThreadTaskExecutor rdmaServerVirtualThreadExecutor() {
        return new VirtualThreadTaskExecutor("rdma-server-");
    }

    /** Grows up to one thread for each concurrent call. Calls never queue. */
    @Bean(name = EXECUTOR, defaultCandidate = false)
    @ConditionalOnMissingBean(name = EXECUTOR)
    @ConditionalOnThreading(Threading.PLATFORM)
    ThreadPoolTaskExecutor rdmaServerThreadPoolExecutor(RdmaProperties properties) {
        ThreadPoolTaskExecutor executor = new ThreadPoolTaskExecutor();
        executor.setThreadNamePrefix("rdma-server-");
        executor.setDaemon(true);
        executor.setCorePoolSize(Math.min(CORE_THREADS, properties.server().maxConcurrentCalls()));
        executor.setMaxPoolSize(properties.server().maxConcurrentCalls());
        executor.setQueueCapacity(0);
        return executor;
    }

    @Bean
    @ConditionalOnMissingBean
    ServiceExporter rdmaServiceExporter(ServiceCodecFactory codecs, RdmaProperties properties, BeanFactory beans) {
        ServiceExporter exporter = new ServiceExporter(
                codecs,
                beans.getBeanProvider(CallObserver.class).getIfAvailable(() -> CallObserver.NONE),
                beans.getBean(EXECUTOR, Executor.class),
                new LoadLimits(
                        properties.server().maxConcurrentCalls(),
                        properties.server().maxQueueTime()));
        return exporter.withInterceptors(beans.getBeanProvider(RdmaServerInterceptor.class)
                        .orderedStream()
                        .toList())
                .withExceptionMappers(beans.getBeanProvider(RdmaExceptionMapper.class)
                        .orderedStream()
                        .toList())
                .withDebugDetails(properties.server().error().includeDebug());
    }

    @Bean
    @ConditionalOnMissingBean
    ServiceAccess rdmaServiceAccess(
            RdmaProperties properties,
            ObjectProvider<RdmaAuthorization> authorizations,
            ObjectProvider<SslBundles> bundles) {
        return ServiceRules.of(properties, authorizations.orderedStream().toList(), bundles.getIfAvailable());
    }

    @Bean
    @ConditionalOnMissingBean
    RdmaServer rdmaServer(
            RdmaProperties properties, ConfigurableListableBeanFactory beans, ApplicationEventPublisher events) {
        RdmaServerProperties server = properties.server();
        RdmaServer made = new RdmaServer(
                beans.getBean(RdmaRuntime.class),
                beans.getBean(ServiceExporter.class),
                beans.getBean(ServiceAccess.class),
                beans,
                events,
                new InetSocketAddress(server.address(), server.port()),
                ShutdownTime.of(
                        server.shutdown(),
                        beans.getBeanProvider(LifecycleProperties.class).getIfAvailable()));
        return beans.getBeanProvider(RdmaRemoteMemoryProperties.class).stream()
                        .anyMatch(RdmaRemoteMemoryProperties::listen)
                ? made.listeningWithoutServices()
                : made;
    }

    /** Publishes the port, as {@code local.server.port} does for a web server. */
    @Bean
    static ApplicationListener<RdmaServerStartedEvent> rdmaServerPortListener(ConfigurableEnvironment environment) {
        return new LocalPortProperty(environment);
    }
}
