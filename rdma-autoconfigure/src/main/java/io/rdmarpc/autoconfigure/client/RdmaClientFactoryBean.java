package io.rdmarpc.autoconfigure.client;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;

/**
 * Creates one client when it is first injected. It looks up {@link RdmaClients} only then, because Spring needs its
 * type long before the engine exists.
 */
final class RdmaClientFactoryBean<T> implements FactoryBean<T>, BeanFactoryAware {

    private final Class<T> type;
    private final String target;
    private @Nullable BeanFactory beans;

    RdmaClientFactoryBean(Class<T> type, String target) {
        this.type = type;
        this.target = target;
    }

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        this.beans = beanFactory;
    }

    @Override
    public T getObject() {
        if (beans == null) {
            throw new IllegalStateException("a client needs a bean factory: call setBeanFactory before getObject");
        }
        return beans.getBean(RdmaClients.class).create(type, target);
    }

    @Override
    public Class<T> getObjectType() {
        return type;
    }
}
