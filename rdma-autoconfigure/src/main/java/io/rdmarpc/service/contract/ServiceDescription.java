package io.rdmarpc.service.contract;

import io.rdmarpc.annotation.RdmaService;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/**
 * An interface as a service: its name and the methods that travel. Default and static methods do not; they run where they
 * are called.
 *
 * @param type the interface
 * @param name the service's name
 * @param methods its methods, by signature, and {@link ServiceMethod#elements()} of those that take streams
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
     * @throws RdmaInvalidServiceException when it cannot be a service
     */
    public static ServiceDescription of(Class<?> type) {
        String name = nameOf(type);
        Map<String, ServiceMethod> bySignature = new TreeMap<>();
        Arrays.stream(type.getMethods())
                .filter(ServiceDescription::travels)
                .map(method -> ServiceMethod.of(name, type, method))
                .forEach(method -> bySignature.putIfAbsent(method.signature(), method));
        List<ServiceMethod> methods = bySignature.values().stream()
                .flatMap(ServiceMethod::withElements)
                .toList();
        requireDistinctIds(name, methods);
        return new ServiceDescription(type, name, methods);
    }

    /**
     * Returns the methods that are called.
     *
     * @return all but those that only describe the elements of a stream
     */
    public List<ServiceMethod> calls() {
        Set<Integer> elements = new HashSet<>();
        for (ServiceMethod method : methods) {
            ServiceMethod streamed = method.elements();
            if (streamed != null) {
                elements.add(streamed.id());
            }
        }
        return methods.stream()
                .filter(method -> !elements.contains(method.id()))
                .toList();
    }

    /**
     * Returns the name of a service without a look at its methods.
     *
     * @param type an interface with {@link RdmaService}
     * @return its name with group and version
     * @throws RdmaInvalidServiceException when it is not one
     */
    public static String nameOf(Class<?> type) {
        RdmaService annotation = type.getAnnotation(RdmaService.class);
        if (annotation == null || !type.isInterface()) {
            throw new RdmaInvalidServiceException(
                    type.getName() + " is not a service", "Use an interface that is annotated with @RdmaService");
        }
        String group = annotation.group().isEmpty() ? "" : annotation.group() + "/";
        String name = annotation.name().isEmpty() ? type.getName() : annotation.name();
        String version = annotation.version().isEmpty() ? "" : ":" + annotation.version();
        return group + name + version;
    }

    private static boolean travels(Method method) {
        return Modifier.isAbstract(method.getModifiers()) && !ReflectionUtils.isObjectMethod(method);
    }

    private static void requireDistinctIds(String service, Iterable<ServiceMethod> methods) {
        Map<Integer, ServiceMethod> byId = new HashMap<>();
        for (ServiceMethod method : methods) {
            ServiceMethod other = byId.put(method.id(), method);
            if (other != null) {
                throw new RdmaInvalidServiceException(
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
        return calls().stream()
                .filter(candidate -> isSame(candidate.declaration(), method))
                .findFirst()
                .orElse(null);
    }

    private static boolean isSame(Method a, Method b) {
        return a.getName().equals(b.getName()) && Arrays.equals(a.getParameterTypes(), b.getParameterTypes());
    }
}
