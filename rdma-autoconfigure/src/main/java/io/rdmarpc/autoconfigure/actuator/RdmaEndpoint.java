package io.rdmarpc.autoconfigure.actuator;

import io.rdmarpc.autoconfigure.client.RdmaClients;
import io.rdmarpc.rpc.SessionSnapshot;
import io.rdmarpc.rpc.runtime.RdmaRuntime;
import io.rdmarpc.service.server.RdmaServer;
import io.rdmarpc.service.server.security.ServiceAccess;
import io.rdmarpc.transport.NicContext;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * {@code /actuator/rdma}: devices, queue pairs, sessions, windows, memory, services and clients. An operator can
 * end a session if {@code management.endpoint.rdma.access} is {@code unrestricted}.
 */
@Endpoint(id = "rdma", defaultAccess = Access.READ_ONLY)
public final class RdmaEndpoint {

    private final RdmaRuntime runtime;
    private final NicContext nic;
    private final ObjectProvider<RdmaServer> server;
    private final ObjectProvider<ServiceAccess> access;
    private final ObjectProvider<RdmaClients> clients;

    RdmaEndpoint(
            RdmaRuntime runtime,
            NicContext nic,
            ObjectProvider<RdmaServer> server,
            ObjectProvider<ServiceAccess> access,
            ObjectProvider<RdmaClients> clients) {
        this.runtime = runtime;
        this.nic = nic;
        this.server = server;
        this.access = access;
        this.clients = clients;
    }

    /** The operations on a session that an operator can request. */
    public enum Action {
        /** Ends it. The next call opens another one. */
        CLOSE,
        /** Ends it. If this side is the client and reconnects automatically, it opens another one at once. */
        RECONNECT
    }

    /**
     * The result of an operation on a session.
     *
     * @param id the session's number
     * @param action the operation, {@code close} or {@code reconnect}
     */
    public record Ended(long id, String action) implements OperationResponseBody {}

    /**
     * Describes the whole state.
     *
     * @return a snapshot
     */
    @ReadOperation
    public RdmaReport report() {
        return new RdmaReport(
                RdmaReport.Device.of(nic, runtime.deviceProblem()),
                RdmaReport.Scaling.of(runtime.scaling()),
                runtime.engineSnapshots().stream().map(RdmaReport.Engine::of).toList(),
                runtime.sessions().stream().map(RdmaReport.Session::of).toList(),
                RdmaReport.Memory.of(runtime),
                services(),
                clients.stream()
                        .flatMap(each -> each.clients().stream())
                        .map(RdmaReport.Client::of)
                        .toList(),
                rejections());
    }

    private List<RdmaReport.Service> services() {
        return server.stream()
                .flatMap(each -> each.contracts().stream())
                .map(contract -> RdmaReport.Service.of(contract, callsDenied(contract.name())))
                .toList();
    }

    private long callsDenied(String service) {
        return access.stream()
                .mapToLong(each -> each.rejections().getOrDefault(service, 0L))
                .sum();
    }

    private Map<String, Long> rejections() {
        Map<String, Long> rejections = new TreeMap<>();
        rejections.put("tls", runtime.tlsFailures());
        runtime.rejections().forEach((code, count) -> rejections.put(Words.of(code), count));
        return rejections;
    }

    /**
     * Describes one session.
     *
     * @param id its number
     * @return a snapshot, or null if there is no such session
     */
    @ReadOperation
    public RdmaReport.@Nullable Session session(@Selector long id) {
        return sessions(id).map(RdmaReport.Session::of).findFirst().orElse(null);
    }

    /**
     * Ends a session; its calls fail.
     *
     * @param id its number
     * @param action whether to open another session
     * @return the result, or null if there is no such session
     */
    @WriteOperation
    public @Nullable Ended end(@Selector long id, Action action) {
        boolean ended = runtime.endSession(id, action == Action.RECONNECT, "it was ended by an operator");
        return ended ? new Ended(id, Words.of(action)) : null;
    }

    private Stream<SessionSnapshot> sessions(long id) {
        return runtime.sessions().stream().filter(session -> session.id() == id);
    }
}
