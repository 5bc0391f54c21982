package io.rdmarpc.service.server.security;

import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.CallContext;
import io.rdmarpc.service.RdmaServerInterceptor;
import io.rdmarpc.service.RdmaStatusException;
import io.rdmarpc.service.ServerCallContext;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.AuthenticationException;
import org.springframework.security.core.context.SecurityContext;
import org.springframework.security.core.context.SecurityContextHolder;

/**
 * Sets Spring Security's context to the caller while its method runs, so that annotations such as
 * {@code @PreAuthorize} work.
 */
public final class SecurityContextInterceptor implements RdmaServerInterceptor, Ordered {

    /** Runs before interceptors that read the security context. */
    public static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

    private final PeerAuthenticator authenticator;

    /**
     * Creates the interceptor.
     *
     * @param authenticator authenticates callers
     */
    public SecurityContextInterceptor(PeerAuthenticator authenticator) {
        this.authenticator = authenticator;
    }

    @Override
    public @Nullable Object intercept(ServerCallContext call, CallContext.Next next) throws Throwable {
        Authentication caller = authenticate(call);
        SecurityContext own = SecurityContextHolder.createEmptyContext();
        own.setAuthentication(caller);
        call.around(() -> enter(own));
        try (ServerCallContext.Scope _ = enter(own)) {
            return next.proceed();
        }
    }

    private static ServerCallContext.Scope enter(SecurityContext own) {
        SecurityContext before = SecurityContextHolder.getContext();
        SecurityContextHolder.setContext(own);
        return () -> restore(before);
    }

    private @Nullable Authentication authenticate(ServerCallContext call) {
        try {
            return authenticator.authenticate(call.peer(), call.metadata());
        } catch (AuthenticationException e) {
            throw new RdmaStatusException(RpcStatus.UNAUTHENTICATED, String.valueOf(e.getMessage()));
        }
    }

    /** Restores the context, so that pooled threads keep no data of a call. */
    private static void restore(SecurityContext before) {
        if (before.getAuthentication() == null) {
            SecurityContextHolder.clearContext();
        } else {
            SecurityContextHolder.setContext(before);
        }
    }

    @Override
    public int getOrder() {
        return ORDER;
    }
}
