package io.rdmarpc.autoconfigure.server;

import io.rdmarpc.service.server.security.PeerAuthentication;
import io.rdmarpc.service.server.security.PeerAuthenticator;
import io.rdmarpc.service.server.security.SecurityContextInterceptor;
import io.rdmarpc.service.server.security.SecurityExceptionMapper;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.security.core.context.SecurityContextHolder;

/** Auto-configuration of Spring Security: the caller is in the security context while its method runs. */
@AutoConfiguration(before = RdmaServerAutoConfiguration.class)
@ConditionalOnClass(SecurityContextHolder.class)
@ConditionalOnBooleanProperty(
        name = {"rdma.enabled", "rdma.server.enabled"},
        matchIfMissing = true)
public final class RdmaSpringSecurityAutoConfiguration {

    /** Instantiated by Spring. */
    RdmaSpringSecurityAutoConfiguration() {}

    /** Authenticates a peer with a certificate as the certificate's subject, without authorities. */
    @Bean
    @ConditionalOnMissingBean
    PeerAuthenticator rdmaPeerAuthenticator() {
        return (peer, metadata) -> peer.principal() == null ? null : new PeerAuthentication(peer, List.of());
    }

    @Bean
    @ConditionalOnMissingBean
    SecurityContextInterceptor rdmaSecurityContextInterceptor(PeerAuthenticator authenticator) {
        return new SecurityContextInterceptor(authenticator);
    }

    @Bean
    @ConditionalOnMissingBean
    SecurityExceptionMapper rdmaSecurityExceptionMapper() {
        return new SecurityExceptionMapper();
    }
}
