package io.rdmarpc.service.client;

import io.rdmarpc.memory.MessageBuffer;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Behind a proxy: finds the remote method in a table; default methods and those of Object run here. */
final class ServiceInvocationHandler implements InvocationHandler {

    private final String description;
    private final Map<Method, ClientMethod> methods;

    ServiceInvocationHandler(String description, Map<Method, ClientMethod> methods) {
        this.description = description;
        this.methods = methods;
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, @Nullable Object @Nullable [] args) throws Throwable {
        ClientMethod remote = methods.get(method);
        if (remote != null) {
            return remote.invoke(args);
        }
        if (method.isDefault()) {
            // The interface need not be public.
            method.setAccessible(true);
            return InvocationHandler.invokeDefault(proxy, method, args);
        }
        return objectMethod(proxy, method, args);
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
