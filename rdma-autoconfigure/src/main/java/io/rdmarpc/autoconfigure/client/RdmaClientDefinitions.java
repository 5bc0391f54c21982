package io.rdmarpc.autoconfigure.client;

import io.rdmarpc.annotation.RdmaClient;
import io.rdmarpc.service.client.RdmaProxy;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.ResolvableType;
import org.springframework.core.env.Environment;
import org.springframework.core.io.ResourceLoader;
import org.springframework.util.ClassUtils;

/** Bean definitions of clients, one for each service and target. The first definition of a pair is kept. */
final class RdmaClientDefinitions {

    private final BeanDefinitionRegistry registry;
    private final Environment environment;
    private final ResourceLoader resourceLoader;

    RdmaClientDefinitions(BeanDefinitionRegistry registry, Environment environment, ResourceLoader resourceLoader) {
        this.registry = registry;
        this.environment = environment;
        this.resourceLoader = resourceLoader;
    }

    /** Returns the service interfaces in packages. */
    Set<Class<?>> scan(Collection<String> packages) {
        RdmaServiceScanner scanner = new RdmaServiceScanner(environment, resourceLoader);
        Set<Class<?>> types = new LinkedHashSet<>();
        packages.forEach(each -> scanner.findCandidateComponents(each)
                .forEach(candidate -> types.add(ClassUtils.resolveClassName(
                        String.valueOf(candidate.getBeanClassName()), resourceLoader.getClassLoader()))));
        return types;
    }

    /** Returns whether a service already has a client that is injected where no target is named. */
    boolean hasUnnamed(Class<?> service) {
        return Arrays.stream(registry.getBeanDefinitionNames())
                .filter(name -> name.startsWith(RdmaProxy.BEAN_NAME_PREFIX) && name.endsWith("#" + service.getName()))
                .anyMatch(name -> registry.getBeanDefinition(name) instanceof RootBeanDefinition definition
                        && definition.isDefaultCandidate());
    }

    /**
     * Adds a client.
     *
     * @param service the interface
     * @param target the target that it calls
     * @param unnamed whether it is injected where no target is named
     */
    void register(Class<?> service, String target, boolean unnamed) {
        String name = RdmaProxy.BEAN_NAME_PREFIX + target + "#" + service.getName();
        if (registry.containsBeanDefinition(name)) {
            return;
        }
        RootBeanDefinition definition = new RootBeanDefinition(RdmaClientFactoryBean.class);
        definition.setTargetType(ResolvableType.forClassWithGenerics(RdmaClientFactoryBean.class, service));
        definition.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, service);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, service);
        definition.getConstructorArgumentValues().addIndexedArgumentValue(1, target);
        definition.addQualifier(new AutowireCandidateQualifier(RdmaClient.class, target));
        definition.setLazyInit(true);
        definition.setFallback(true);
        definition.setDefaultCandidate(unnamed);
        registry.registerBeanDefinition(name, definition);
    }
}
