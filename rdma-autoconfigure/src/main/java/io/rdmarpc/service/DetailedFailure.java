package io.rdmarpc.service;

import io.rdmarpc.annotation.RdmaFailureDetails;
import io.rdmarpc.annotation.RdmaFailureFields;
import io.rdmarpc.memory.MessageBuffer;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import io.rdmarpc.service.contract.ServiceMethod;
import java.lang.reflect.Constructor;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/**
 * An exception that a method declares and whose fields are sent to the caller. It implements {@link RdmaFailureDetails},
 * whose details are then its only field, or has {@link RdmaFailureFields}.
 *
 * @param type the exception
 * @param constructor the constructor that the client calls
 * @param arguments the source of each argument of the constructor
 * @param fields the fields, in the order of the constructor's parameters
 * @param shape description of the fields, for the comparison of contracts
 */
public record DetailedFailure(
        Class<?> type, Constructor<?> constructor, List<Argument> arguments, List<FailureField> fields, String shape) {

    /** The source of an argument. */
    public enum Argument {
        /** The message of the exception. */
        MESSAGE,
        /** The failure of the call. */
        CAUSE,
        /** The next field. */
        FIELD
    }

    /**
     * Returns the exceptions of a method with fields, in the order of their declaration. Methods with streams or whole
     * messages have none: their failures are sent as text only.
     *
     * @param method the method that declares them
     * @return the exceptions with fields
     * @throws RdmaInvalidServiceException if an exception has no constructor for its fields
     */
    public static List<DetailedFailure> of(ServiceMethod method) {
        List<DetailedFailure> failures = new ArrayList<>();
        if (method.streaming() || method.result().toClass() == MessageBuffer.class) {
            return failures;
        }
        for (Class<?> type : method.declaration().getExceptionTypes()) {
            if (Modifier.isAbstract(type.getModifiers())) {
                continue;
            }
            if (RdmaFailureDetails.class.isAssignableFrom(type)) {
                failures.add(withDetails(method, type));
            } else if (type.isAnnotationPresent(RdmaFailureFields.class)) {
                failures.add(withFields(method, type));
            }
        }
        return List.copyOf(failures);
    }

    private static DetailedFailure withDetails(ServiceMethod method, Class<?> type) {
        ResolvableType details =
                ResolvableType.forClass(type).as(RdmaFailureDetails.class).getGeneric(0);
        try {
            return new DetailedFailure(
                    type,
                    type.getDeclaredConstructor(String.class, details.toClass()),
                    List.of(Argument.MESSAGE, Argument.FIELD),
                    List.of(new FailureField("details", details, RdmaFailureDetails.class.getMethod("failureDetails"))),
                    "failure(" + details + ")");
        } catch (NoSuchMethodException e) {
            throw new RdmaInvalidServiceException(
                    method + " declares " + type.getName() + ", which has details but no constructor for them",
                    "Add the constructor " + type.getSimpleName() + "(String message, "
                            + details.toClass().getSimpleName() + " details)");
        }
    }

    private static DetailedFailure withFields(ServiceMethod method, Class<?> type) {
        List<Constructor<?>> longestFirst = Arrays.stream(type.getDeclaredConstructors())
                .sorted(Comparator.<Constructor<?>>comparingInt(Constructor::getParameterCount)
                        .reversed()
                        .thenComparing(Constructor::toString))
                .toList();
        for (Constructor<?> constructor : longestFirst) {
            DetailedFailure failure = withFields(type, constructor);
            if (failure != null) {
                return failure;
            }
        }
        boolean named = longestFirst.stream()
                .flatMap(constructor -> Arrays.stream(constructor.getParameters()))
                .allMatch(Parameter::isNamePresent);
        throw new RdmaInvalidServiceException(
                method + " declares " + type.getName() + ", which has @RdmaFailureFields but "
                        + (named
                                ? "no constructor whose parameters have the names and types of its fields"
                                : "whose constructors have no parameter names"),
                named
                        ? "Add a constructor such as " + type.getSimpleName() + "(String message, int limit), and a"
                                + " method or a field for each parameter: int limit()"
                        : "Compile it with -parameters");
    }

    /** Returns null if a parameter has no source, or if there is no field. */
    private static @Nullable DetailedFailure withFields(Class<?> type, Constructor<?> constructor) {
        List<Argument> arguments = new ArrayList<>();
        List<FailureField> fields = new ArrayList<>();
        for (Parameter parameter : constructor.getParameters()) {
            if (!parameter.isNamePresent()) {
                return null;
            }
            if (parameter.getName().equals("message") && parameter.getType() == String.class) {
                arguments.add(Argument.MESSAGE);
            } else if (parameter.getName().equals("cause") && parameter.getType() == Throwable.class) {
                arguments.add(Argument.CAUSE);
            } else {
                FailureField field = FailureField.of(type, parameter);
                if (field == null) {
                    return null;
                }
                arguments.add(Argument.FIELD);
                fields.add(field);
            }
        }
        String shape = fields.stream()
                .map(field -> field.name() + ": " + field.type())
                .collect(Collectors.joining(", ", "failure(", ")"));
        return fields.isEmpty() ? null : new DetailedFailure(type, constructor, arguments, fields, shape);
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

    /**
     * Returns the values that are sent: the message and the fields.
     *
     * @param message the message for the caller
     * @param thrown the exception of the method
     * @return the values
     * @throws IllegalStateException if a method of the exception throws
     */
    public @Nullable Object[] valuesOf(String message, Throwable thrown) {
        @Nullable Object[] values = new @Nullable Object[1 + fields.size()];
        values[0] = message;
        for (int i = 0; i < fields.size(); i++) {
            values[1 + i] = fields.get(i).read(thrown);
        }
        return values;
    }

    /**
     * Returns the arguments of the constructor at the client.
     *
     * @param message the message of the exception
     * @param cause the failure of the call
     * @param values the values of the fields
     * @return the arguments
     */
    public @Nullable Object[] argumentsOf(String message, Throwable cause, List<? extends @Nullable Object> values) {
        @Nullable Object[] all = new @Nullable Object[arguments.size()];
        int next = 0;
        for (int i = 0; i < all.length; i++) {
            all[i] = switch (arguments.get(i)) {
                case MESSAGE -> message;
                case CAUSE -> cause;
                case FIELD -> values.get(next++);
            };
        }
        return all;
    }
}
