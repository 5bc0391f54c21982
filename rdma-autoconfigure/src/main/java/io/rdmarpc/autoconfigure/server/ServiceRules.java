package io.rdmarpc.autoconfigure.server;

import io.rdmarpc.autoconfigure.properties.RdmaProperties;
import io.rdmarpc.autoconfigure.properties.RdmaSecurityProperties;
import io.rdmarpc.rpc.config.ClientAuth;
import io.rdmarpc.service.server.security.RdmaAuthorization;
import io.rdmarpc.service.server.security.ServiceAccess;
import io.rdmarpc.verbs.error.RdmaConfigurationException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Creates the access rules of services from the settings. */
final class ServiceRules {

    private ServiceRules() {}

    static ServiceAccess of(RdmaProperties properties, List<RdmaAuthorization> authorizations) {
        Map<String, List<String>> allowed = new TreeMap<>();
        properties.server().services().forEach((service, settings) -> {
            requireCertificates(properties.security(), service, settings.allow());
            allowed.put(service, settings.allow());
        });
        try {
            return new ServiceAccess(allowed, authorizations);
        } catch (IllegalArgumentException e) {
            throw new RdmaConfigurationException(
                    "server.services",
                    allowed,
                    String.valueOf(e.getMessage()),
                    "See docs/security.md for the syntax of rules");
        }
    }

    /** Rejects rules without client certificates, because no peer could ever match them. */
    private static void requireCertificates(RdmaSecurityProperties security, String service, List<String> allow) {
        RdmaSecurityProperties.Ssl ssl = security.ssl();
        if (ssl.bundle() == null || ssl.clientAuth() == ClientAuth.NONE) {
            throw new RdmaConfigurationException(
                    "server.services[" + service + "].allow",
                    allow,
                    "rules match client certificates, but the server does not request them",
                    "Set rdma.security.ssl.bundle, and do not set rdma.security.ssl.client-auth to none");
        }
    }
}
