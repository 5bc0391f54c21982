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
 * An exception that a method declares and whose details travel.
 *
 * @param type the exception
 * @param details the type of its details
 * @param constructor takes the message and the details
 */
public record DetailedFailure(Class<?> type, ResolvableType details, Constructor<?> constructor) {

    /**
     * Finds those of a method, in the order of their declaration. Methods with streams or whole messages have none: their
     * failures travel as words.
     *
     * @param method what declares them
     * @return the failures
     * @throws RdmaInvalidServiceException when one has no constructor of a message and its details
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
                    method + " declares " + type.getName() + ", which has details and no constructor that takes them",
                    "Add the constructor " + type.getSimpleName() + "(String message, "
                            + details.toClass().getSimpleName() + " details)");
        }
    }

    /**
     * Returns the failure that an exception is, null when it is none of them.
     *
     * @param failures of one method
     * @param thrown what the method threw
     * @return the first one whose type the exception has
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
