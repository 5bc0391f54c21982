package io.rdmarpc.service.contract;

import io.rdmarpc.annotation.RdmaService;
import java.util.LinkedHashSet;
import java.util.Set;

/** Finds the services that a class implements. */
public final class ServiceInterfaces {

    private ServiceInterfaces() {}

    /**
     * Searches the interfaces of a class and of its superclasses, and the interfaces that they extend. It does not
     * search above a service interface: the class implements that service only.
     *
     * @param type a class, or an interface, which may be the service itself
     * @return interfaces with {@link RdmaService}, in the order in which they are found
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
