package io.rdmarpc.service;

import io.rdmarpc.annotation.RdmaService;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * An interface as a service: its name and the methods that travel. Default and static methods do not; they run where they
 * are called.
 *
 * @param type the interface
 * @param name the service's name
 * @param methods its methods, by signature
 */
public record ServiceDescription(Class<?> type, String name, List<ServiceMethod> methods) {

    /**
     * Copies the list.
     *
     * @param type the interface
     * @param name the service's name
     * @param methods its methods
     */
    public ServiceDescription {
        methods = List.copyOf(methods);
    }

    /**
     * Describes an interface.
     *
     * @param type an interface with {@link RdmaService}
     * @return its description
     * @throws InvalidServiceException when it cannot be a service
     */
    public static ServiceDescription of(Class<?> type) {
        String name = nameOf(type);
        Map<String, ServiceMethod> bySignature = new TreeMap<>();
        Arrays.stream(type.getMethods())
                .filter(ServiceDescription::travels)
                .map(method -> ServiceMethod.of(name, type, method))
                .forEach(method -> bySignature.putIfAbsent(method.signature(), method));
        requireDistinctIds(name, bySignature.values());
        return new ServiceDescription(type, name, List.copyOf(bySignature.values()));
    }

    private static String nameOf(Class<?> type) {
        RdmaService annotation = type.getAnnotation(RdmaService.class);
        if (annotation == null || !type.isInterface()) {
            throw new InvalidServiceException(
                    type.getName() + " is not a service", "Use an interface that is annotated with @RdmaService");
        }
        return annotation.name().isEmpty() ? type.getName() : annotation.name();
    }

    private static boolean travels(Method method) {
        return Modifier.isAbstract(method.getModifiers()) && !ReflectionUtils.isObjectMethod(method);
    }

    private static void requireDistinctIds(String service, Iterable<ServiceMethod> methods) {
        Map<Integer, ServiceMethod> byId = new HashMap<>();
        for (ServiceMethod method : methods) {
            ServiceMethod other = byId.put(method.id(), method);
            if (other != null) {
                throw new InvalidServiceException(
                        "methods " + other.signature() + " and " + method.signature() + " of " + service
                                + " have the same number " + Integer.toHexString(method.id()),
                        "Rename one of them");
            }
        }
    }

    /**
     * Finds the method that travels for a method of the interface or of one it extends.
     *
     * @param method as seen by a proxy
     * @return the method with the same name and erased parameter types, null when it does not travel
     */
    public @Nullable ServiceMethod find(Method method) {
        return methods.stream()
                .filter(candidate -> isSame(candidate.declaration(), method))
                .findFirst()
                .orElse(null);
    }

    private static boolean isSame(Method a, Method b) {
        return a.getName().equals(b.getName()) && Arrays.equals(a.getParameterTypes(), b.getParameterTypes());
    }
}
