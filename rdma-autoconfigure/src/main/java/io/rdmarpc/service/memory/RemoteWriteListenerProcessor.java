package io.rdmarpc.service.memory;

import io.rdmarpc.async.LocalRegion;
import io.rdmarpc.remote.lease.WriteListener;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;

/**
 * Finds methods with {@link RemoteWriteListener}, and registers them as listeners when their bean is ready.
 */
public final class RemoteWriteListenerProcessor implements BeanPostProcessor {

    private final BeanFactory beans;
    private final ObjectProvider<WriteListeners> listeners;
    private final Set<Class<?>> without = ConcurrentHashMap.newKeySet();

    /**
     * Creates the processor.
     *
     * @param beans contains the regions
     * @param listeners the registry of listeners; requested when a method is found
     */
    public RemoteWriteListenerProcessor(BeanFactory beans, ObjectProvider<WriteListeners> listeners) {
        this.beans = beans;
        this.listeners = listeners;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String name) {
        Class<?> type = AopUtils.getTargetClass(bean);
        if (without.contains(type) || !AnnotationUtils.isCandidateClass(type, RemoteWriteListener.class)) {
            return bean;
        }
        Map<Method, RemoteWriteListener> methods =
                MethodIntrospector.selectMethods(type, (MethodIntrospector.MetadataLookup<RemoteWriteListener>)
                        method -> AnnotatedElementUtils.findMergedAnnotation(method, RemoteWriteListener.class));
        if (methods.isEmpty()) {
            without.add(type);
        }
        methods.forEach((method, listener) -> register(bean, method, listener.region()));
        return bean;
    }

    private void register(Object bean, Method method, String region) {
        Method callable = AopUtils.selectInvocableMethod(method, bean.getClass());
        WriteListener listener = new ListenerMethod(bean, callable);
        if (region.isEmpty()) {
            listeners.getObject().add(listener);
        } else {
            listeners.getObject().add(region(region, method), listener);
        }
    }

    private LocalRegion region(String name, Method method) {
        try {
            return beans.getBean(name, LocalRegion.class);
        } catch (NoSuchBeanDefinitionException none) {
            throw new RdmaInvalidServiceException(
                    "The @RemoteWriteListener method " + method.toGenericString() + " listens to region '" + name
                            + "', but no such bean exists",
                    "Define a bean of type LocalRegion with that name, for instance by "
                            + "RemoteMemoryTemplate.allocateLocal");
        }
    }
}
