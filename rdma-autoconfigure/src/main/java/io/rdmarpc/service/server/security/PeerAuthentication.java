package io.rdmarpc.service.server.security;

import io.rdmarpc.rpc.PeerIdentity;
import java.security.Principal;
import java.util.Collection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.core.GrantedAuthority;

/** A caller that has shown a certificate: its subject is the principal, the {@link PeerIdentity} the details. */
public final class PeerAuthentication extends AbstractAuthenticationToken {

    private static final long serialVersionUID = 1L;

    private final transient Principal principal;

    /**
     * Creates an authentication that is valid.
     *
     * @param peer with a principal
     * @param authorities what the caller may do
     */
    public PeerAuthentication(PeerIdentity peer, Collection<? extends GrantedAuthority> authorities) {
        super(authorities);
        this.principal = Objects.requireNonNull(peer.principal(), "the peer has shown no certificate");
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
