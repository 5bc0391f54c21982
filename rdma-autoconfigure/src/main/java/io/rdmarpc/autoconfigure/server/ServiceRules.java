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
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundles;

/** Creates the access rules of services from the settings. */
final class ServiceRules {

    private ServiceRules() {}

    static ServiceAccess of(
            RdmaProperties properties, List<RdmaAuthorization> authorizations, @Nullable SslBundles bundles) {
        Map<String, List<String>> allowed = new TreeMap<>();
        properties.server().services().forEach((service, settings) -> {
            requireCertificates(properties.security(), service, settings.allow());
            rejectPartsOfSubjects(properties.security(), service, settings.allow(), bundles);
            allowed.put(service, settings.allow());
        });
        try {
            return new ServiceAccess(allowed, authorizations);
        } catch (IllegalArgumentException e) {
            throw new RdmaConfigurationException(
                    "server.services",
                    allowed,
                    String.valueOf(e.getMessage()),
                    "See docs/how-to/secure-a-service.md for the syntax of rules");
        }
    }

    /**
     * Rejects a rule such as {@code O=Example} if the server's own subject has several parts, because the whole subject
     * of a peer would have to be this one part. Spring makes such rules of a subject in a text with commas.
     */
    private static void rejectPartsOfSubjects(
            RdmaSecurityProperties security, String service, List<String> allow, @Nullable SslBundles bundles) {
        String bundle = security.ssl().bundle();
        List<String> parts = allow.stream().filter(ServiceRules::isPart).toList();
        if (parts.isEmpty()
                || bundle == null
                || bundles == null
                || !bundles.getBundleNames().contains(bundle)) {
            return;
        }
        Subjects.of(bundles.getBundle(bundle)).stream()
                .filter(subject -> subject.size() > 1)
                .findFirst()
                .ifPresent(subject -> {
                    throw new RdmaConfigurationException(
                            "server.services[" + service + "].allow",
                            allow,
                            "the rule " + parts.getFirst() + " is only a part of a subject, but subjects have several"
                                    + " parts, such as " + subject + ": no peer would match",
                            "Write a subject with commas as an item of a YAML list, - \"" + subject
                                    + "\", because a text with commas becomes several rules");
                });
    }

    /** Returns whether the rule is a name with one part that is not a common name. */
    private static boolean isPart(String rule) {
        try {
            LdapName name = new LdapName(rule.strip());
            return name.size() == 1
                    && name.getRdn(0).size() == 1
                    && !name.getRdn(0).getType().equalsIgnoreCase("CN");
        } catch (InvalidNameException e) {
            return false;
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
