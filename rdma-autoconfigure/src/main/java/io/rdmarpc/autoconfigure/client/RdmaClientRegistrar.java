package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.autoconfigure.properties.RdmaClientProperties;
import io.rdmarpc.service.contract.ServiceDescription;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Registers a client for every service interface in the application's packages and every target. Clients are fallback
 * beans: a local implementation takes precedence unless {@link RdmaClient} selects the client. A service's own target
 * is {@code default}, or the one in {@code rdma.client.services}. Clients of other targets are injected only by the
 * target's name. Clients of {@link ImportRdmaServices} take precedence.
 */
final class RdmaClientRegistrar implements ImportBeanDefinitionRegistrar {

    private final Environment environment;
    private final ResourceLoader resourceLoader;
    private final BeanFactory beans;

    RdmaClientRegistrar(Environment environment, ResourceLoader resourceLoader, BeanFactory beans) {
        this.environment = environment;
        this.resourceLoader = resourceLoader;
        this.beans = beans;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata metadata, BeanDefinitionRegistry registry) {
        if (!AutoConfigurationPackages.has(beans)) {
            return;
        }
        RdmaClientDefinitions definitions = new RdmaClientDefinitions(registry, environment, resourceLoader);
        Set<String> targets = targets();
        Map<String, RdmaClientProperties.Service> services = services();
        services.values().forEach(service -> targets.add(service.target()));
        for (Class<?> service : definitions.scan(AutoConfigurationPackages.get(beans))) {
            boolean imported = definitions.hasUnnamed(service);
            RdmaClientProperties.Service settings = services.get(ServiceDescription.nameOf(service));
            String own = settings == null ? TargetSettings.DEFAULT_TARGET : settings.target();
            targets.forEach(target -> definitions.register(service, target, !imported && target.equals(own)));
        }
    }

    private Map<String, RdmaClientProperties.Service> services() {
        return Binder.get(environment)
                .bind("rdma.client.services", Bindable.mapOf(String.class, RdmaClientProperties.Service.class))
                .orElseGet(Map::of);
    }

    /** Returns the names of the targets. The properties are not bound yet, and only the names are needed. */
    private Set<String> targets() {
        Set<String> targets = new LinkedHashSet<>(Set.of(TargetSettings.DEFAULT_TARGET));
        Binder.get(environment)
                .bind("rdma.client.targets", Bindable.mapOf(String.class, Object.class))
                .ifBound((Map<String, Object> bound) -> targets.addAll(bound.keySet()));
        return targets;
    }
}
