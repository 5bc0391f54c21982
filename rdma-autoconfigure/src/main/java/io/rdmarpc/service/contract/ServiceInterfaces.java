package io.rdmarpc.service.contract;

import io.rdmarpc.annotation.RdmaService;
import java.util.LinkedHashSet;
import java.util.Set;

/** Finds the services that a class implements. */
public final class ServiceInterfaces {

    private ServiceInterfaces() {}

    /**
     * Looks at the interfaces of a class and of those above it, and at the interfaces these extend. What a service extends
     * counts no more: it is that service which the class implements.
     *
     * @param type a class, or an interface, which may be the service itself
     * @return interfaces with {@link RdmaService}, in the order they were found
     */
    public static Set<Class<?>> of(Class<?> type) {
        Set<Class<?>> found = new LinkedHashSet<>();
        for (Class<?> each = type; each != null; each = each.getSuperclass()) {
            addFrom(each, found);
        }
        return found;
    }

    private static void addFrom(Class<?> type, Set<Class<?>> found) {
        if (type.isInterface() && type.isAnnotationPresent(RdmaService.class)) {
            found.add(type);
            return;
        }
        for (Class<?> extended : type.getInterfaces()) {
            addFrom(extended, found);
        }
    }
}
