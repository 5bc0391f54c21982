package io.rdmarpc.service.server.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.rdmarpc.annotation.RdmaService;
import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.error.RdmaRemoteException;
import io.rdmarpc.rpc.error.RpcStatus;
import io.rdmarpc.service.LoopbackPair;
import java.util.List;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.security.access.AccessDeniedException;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.authentication.BadCredentialsException;
import org.springframework.security.authorization.method.AuthorizationManagerBeforeMethodInterceptor;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.SimpleGrantedAuthority;
import org.springframework.security.core.context.SecurityContextHolder;

@DisplayName("The caller in the security context")
class SecurityContextTest {

    @RdmaService
    interface Vault {

        String whoCalls();

        void open();
    }

    private final LoopbackPair pair = new LoopbackPair();

    private final Vault bean = new Vault() {
        @Override
        public String whoCalls() {
            Authentication caller = SecurityContextHolder.getContext().getAuthentication();
            return caller == null ? "nobody" : caller.getName() + " " + caller.getAuthorities();
        }

        @Override
        public void open() {
            throw new AccessDeniedException("keep out");
        }
    };

    @AfterEach
    void theContextIsEmpty() {
        assertThat(SecurityContextHolder.getContext().getAuthentication()).isNull();
    }

    private Vault vault(PeerAuthenticator authenticator) {
        pair.serverInterceptors.add(new SecurityContextInterceptor(authenticator));
        pair.withExports(exporter -> exporter.withExceptionMappers(List.of(new SecurityExceptionMapper())));
        return pair.connect(Vault.class, bean);
    }

    @Test
    void whenTheCallerIsKnownThenItsMethodSeesIt() {
        PeerIdentity peer = new PeerIdentity("here:1", new X500Principal("CN=orders"), List.of());
        Vault vault = vault((_, _) -> new PeerAuthentication(peer, List.of(new SimpleGrantedAuthority("OPEN"))));

        assertThat(vault.whoCalls()).isEqualTo("CN=orders [OPEN]");
    }

    @Test
    void whenTheCallerIsUnknownThenTheContextIsEmpty() {
        assertThat(vault((_, _) -> null).whoCalls()).isEqualTo("nobody");
    }

    @Test
    void whenTheAuthenticatorRejectsThenTheCallIsUnauthenticated() {
        Vault vault = vault((peer, metadata) -> {
            throw new BadCredentialsException("who are you, " + peer.address());
        });

        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(vault::whoCalls)
                .withMessageContaining("who are you, loopback")
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.UNAUTHENTICATED));
    }

    interface Guarded extends Vault {

        @Override
        @PreAuthorize("hasAuthority('OPEN')")
        void open();
    }

    /** Applies method security as {@code @EnableMethodSecurity} does for beans. */
    private Guarded guarded() {
        ProxyFactory proxies = new ProxyFactory(new Guarded() {
            @Override
            public String whoCalls() {
                return bean.whoCalls();
            }

            @Override
            public void open() {}
        });
        proxies.addAdvisor(AuthorizationManagerBeforeMethodInterceptor.preAuthorize());
        return (Guarded) proxies.getProxy();
    }

    private Vault guardedVault(String authority) {
        PeerIdentity peer = new PeerIdentity("here:1", new X500Principal("CN=orders"), List.of());
        pair.serverInterceptors.add(new SecurityContextInterceptor(
                (_, _) -> new PeerAuthentication(peer, List.of(new SimpleGrantedAuthority(authority)))));
        pair.withExports(exporter -> exporter.withExceptionMappers(List.of(new SecurityExceptionMapper())));
        return pair.connect(Vault.class, guarded());
    }

    @Test
    void whenAMethodRequiresAnAuthorityThenACallerWithItMayCall() {
        assertThatNoException().isThrownBy(guardedVault("OPEN")::open);
    }

    @Test
    void whenAMethodRequiresAnAuthorityThenACallerWithoutItIsDenied() {
        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(guardedVault("LOOK")::open)
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.PERMISSION_DENIED));
    }

    @Test
    void whenAccessIsDeniedThenThePermissionIsMissing() {
        Vault vault = vault((_, _) -> null);

        assertThatExceptionOfType(RdmaRemoteException.class)
                .isThrownBy(vault::open)
                .withMessageContaining("keep out")
                .satisfies(e -> assertThat(e.status()).isEqualTo(RpcStatus.PERMISSION_DENIED));
    }
}
