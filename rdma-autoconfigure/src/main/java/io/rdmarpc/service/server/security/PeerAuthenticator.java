package io.rdmarpc.service.server.security;

import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.service.CallMetadata;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;

/**
 * Authenticates callers for Spring Security. A bean of this type replaces the default, which uses the subject of the
 * certificate. Called for every call. Implementations must be thread-safe.
 */
@FunctionalInterface
public interface PeerAuthenticator {

    /**
     * Authenticates a caller.
     *
     * @param peer identity from the control connection
     * @param metadata metadata of the call, for example a token; untrusted until it is verified
     * @return the authentication in the security context of the method, or null for none
     * @throws org.springframework.security.core.AuthenticationException to reject the call with UNAUTHENTICATED
     */
    @Nullable
    Authentication authenticate(PeerIdentity peer, CallMetadata metadata);
}
