package io.rdmarpc.service.server.security;

import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.RdmaExceptionMapper;
import io.rdmarpc.service.RdmaStatusException;
import io.rdmarpc.service.ServerCallContext;
import org.jspecify.annotations.Nullable;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.authentication.AuthenticationCredentialsNotFoundException;
import org.springframework.security.core.AuthenticationException;

/** Maps exceptions of method security to statuses. */
public final class SecurityExceptionMapper implements RdmaExceptionMapper {

    /** Creates the mapper. */
    public SecurityExceptionMapper() {}

    @Override
    public @Nullable RdmaStatusException map(Throwable thrown, ServerCallContext call) {
        return switch (thrown) {
            case AccessDeniedException denied ->
                new RdmaStatusException(RpcStatus.PERMISSION_DENIED, message(denied, call));
            case AuthenticationCredentialsNotFoundException _ ->
                new RdmaStatusException(
                        RpcStatus.UNAUTHENTICATED,
                        call.method() + " requires an authenticated caller: configure a client certificate");
            case AuthenticationException unknown ->
                new RdmaStatusException(RpcStatus.UNAUTHENTICATED, String.valueOf(unknown.getMessage()));
            default -> null;
        };
    }

    private static String message(AccessDeniedException denied, ServerCallContext call) {
        return call.method() + ": " + denied.getMessage();
    }
}
