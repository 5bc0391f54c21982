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
 * Who may call which service: rules about certificates, and beans. Put around a service when it is exported; a service
 * without rules is left as it is and costs nothing.
 */
public final class ServiceAccess {

    /** Everybody may call everything. */
    public static final ServiceAccess OPEN = new ServiceAccess(Map.of(), List.of());

    private final Map<String, List<CertificateRule>> rules;
    private final List<RdmaAuthorization> authorizations;
    private final Map<String, ServiceGuard> guards = new ConcurrentHashMap<>();

    /**
     * Creates the rules.
     *
     * @param allowed for each service that not everybody may call, whom certificates describe: {@code CN=name}, a whole
     *     subject, {@code dns:}, {@code ip:}, {@code uri:}, {@code email:} or {@code *}; nobody when the list is empty
     * @param authorizations all of them must agree, for every service
     * @throws IllegalArgumentException when one describes nobody
     */
    public ServiceAccess(Map<String, List<String>> allowed, List<RdmaAuthorization> authorizations) {
        this.rules = new TreeMap<>();
        allowed.forEach((service, texts) ->
                rules.put(service, texts.stream().map(CertificateRule::parse).toList()));
        this.authorizations = List.copyOf(authorizations);
    }

    /**
     * Guards a service.
     *
     * @param export the service
     * @return the same service for those who may call it
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
     * Checks that rules are about services that exist: one for a name that is misspelled would protect nothing.
     *
     * @param exported the names of all services
     * @throws RdmaInvalidServiceException when a rule is about another one
     */
    public void requireKnown(Collection<String> exported) {
        String unknown = rules.keySet().stream()
                .filter(service -> !exported.contains(service))
                .collect(Collectors.joining(", "));
        if (!unknown.isEmpty()) {
            throw new RdmaInvalidServiceException(
                    "rdma.server.services has rules for " + unknown + ", but the services are "
                            + String.join(", ", exported),
                    "Write the service's whole name in brackets, as in rdma.server.services[com.example.Orders].allow");
        }
    }

    /**
     * Counts the calls that were refused.
     *
     * @return for each service that is guarded
     */
    public Map<String, Long> rejections() {
        return guards.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, guard -> guard.getValue().rejections()));
    }
}
