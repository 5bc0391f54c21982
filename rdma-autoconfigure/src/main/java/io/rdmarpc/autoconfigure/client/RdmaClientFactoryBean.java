package io.rdmarpc.autoconfigure.client;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.FactoryBean;

/**
 * Makes one client when it is first injected. Asks for {@link RdmaClients} only then: its type must be known long before the
 * engine is.
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
            throw new IllegalStateException("a client is made by a bean factory");
        }
        return beans.getBean(RdmaClients.class).create(type, target);
    }

    @Override
    public Class<T> getObjectType() {
        return type;
    }
}
