package io.rdmarpc.rpc.engine.server;

import io.rdmarpc.rpc.GuardedHandler;
import io.rdmarpc.rpc.PeerIdentity;
import io.rdmarpc.rpc.ServiceContract;
import io.rdmarpc.rpc.ServiceExport;
import io.rdmarpc.verbs.PeerText;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The methods that a process serves, by id. Adding a service replaces an immutable table, so that a look-up needs no
 * lock and no boxing.
 */
public final class MethodTable {

    private static final int MAX_DIFFERENCES = 8;

    private final Map<String, ServiceExport> services = new TreeMap<>();
    private volatile ServiceExport.@Nullable Method[] slots = new ServiceExport.Method[1];

    /** Creates an empty table. */
    public MethodTable() {}

    /**
     * Adds a service.
     *
     * @param export the service
     * @throws IllegalStateException if its name or one of its method ids is already in the table
     */
    public synchronized void add(ServiceExport export) {
        String name = export.contract().name();
        if (services.containsKey(name)) {
            throw new IllegalStateException("service " + name + " is exported already: export each name once");
        }
        List<ServiceExport.Method> methods = new ArrayList<>(export.methods());
        for (ServiceExport other : services.values()) {
            methods.addAll(other.methods());
        }
        slots = hash(methods);
        services.put(name, export);
    }

    /** Returns whether no method is served. Thread-safe. */
    public boolean isEmpty() {
        return slots.length == 1;
    }

    /** Creates a hash table with open addressing at a load of at most one half. */
    private static ServiceExport.@Nullable Method[] hash(List<ServiceExport.Method> methods) {
        int size = Integer.highestOneBit(Math.max(1, methods.size() * 4 - 1)) * 2;
        ServiceExport.@Nullable Method[] table = new ServiceExport.Method[size];
        for (ServiceExport.Method method : methods) {
            if (method.id() == 0) {
                throw new IllegalStateException(
                        "a method has the id 0, which clients use to test a path: rename the method or its service");
            }
            int at = spread(method.id()) & (size - 1);
            while (true) {
                ServiceExport.Method other = table[at];
                if (other == null) {
                    break;
                }
                if (other.id() == method.id()) {
                    throw new IllegalStateException("two methods have the id 0x" + Integer.toHexString(method.id())
                            + ": rename one of them or its service");
                }
                at = (at + 1) & (size - 1);
            }
            table[at] = method;
        }
        return table;
    }

    private static int spread(int id) {
        return id ^ (id >>> 16);
    }

    ServiceExport.@Nullable Method find(int id) {
        ServiceExport.@Nullable Method[] table = slots;
        int mask = table.length - 1;
        for (int at = spread(id) & mask; ; at = (at + 1) & mask) {
            ServiceExport.Method method = table[at];
            if (method == null || method.id() == id) {
                return method;
            }
        }
    }

    /**
     * Compares a client's contract of a service with the exported one. A peer that may not call the service gets no
     * information about it here. Its calls fail with {@link io.rdmarpc.rpc.error.RpcStatus#PERMISSION_DENIED}.
     *
     * @param theirs the client's contract
     * @param peer the client
     * @return the differences, for the client's user; empty if there are none, or if the peer may not call the service
     */
    public String compare(ServiceContract theirs, PeerIdentity peer) {
        ServiceExport export = service(theirs.name());
        if (export == null) {
            List<String> names = servicesFor(peer);
            return "the server does not export service " + PeerText.of(theirs.name()) + "; it exports "
                    + (names.isEmpty() ? "none" : String.join(", ", names));
        }
        return mayCall(peer, export) ? describe(theirs.name(), theirs.differencesFrom(export.contract())) : "";
    }

    /** Joins the first differences, because the message to the client has a limited size. */
    private static String describe(String service, List<String> differences) {
        if (differences.isEmpty()) {
            return "";
        }
        int more = differences.size() - MAX_DIFFERENCES;
        return "service " + service + " differs: "
                + differences.stream().limit(MAX_DIFFERENCES).collect(Collectors.joining("; "))
                + (more > 0 ? "; and " + more + " more" : "");
    }

    private synchronized @Nullable ServiceExport service(String name) {
        return services.get(name);
    }

    private synchronized List<ServiceExport> exports() {
        return List.copyOf(services.values());
    }

    /** Returns the names of the services that a peer may call. */
    List<String> servicesFor(PeerIdentity peer) {
        return exports().stream()
                .filter(export -> mayCall(peer, export))
                .map(export -> export.contract().name())
                .toList();
    }

    /**
     * Returns whether a peer may call at least one method. Runs without a lock, because the rules belong to the
     * application.
     */
    private static boolean mayCall(PeerIdentity peer, ServiceExport export) {
        return export.methods().isEmpty()
                || export.methods().stream()
                        .anyMatch(method -> !(method.handler() instanceof GuardedHandler guard) || guard.admits(peer));
    }

    /**
     * Returns the exported services.
     *
     * @return their contracts, ordered by name
     */
    public synchronized List<ServiceContract> contracts() {
        return services.values().stream().map(ServiceExport::contract).toList();
    }
}
