package io.rdmarpc.service.server.call;

import io.rdmarpc.rpc.error.FailureMessage;
import io.rdmarpc.rpc.error.RdmaErrorDetails;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallMetadata;
import io.rdmarpc.service.RdmaExceptionMapper;
import io.rdmarpc.service.RdmaStatusException;
import io.rdmarpc.service.ServerCallContext;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * The failure response to a call.
 *
 * @param status the status, not {@link RpcStatus#OK}
 * @param remoteType the declared type of the exception, otherwise its class name; empty for a chosen status
 * @param message message for the caller
 * @param details details for the caller
 */
record FailureResponse(RpcStatus status, String remoteType, String message, RdmaErrorDetails details) {

    private static final Log LOG = LogFactory.getLog(FailureResponse.class);

    static FailureResponse of(
            Throwable thrown, ServerCallContext call, List<RdmaExceptionMapper> mappers, boolean debugPermitted) {
        FailureResponse response = of(thrown, call, mappers);
        boolean debug = debugPermitted && call.metadata().get(CallMetadata.DEBUG_DETAILS) != null;
        return response.withDebug(debug ? debugText(response.details, thrown) : "");
    }

    private static FailureResponse of(Throwable thrown, ServerCallContext call, List<RdmaExceptionMapper> mappers) {
        if (thrown instanceof RdmaStatusException chosen) {
            return of(chosen, "");
        }
        String type = typeOf(thrown, call.method().declaration().getExceptionTypes());
        for (RdmaExceptionMapper mapper : mappers) {
            RdmaStatusException mapped = map(mapper, thrown, call);
            if (mapped != null) {
                return of(mapped, type);
            }
        }
        return new FailureResponse(RpcStatus.HANDLER_FAILED, type, FailureMessage.of(thrown), RdmaErrorDetails.NONE);
    }

    private static FailureResponse of(RdmaStatusException chosen, String type) {
        return new FailureResponse(chosen.status(), type, FailureMessage.of(chosen), chosen.errorDetails());
    }

    private FailureResponse withDebug(String text) {
        RdmaErrorDetails changed = details.withDebug(text);
        return changed.equals(details) ? this : new FailureResponse(status, remoteType, message, changed);
    }

    /** Returns the debug text that the service chose, otherwise the stack trace. */
    private static String debugText(RdmaErrorDetails chosen, Throwable thrown) {
        if (!chosen.debug().isEmpty()) {
            return chosen.debug();
        }
        StringWriter text = new StringWriter();
        try (PrintWriter writer = new PrintWriter(text)) {
            thrown.printStackTrace(writer);
        } catch (RuntimeException e) {
            LOG.debug("the stack trace of an exception could not be printed", e);
        }
        return text.toString();
    }

    /** Returns the mapper's result, or null if the mapper throws. */
    private static @Nullable RdmaStatusException map(
            RdmaExceptionMapper mapper, Throwable thrown, ServerCallContext call) {
        try {
            return mapper.map(thrown, call);
        } catch (RuntimeException e) {
            LOG.error("an exception mapper threw an exception and is skipped: " + mapper, e);
            return null;
        }
    }

    /**
     * Returns the declared type that the exception is an instance of, because the caller may not have its subclasses.
     */
    private static String typeOf(Throwable thrown, Class<?>[] declared) {
        for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
            for (Class<?> each : declared) {
                if (each == type) {
                    return type.getName();
                }
            }
        }
        return thrown.getClass().getName();
    }
}
