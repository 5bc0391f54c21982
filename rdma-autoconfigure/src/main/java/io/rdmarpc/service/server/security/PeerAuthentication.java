package io.rdmarpc.service.server.security;

import io.rdmarpc.rpc.PeerIdentity;
import java.security.Principal;
import java.util.Collection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.GrantedAuthority;

/**
 * The authentication of a peer with a certificate. The principal is the certificate's subject, and the details are
 * the {@link PeerIdentity}.
 */
public final class PeerAuthentication extends AbstractAuthenticationToken {

    private static final long serialVersionUID = 1L;

    private final transient Principal principal;

    /**
     * Creates an authenticated token.
     *
     * @param peer a peer with a principal
     * @param authorities authorities of the caller
     */
    public PeerAuthentication(PeerIdentity peer, Collection<? extends GrantedAuthority> authorities) {
        super(authorities);
        this.principal = Objects.requireNonNull(peer.principal(), "the peer has no certificate");
        setDetails(peer);
        setAuthenticated(true);
    }

    @Override
    public @Nullable Object getCredentials() {
        return null;
    }

    @Override
    public Principal getPrincipal() {
        return principal;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PeerAuthentication that && super.equals(that) && principal.equals(that.principal);
    }

    @Override
    public int hashCode() {
        return 31 * super.hashCode() + principal.hashCode();
    }
}
