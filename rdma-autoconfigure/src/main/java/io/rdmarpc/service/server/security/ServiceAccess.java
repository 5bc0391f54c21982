package io.rdmarpc.service.server.security;

import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.service.contract.RdmaInvalidServiceException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Access rules of services: certificate rules and authorization beans. An exported service is wrapped in a guard. A
 * service without rules is not wrapped and has no cost.
 */
public final class ServiceAccess {

    /** Permits every call. */
    public static final ServiceAccess OPEN = new ServiceAccess(Map.of(), List.of());

    private final Map<String, List<CertificateRule>> rules;
    private final List<RdmaAuthorization> authorizations;
    private final Map<String, ServiceGuard> guards = new ConcurrentHashMap<>();

    /**
     * Creates the rules.
     *
     * @param allowed rules of each restricted service: {@code CN=name}, a whole subject, {@code dns:}, {@code ip:},
     *     {@code uri:}, {@code email:} or {@code *}; an empty list permits no peer
     * @param authorizations authorizations that must all permit a call, for every service
     * @throws IllegalArgumentException if a rule is invalid
     */
    public ServiceAccess(Map<String, List<String>> allowed, List<RdmaAuthorization> authorizations) {
        this.rules = new TreeMap<>();
        allowed.forEach((service, texts) ->
                rules.put(service, texts.stream().map(CertificateRule::parse).toList()));
        this.authorizations = List.copyOf(authorizations);
    }

    /**
     * Wraps a service in a guard.
     *
     * @param export the service
     * @return the service, which rejects calls without permission
     */
    public ServiceExport guard(ServiceExport export) {
        String service = export.contract().name();
        if (authorizations.isEmpty() && !rules.containsKey(service)) {
            return export;
        }
        ServiceGuard guard = guards.computeIfAbsent(service, name -> new ServiceGuard(name, ruleOf(name)));
        return new ServiceExport(
                export.contract(),
                export.methods().stream()
                        .map(method -> new ServiceExport.Method(
                                method.id(), guard.around(method.handler()), method.executor()))
                        .toList());
    }

    private Predicate<PeerIdentity> ruleOf(String service) {
        List<CertificateRule> described = rules.get(service);
        return peer -> (described == null || described.stream().anyMatch(rule -> rule.matches(peer)))
                && authorizations.stream().allMatch(each -> each.allows(service, peer));
    }

    /**
     * Rejects rules of services that do not exist. A rule with a misspelled name would protect nothing.
     *
     * @param exported the names of all services
     * @throws RdmaInvalidServiceException if a rule refers to another service
     */
    public void requireKnown(Collection<String> exported) {
        String unknown = rules.keySet().stream()
                .filter(service -> !exported.contains(service))
                .collect(Collectors.joining(", "));
        if (!unknown.isEmpty()) {
            throw new RdmaInvalidServiceException(
                    "rdma.server.services has rules for " + unknown + ", but the services are "
                            + String.join(", ", exported),
                    "Use the full service name in brackets, as in rdma.server.services[com.example.Orders].allow");
        }
    }

    /**
     * Returns the number of rejected calls.
     *
     * @return the number for each service with a guard
     */
    public Map<String, Long> rejections() {
        return guards.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, guard -> guard.getValue().rejections()));
    }
}
