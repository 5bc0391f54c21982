package io.rdmarpc.service;

import io.rdmarpc.annotation.RdmaFailureDetails;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceMethod;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * An exception that a method declares and whose details are sent to the caller.
 *
 * @param type the exception
 * @param details the type of its details
 * @param constructor the constructor with the message and the details
 */
public record DetailedFailure(Class<?> type, ResolvableType details, Constructor<?> constructor) {

    /**
     * Returns the exceptions of a method with details, in the order of their declaration. Methods with streams or whole
     * messages have none: their failures are sent as text only.
     *
     * @param method the method that declares them
     * @return the exceptions with details
     * @throws RdmaInvalidServiceException if an exception has no constructor with a message and its details
     */
    public static List<DetailedFailure> of(ServiceMethod method) {
        List<DetailedFailure> failures = new ArrayList<>();
        if (method.streaming() || method.result().toClass() == MessageBuffer.class) {
            return failures;
        }
        for (Class<?> type : method.declaration().getExceptionTypes()) {
            if (RdmaFailureDetails.class.isAssignableFrom(type) && !Modifier.isAbstract(type.getModifiers())) {
                failures.add(of(method, type));
            }
        }
        return List.copyOf(failures);
    }

    private static DetailedFailure of(ServiceMethod method, Class<?> type) {
        ResolvableType details =
                ResolvableType.forClass(type).as(RdmaFailureDetails.class).getGeneric(0);
        try {
            return new DetailedFailure(type, details, type.getDeclaredConstructor(String.class, details.toClass()));
        } catch (NoSuchMethodException e) {
            throw new RdmaInvalidServiceException(
                    method + " declares " + type.getName() + ", which has details but no constructor for them",
                    "Add the constructor " + type.getSimpleName() + "(String message, "
                            + details.toClass().getSimpleName() + " details)");
        }
    }

    /**
     * Returns the declared failure that matches an exception, null if none does.
     *
     * @param failures the failures of one method
     * @param thrown the exception of the method
     * @return the failure with the class of the exception or of its nearest superclass
     */
    public static @Nullable DetailedFailure matching(List<DetailedFailure> failures, Throwable thrown) {
        for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
            for (DetailedFailure each : failures) {
                if (each.type == type) {
                    return each;
                }
            }
        }
        return null;
    }
}
