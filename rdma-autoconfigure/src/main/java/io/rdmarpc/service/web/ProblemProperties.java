package io.rdmarpc.service.web;

import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RdmaErrorDetails.FieldViolation;
import io.rdmarpc.rpc.error.RdmaErrorDetails.Resource;
import io.rdmarpc.rpc.error.RpcStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ProblemDetail;

/** The properties of problem details that carry the details of a failure. */
final class ProblemProperties {

    private static final String RPC_STATUS = "rpcStatus";
    private static final String ERRORS = "errors";
    private static final String RESOURCE = "resource";
    private static final String REASON = "reason";
    private static final String DOMAIN = "domain";
    private static final String METADATA = "metadata";
    private static final String DEBUG = "debug";
    private static final String FIELD = "field";
    private static final String DETAIL = "detail";
    private static final String CODE = "code";
    private static final String TYPE = "type";
    private static final String NAME = "name";
    private static final String OWNER = "owner";
    private static final String DESCRIPTION = "description";

    private ProblemProperties() {}

    static void writeStatus(RpcStatus status, ProblemDetail problem) {
        problem.setProperty(RPC_STATUS, status.name());
    }

    /** Returns the status that the problem names, or null. */
    static @Nullable RpcStatus statusOf(ProblemDetail problem) {
        String name = text(properties(problem), RPC_STATUS);
        for (RpcStatus each : RpcStatus.values()) {
            if (each.name().equals(name)) {
                return each;
            }
        }
        return null;
    }

    static void write(RdmaErrorDetails details, ProblemDetail problem) {
        if (!details.fieldViolations().isEmpty()) {
            problem.setProperty(
                    ERRORS,
                    details.fieldViolations().stream()
                            .map(ProblemProperties::of)
                            .toList());
        }
        Resource resource = details.resource();
        if (resource != null) {
            problem.setProperty(RESOURCE, of(resource));
        }
        set(problem, REASON, details.reason());
        set(problem, DOMAIN, details.domain());
        if (!details.metadata().isEmpty()) {
            problem.setProperty(METADATA, details.metadata());
        }
    }

    static void writeDebug(RdmaErrorDetails details, ProblemDetail problem) {
        set(problem, DEBUG, details.debug());
    }

    private static void set(ProblemDetail problem, String name, String value) {
        if (!value.isEmpty()) {
            problem.setProperty(name, value);
        }
    }

    private static Map<String, String> of(FieldViolation violation) {
        Map<String, String> error = new LinkedHashMap<>();
        put(error, FIELD, violation.field());
        put(error, DETAIL, violation.description());
        put(error, CODE, violation.code());
        return error;
    }

    private static Map<String, String> of(Resource resource) {
        Map<String, String> parts = new LinkedHashMap<>();
        put(parts, TYPE, resource.type());
        put(parts, NAME, resource.name());
        put(parts, OWNER, resource.owner());
        put(parts, DESCRIPTION, resource.description());
        return parts;
    }

    private static void put(Map<String, String> parts, String name, String value) {
        if (!value.isEmpty()) {
            parts.put(name, value);
        }
    }

    /** Reads the properties that {@link #write} writes. Ignores other types of values. */
    static RdmaErrorDetails.Builder read(ProblemDetail problem) {
        Map<?, ?> properties = properties(problem);
        RdmaErrorDetails.Builder details = RdmaErrorDetails.builder();
        if (properties.get(ERRORS) instanceof List<?> errors) {
            errors.forEach(error -> readViolation(error, details));
        }
        if (properties.get(RESOURCE) instanceof Map<?, ?> parts) {
            details.resource(
                    new Resource(text(parts, TYPE), text(parts, NAME), text(parts, OWNER), text(parts, DESCRIPTION)));
        }
        details.reason(text(properties, REASON), text(properties, DOMAIN));
        if (properties.get(METADATA) instanceof Map<?, ?> pairs) {
            pairs.forEach((key, value) -> details.metadata(String.valueOf(key), String.valueOf(value)));
        }
        return details;
    }

    /** Reads an error in the form of this class, in that of RFC 9457, in that of Spring, or as a text. */
    private static void readViolation(@Nullable Object error, RdmaErrorDetails.Builder details) {
        if (error instanceof Map<?, ?> parts) {
            details.fieldViolation(
                    text(parts, FIELD, "pointer", NAME),
                    text(parts, DETAIL, "message", "defaultMessage", DESCRIPTION),
                    text(parts, CODE));
        } else if (error != null) {
            details.fieldViolation("", error.toString());
        }
    }

    private static Map<?, ?> properties(ProblemDetail problem) {
        Map<String, Object> properties = problem.getProperties();
        return properties == null ? Map.of() : properties;
    }

    /** Returns the first value that is present, otherwise an empty text. */
    private static String text(Map<?, ?> parts, String... names) {
        for (String name : names) {
            Object value = parts.get(name);
            if (value != null) {
                return value.toString();
            }
        }
        return "";
    }
}
