package io.rdmarpc.service.client;

import io.rdmarpc.annotation.RdmaKey;
import io.rdmarpc.service.InvalidServiceException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import org.jspecify.annotations.Nullable;

/** Which argument of a method decides about the instance. */
final class CallKeys {

    private static final int NONE = -1;

    private CallKeys() {}

    /** The index of the parameter with {@link RdmaKey}, -1 when there is none. */
    static int indexOf(Method method) {
        int found = NONE;
        Parameter[] parameters = method.getParameters();
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i].isAnnotationPresent(RdmaKey.class)) {
                if (found != NONE) {
                    throw new InvalidServiceException(
                            method + " has two parameters with @RdmaKey, but a call goes to one instance",
                            "Leave one of them, or make one argument of both");
                }
                found = i;
            }
        }
        return found;
    }

    static @Nullable Object of(@Nullable Object @Nullable [] args, int index) {
        return index == NONE || args == null ? null : args[index];
    }
}
