package io.rdmarpc.service.server;

/**
 * A bean that implements a service.
 *
 * @param type the service's interface
 * @param name the bean's name
 * @param targetClass the class behind its proxies
 * @param bean what is called, with its proxies
 */
record ServiceBean(Class<?> type, String name, Class<?> targetClass, Object bean) {}
