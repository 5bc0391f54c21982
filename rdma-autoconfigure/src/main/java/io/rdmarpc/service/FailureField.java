package io.rdmarpc.service;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.util.StringUtils;

/**
 * A field of a declared exception, which is sent to the caller.
 *
 * @param name name of the constructor's parameter
 * @param type type of the parameter
 * @param source the method without parameters, or the field, that has the value at the server
 */
public record FailureField(String name, ResolvableType type, Member source) {

    private static final String[] PREFIXES = {"", "get", "is"};

    /** Returns the field of a parameter, or null if the exception has no member of that name and type. */
    static @Nullable FailureField of(Class<?> exception, Parameter parameter) {
        for (Class<?> type = exception; type != Throwable.class && type != null; type = type.getSuperclass()) {
            Member source = member(type, parameter.getName(), parameter.getParameterizedType());
            if (source instanceof AccessibleObject accessible) {
                accessible.setAccessible(true);
                return new FailureField(
                        parameter.getName(), ResolvableType.forType(parameter.getParameterizedType()), source);
            }
        }
        return null;
    }

    private static @Nullable Member member(Class<?> type, String name, Type value) {
        for (String prefix : PREFIXES) {
            try {
                Method method = type.getDeclaredMethod(prefix.isEmpty() ? name : prefix + StringUtils.capitalize(name));
                if (fits(method, method.getGenericReturnType(), value)) {
                    return method;
                }
            } catch (NoSuchMethodException e) {
                // The next form of the name may exist.
            }
        }
        try {
            Field field = type.getDeclaredField(name);
            return fits(field, field.getGenericType(), value) ? field : null;
        } catch (NoSuchFieldException e) {
            return null;
        }
    }

    private static boolean fits(Member member, Type type, Type value) {
        return !Modifier.isStatic(member.getModifiers()) && type.equals(value);
    }

    /**
     * Reads the value at the server.
     *
     * @param exception the exception of the method
     * @return the value
     * @throws IllegalStateException if the method of the exception throws
     */
    public @Nullable Object read(Throwable exception) {
        try {
            return source instanceof Method method ? method.invoke(exception) : ((Field) source).get(exception);
        } catch (InvocationTargetException e) {
            throw new IllegalStateException(source + " threw an exception", e.getCause());
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(source + " cannot be read", e);
        }
    }
}
