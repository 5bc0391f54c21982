package io.rdmarpc.service.client;

import io.rdmarpc.memory.MessageBuffer;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Behind a proxy: finds the remote method in a table; default methods and those of Object run here. */
final class ServiceInvocationHandler implements InvocationHandler {

    private static final MethodType SPREAD = MethodType.methodType(Object.class, Object.class, Object[].class);
    private static final @Nullable Object[] NO_ARGUMENTS = {};

    private final String description;
    private final Map<Method, ClientMethod> methods;
    /** By the objects that the proxy's class has of its methods, so that none is compared by its parameters' types. */
    private volatile IdentityHashMap<Method, ClientMethod> called = new IdentityHashMap<>();
    /** Default methods of interfaces that are not public, taking the proxy and the arguments. */
    private final Map<Method, MethodHandle> hiddenBodies = new ConcurrentHashMap<>();

    ServiceInvocationHandler(String description, Map<Method, ClientMethod> methods) {
        this.description = description;
        this.methods = methods;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        ClientMethod remote = called.get(method);
        if (remote != null) {
            return remote.invoke(args);
        }
        remote = methods.get(method);
        if (remote != null) {
            remember(method, remote);
            return remote.invoke(args);
        }
        if (method.isDefault()) {
            return invokeDefault(proxy, method, args);
        }
        return objectMethod(proxy, method, args);
    }

    private @Nullable Object invokeDefault(Object proxy, Method method, @Nullable Object @Nullable [] args)
            throws Throwable {
        if (Modifier.isPublic(method.getDeclaringClass().getModifiers())) {
            return InvocationHandler.invokeDefault(proxy, method, args);
        }
        // That one asks whether this class sees the interface, whatever is made accessible.
        MethodHandle body = hiddenBodies.get(method);
        if (body == null) {
            body = bodyOf(method);
            hiddenBodies.put(method, body);
        }
        @Nullable Object[] given = args == null ? NO_ARGUMENTS : args;
        return (Object) body.invokeExact(proxy, given);
    }

    private static MethodHandle bodyOf(Method method) throws IllegalAccessException {
        Class<?> type = method.getDeclaringClass();
        return MethodHandles.privateLookupIn(type, MethodHandles.lookup())
                .unreflectSpecial(method, type)
                .asSpreader(Object[].class, method.getParameterCount())
                .asType(SPREAD);
    }

    /** Two threads may forget what the other one adds; the next call adds it again. */
    private void remember(Method method, ClientMethod remote) {
        IdentityHashMap<Method, ClientMethod> more = new IdentityHashMap<>(called);
        more.put(method, remote);
        called = more;
    }

    /** Memory for an argument of any of the methods. */
    MessageBuffer allocate(int bytes) {
        return methods.values().iterator().next().allocate(bytes);
    }

    /** A proxy is equal to itself only. */
    @SuppressWarnings("ReferenceEquality")
    private Object objectMethod(Object proxy, Method method, @Nullable Object @Nullable [] args) {
        return switch (method.getName()) {
            case "equals" -> args != null && proxy == args[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> description;
            default -> throw new UnsupportedOperationException(method + " does not travel");
        };
    }
}
