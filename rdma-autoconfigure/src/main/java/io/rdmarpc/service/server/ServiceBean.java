package io.rdmarpc.service.server;

/**
 * A bean that implements a service.
 *
 * @param type interface of the service
 * @param name name of the bean
 * @param targetClass class behind the bean's proxies
 * @param bean the bean to call, with its proxies
 */
record ServiceBean(Class<?> type, String name, Class<?> targetClass, Object bean) {}
