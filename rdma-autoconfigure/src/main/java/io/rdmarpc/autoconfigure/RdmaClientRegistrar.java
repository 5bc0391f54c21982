package io.rdmarpc.autoconfigure;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.service.client.RdmaProxy;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfigurationPackages;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Registers a client for every service interface in the application's packages and every target. Clients are fallbacks: a
 * local implementation wins where nobody asks for {@link RdmaClient}. Those of other targets than the default one are
 * injected only where their name is asked for.
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
        Set<String> targets = targets();
        for (String type : scan(AutoConfigurationPackages.get(beans))) {
            Class<?> service = ClassUtils.resolveClassName(type, resourceLoader.getClassLoader());
            targets.forEach(target -> register(registry, service, target));
        }
    }

    /** The properties are not bound yet, only their names are needed. */
    private Set<String> targets() {
        Set<String> targets = new LinkedHashSet<>(Set.of(RdmaClients.DEFAULT_TARGET));
        Binder.get(environment)
                .bind("rdma.client.targets", Bindable.mapOf(String.class, Object.class))
                .ifBound((Map<String, Object> bound) -> targets.addAll(bound.keySet()));
        return targets;
    }

    private Set<String> scan(Collection<String> packages) {
        RdmaServiceScanner scanner = new RdmaServiceScanner(environment, resourceLoader);
        Set<String> types = new LinkedHashSet<>();
        packages.forEach(each -> scanner.findCandidateComponents(each)
                .forEach(candidate -> types.add(String.valueOf(candidate.getBeanClassName()))));
        return types;
    }

    private static void register(BeanDefinitionRegistry registry, Class<?> service, String target) {
        RootBeanDefinition definition = new RootBeanDefinition(RdmaClientFactoryBean.class);
        definition.setTargetType(ResolvableType.forClassWithGenerics(RdmaClientFactoryBean.class, service));
        definition.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, service);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, service);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(1, target);
        definition.addQualifier(new AutowireCandidateQualifier(RdmaClient.class, target));
        definition.setLazyInit(true);
        definition.setFallback(true);
        definition.setDefaultCandidate(target.equals(RdmaClients.DEFAULT_TARGET));
        registry.registerBeanDefinition(RdmaProxy.BEAN_NAME_PREFIX + target + "#" + service.getName(), definition);
    }
}
