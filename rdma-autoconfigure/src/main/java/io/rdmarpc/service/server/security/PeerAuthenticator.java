package io.rdmarpc.service.server.security;

import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.service.CallMetadata;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;

/**
 * Says who a caller is for Spring Security. A bean of this type replaces the one that takes the name of the certificate. Any
 * thread; called for every call.
 */
@FunctionalInterface
public interface PeerAuthenticator {

    /**
     * Authenticates a caller.
     *
     * @param peer what the control channel knows of it
     * @param metadata what came with the call, a token perhaps; not to be trusted unless it proves itself
     * @return what the method finds in the security context, null for nobody
     * @throws org.springframework.security.core.AuthenticationException to refuse the call as UNAUTHENTICATED
     */
    @Nullable
    Authentication authenticate(PeerIdentity peer, CallMetadata metadata);
}
