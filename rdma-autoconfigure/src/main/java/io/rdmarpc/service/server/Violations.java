package io.rdmarpc.service.server;

import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaStatusException;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.ElementKind;
import jakarta.validation.Path;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Converts violations of Bean Validation to the failure for the caller. Invalid values are not sent. */
final class Violations {

    private Violations() {}

    static RdmaStatusException failure(Set<? extends ConstraintViolation<?>> violations) {
        List<? extends ConstraintViolation<?>> sorted = violations.stream()
                .sorted(Comparator.comparing(Violations::describe))
                .toList();
        RdmaErrorDetails.Builder details = RdmaErrorDetails.builder();
        for (ConstraintViolation<?> each : sorted) {
            details.fieldViolation(fieldOf(each.getPropertyPath()), each.getMessage(), codeOf(each));
        }
        return new RdmaStatusException(
                RpcStatus.INVALID_ARGUMENT,
                sorted.stream().map(Violations::describe).collect(Collectors.joining("; ")),
                details.build());
    }

    private static String describe(ConstraintViolation<?> violation) {
        return violation.getPropertyPath() + ": " + violation.getMessage();
    }

    /** Returns the path without the name of the method, because the field is one of the call's arguments. */
    private static String fieldOf(Path path) {
        String text = path.toString();
        Iterator<Path.Node> nodes = path.iterator();
        if (!nodes.hasNext()) {
            return text;
        }
        Path.Node first = nodes.next();
        String method = first.getName() + ".";
        return first.getKind() == ElementKind.METHOD && text.startsWith(method)
                ? text.substring(method.length())
                : text;
    }

    private static String codeOf(ConstraintViolation<?> violation) {
        return violation
                .getConstraintDescriptor()
                .getAnnotation()
                .annotationType()
                .getSimpleName();
    }
}
