package io.rdmarpc.docs.spring;

import io.rdmarpc.service.server.security.PeerAuthentication;
import io.rdmarpc.service.server.security.PeerAuthenticator;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.authority.SimpleGrantedAuthority;

@Configuration(proxyBeanMethods = false)
class WarehouseCallers {

    @Bean
    PeerAuthenticator authenticator() {
        return (peer, metadata) -> peer.principal() == null
                ? null
                : new PeerAuthentication(peer, List.of(new SimpleGrantedAuthority("ROLE_SERVICE")));
    }
}
