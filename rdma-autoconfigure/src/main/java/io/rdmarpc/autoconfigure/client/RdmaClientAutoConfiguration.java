package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.autoconfigure.RdmaAutoConfiguration;
import io.rdmarpc.autoconfigure.RdmaConnectionDetails;
import io.rdmarpc.autoconfigure.engine.RdmaRuntimeLifecycle;
import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.CallObserver;
import io.rdmarpc.service.RdmaClientInterceptor;
import io.rdmarpc.service.client.RdmaServiceProxyFactory;
import io.rdmarpc.service.client.routing.RdmaTargetResolver;
import io.rdmarpc.service.client.routing.TargetListener;
import io.rdmarpc.service.codec.ServiceCodecFactory;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.annotation.CustomAutowireConfigurer;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.Ordered;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/** Auto-configuration of clients: a proxy for every service interface in the application's packages. */
@AutoConfiguration(after = RdmaAutoConfiguration.class)
@ConditionalOnBooleanProperty(
        name = {"rdma.enabled", "rdma.client.enabled"},
        matchIfMissing = true)
@Import(RdmaClientRegistrar.class)
public final class RdmaClientAutoConfiguration {

    /** Instantiated by Spring. */
    RdmaClientAutoConfiguration() {}

    /** Registers {@link RdmaClient} as a qualifier, because the annotation itself does not depend on Spring. */
    @Bean
    static CustomAutowireConfigurer rdmaClientQualifier() {
        CustomAutowireConfigurer configurer = new CustomAutowireConfigurer();
        // Runs before the post-processor of {@code @MockitoBean} looks for the bean to replace.
        configurer.setOrder(Ordered.HIGHEST_PRECEDENCE);
        configurer.setCustomQualifierTypes(Set.of(RdmaClient.class));
        return configurer;
    }

    @Bean
    @ConditionalOnMissingBean
    RdmaServiceProxyFactory rdmaServiceProxyFactory(
            ServiceCodecFactory codecs, RdmaProperties properties, BeanFactory beans) {
        return new RdmaServiceProxyFactory(
                        codecs,
                        beans.getBeanProvider(CallObserver.class).getIfAvailable(() -> CallObserver.NONE),
                        new VirtualThreadTaskExecutor("rdma-client-"))
                .withInterceptors(beans.getBeanProvider(RdmaClientInterceptor.class)
                        .orderedStream()
                        .toList())
                .withRetry(properties.client().retry().settings())
                .withStart(beans.getBeanProvider(RdmaRuntimeLifecycle.class).stream()
                        .findFirst()
                        .<Runnable>map(lifecycle -> lifecycle::startForCall)
                        .orElse(() -> {}));
    }

    @Bean
    @ConditionalOnBooleanProperty("rdma.client.eager-connect")
    TargetConnector rdmaTargetConnector(RdmaClients clients, RdmaProperties properties) {
        return new TargetConnector(clients, properties.connectTimeout());
    }

    @Bean
    TargetTimeouts rdmaTargetTimeouts(RdmaClients clients) {
        return new TargetTimeouts(clients);
    }

    @Bean
    RdmaClients rdmaClients(RdmaRuntime runtime, RdmaProperties properties, BeanFactory beans) {
        return new RdmaClients(
                runtime,
                beans.getBean(RdmaServiceProxyFactory.class),
                new TargetResolvers(beans.getBeanProvider(RdmaTargetResolver.class)
                        .orderedStream()
                        .toList()),
                properties,
                beans.getBeanProvider(RdmaConnectionDetails.class).getIfAvailable(() -> target -> null),
                beans.getBeanProvider(TargetListener.class));
    }
}
