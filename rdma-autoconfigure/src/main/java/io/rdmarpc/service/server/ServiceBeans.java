package io.rdmarpc.service.server;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.service.client.RdmaProxy;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceInterfaces;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Finds the beans that implement services. Client proxies, and beans that replace them in tests, are left out. */
final class ServiceBeans {

    private final ConfigurableListableBeanFactory beans;

    ServiceBeans(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Returns one bean for each service interface. */
    Collection<ServiceBean> find() {
        Map<Class<?>, List<String>> names = new LinkedHashMap<>();
        for (String name : beans.getBeanNamesForAnnotation(RdmaService.class)) {
            if (isImplementation(name)) {
                servicesOf(name)
                        .forEach(type -> names.computeIfAbsent(type, t -> new ArrayList<>())
                                .add(name));
            }
        }
        List<ServiceBean> found = new ArrayList<>();
        names.forEach((type, candidates) -> {
            ServiceBean bean = beanOf(type, select(type, candidates));
            if (bean != null) {
                found.add(bean);
            }
        });
        return Collections.unmodifiableList(found);
    }

    private static boolean isImplementation(String name) {
        return !name.startsWith(RdmaProxy.BEAN_NAME_PREFIX) && !ScopedProxyUtils.isScopedTarget(name);
    }

    private Set<Class<?>> servicesOf(String name) {
        Class<?> targetClass = targetClassOf(name);
        Set<Class<?>> services = ServiceInterfaces.of(targetClass);
        if (services.isEmpty()) {
            throw new RdmaInvalidServiceException(
                    "bean '" + name + "' is annotated with @RdmaService, but " + targetClass.getName()
                            + " implements no interface with that annotation",
                    "Annotate the interface that callers and the bean share with @RdmaService");
        }
        return services;
    }

    private Class<?> targetClassOf(String name) {
        Class<?> known = AutoProxyUtils.determineTargetClass(beans, name);
        return known != null ? known : Objects.requireNonNull(beans.getType(name));
    }

    private String select(Class<?> type, List<String> candidates) {
        if (candidates.size() == 1) {
            return candidates.getFirst();
        }
        List<String> primary = candidates.stream().filter(this::isPrimary).toList();
        if (primary.size() == 1) {
            return primary.getFirst();
        }
        throw new RdmaInvalidServiceException(
                "the beans '" + String.join("' and '", candidates) + "' all implement the service " + type.getName()
                        + ", and only one can be exported",
                "Remove all but one, or mark the one to export with @Primary");
    }

    private boolean isPrimary(String name) {
        return beans.containsBeanDefinition(name)
                && beans.getMergedBeanDefinition(name).isPrimary();
    }

    private @Nullable ServiceBean beanOf(Class<?> type, String name) {
        Object bean = beans.getBean(name);
        return bean instanceof RdmaProxy ? null : new ServiceBean(type, name, targetClassOf(name), bean);
    }
}
