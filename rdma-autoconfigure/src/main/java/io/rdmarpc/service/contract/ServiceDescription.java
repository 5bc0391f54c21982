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
 * A service interface: its name and its remote methods. Default and static methods are not remote; they run in the
 * caller's process.
 *
 * @param type the interface
 * @param name the service's name
 * @param methods its remote methods by signature, and the {@link ServiceMethod#elements()} of methods with a stream
 *     argument
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
     * @throws RdmaInvalidServiceException if it cannot be a service
     */
    public static ServiceDescription of(Class<?> type) {
        String name = nameOf(type);
        Map<String, ServiceMethod> bySignature = new TreeMap<>();
        Arrays.stream(type.getMethods())
                .filter(ServiceDescription::isRemote)
                .map(method -> ServiceMethod.of(name, type, method))
                .forEach(method -> bySignature.putIfAbsent(method.signature(), method));
        List<ServiceMethod> methods = bySignature.values().stream()
                .flatMap(ServiceMethod::withElements)
                .toList();
        requireDistinctIds(name, methods);
        return new ServiceDescription(type, name, methods);
    }

    /**
     * Returns the methods that clients call.
     *
     * @return all methods except those that only describe the elements of a stream
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
     * Returns the name of a service without reading its methods.
     *
     * @param type an interface with {@link RdmaService}
     * @return its name with group and version
     * @throws RdmaInvalidServiceException if it is not a service
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

    private static boolean isRemote(Method method) {
        return Modifier.isAbstract(method.getModifiers()) && !ReflectionUtils.isObjectMethod(method);
    }

    private static void requireDistinctIds(String service, Iterable<ServiceMethod> methods) {
        Map<Integer, ServiceMethod> byId = new HashMap<>();
        for (ServiceMethod method : methods) {
            ServiceMethod other = byId.put(method.id(), method);
            if (other != null) {
                throw new RdmaInvalidServiceException(
                        "Methods " + other.signature() + " and " + method.signature() + " of " + service
                                + " have the same id " + Integer.toHexString(method.id()),
                        "Rename one of them");
            }
        }
    }

    /**
     * Finds the remote method for a method of the interface or of an interface that it extends.
     *
     * @param method the method, as a proxy receives it
     * @return the method with the same name and erased parameter types, null if it is not remote
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
