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

/**
 * The invocation handler of a proxy. It looks up remote methods in a table. Default methods and methods of Object run
 * locally.
 */
final class ServiceInvocationHandler implements InvocationHandler {

    private static final MethodType SPREAD = MethodType.methodType(Object.class, Object.class, Object[].class);
    private static final @Nullable Object[] NO_ARGUMENTS = {};

    private final String description;
    private final Map<Method, ClientMethod> methods;
    /** Methods by identity of the proxy class's {@link Method} objects, which avoids comparison of parameter types. */
    private volatile IdentityHashMap<Method, ClientMethod> called = new IdentityHashMap<>();
    /** Default methods of interfaces that are not public. Their handles take the proxy and the arguments. */
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
        // {@code InvocationHandler.invokeDefault} requires that this class can access the interface.
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

    /** Adds an entry. A concurrent addition may be lost, and the next call of that method repeats it. */
    private void remember(Method method, ClientMethod remote) {
        IdentityHashMap<Method, ClientMethod> more = new IdentityHashMap<>(called);
        more.put(method, remote);
        called = more;
    }

    /** Allocates memory for an argument of any of the methods. */
    MessageBuffer allocate(int bytes) {
        return methods.values().iterator().next().allocate(bytes);
    }

    /** A proxy equals only itself. */
    @SuppressWarnings("ReferenceEquality")
    private Object objectMethod(Object proxy, Method method, @Nullable Object @Nullable [] args) {
        return switch (method.getName()) {
            case "equals" -> args != null && proxy == args[0];
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> description;
            default -> throw new UnsupportedOperationException(method + " is not a method of the service");
        };
    }
}
